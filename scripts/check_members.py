# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no class of src/ has more than 15 data members: python3 scripts/check_members.py [ROOT] [--most N]

A class that needs more is several ideas under one name: values that belong together become a struct of their own. Reads the
text, with no compiler: comments, strings, directives and what is within braces are left out, and of what remains a statement
without parentheses declares as many members as it has names. --most N prints the N classes with the most.
"""
import re
import sys
from pathlib import Path

LIMIT = 15

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^\s*#.*?$', re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"(?<!enum )(?<![<,])(?<![<,] )\b(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^;{}()=]*)?\{")
# What a statement of a class may begin with that declares no data member of its objects.
NO_MEMBER = re.compile(r"(using|typedef|friend|static|template|enum|class|struct|virtual|explicit|~)\b|~")
# Ends the declaration of a function whose body follows, or of a nested type.
BODY = re.compile(r"\)\s*(const|noexcept|override|final|\s)*(:[^;]*)?$|\b(class|struct|union|enum)\b[^=;]*$")


def within(text, start):
    """The text of a block without that of the blocks in it, which stand there as {}; a body of a function ends its statement."""
    kept, depth, i = [], 1, start
    while depth and i < len(text):
        if text[i] == "{":
            if depth == 1:
                statement = "".join(kept).rpartition(";")[2]
                kept.append("{};" if BODY.search(statement) else "{}")
            depth += 1
        elif text[i] == "}":
            depth -= 1
        elif depth == 1:
            kept.append(text[i])
        i += 1
    return "".join(kept)


def without_brackets(text):
    """Template arguments and array bounds away, so that commas and parentheses are those of the declaration."""
    while (shorter := re.sub(r"<[^<>]*>|\[[^\[\]]*\]|\{\}", "", text)) != text:
        text = shorter
    return text


def members_of(body):
    """The names of the data members of a class, from its text."""
    names = []
    for statement in body.split(";"):
        statement = re.sub(r"\b(public|private|protected)\s*:", "", statement).strip()
        if not statement or NO_MEMBER.match(statement):
            continue
        declared = without_brackets(statement)
        if "(" in declared.split("=")[0] or "operator" in declared:
            continue
        declared = re.sub(r"\([^()]*\)", "", declared)
        names += [name[-1] for part in declared.split(",") if (name := re.findall(r"\w+", re.split("=|(?<!:):(?!:)", part)[0]))]
    return names


def classes_of(text):
    text = NOISE.sub(" ", text)
    for found in CLASS.finditer(text):
        yield found[1], members_of(within(text, found.end()))


def check(root):
    """The problems found, and (number of members, class, file) of every class, largest first."""
    counted = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cc"):
            counted += [(len(members), name, str(path.relative_to(root))) for name, members in classes_of(path.read_text())]
    counted.sort(reverse=True)
    problems = [
        f"{path}: {name} has {n} data members; at most {LIMIT}: make a struct of those that belong together"
        for n, name, path in counted
        if n > LIMIT
    ]
    return problems, counted


def main():
    arguments = sys.argv[1:]
    most = int(arguments.pop(arguments.index("--most") + 1)) if "--most" in arguments else 0
    places = [argument for argument in arguments if argument != "--most"]
    problems, counted = check(Path(places[0]) if places else Path(__file__).resolve().parents[1])
    for n, name, path in counted[:most]:
        print(f"{n:3} {name} ({path})")
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"members: none of {len(counted)} classes has more than {LIMIT} data members")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
