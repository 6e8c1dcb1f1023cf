# SPDX-License-Identifier: BSD-3-Clause
"""The manual page and the completions: all commands and flags are in them, and the shells take them."""

import re
import shutil
import subprocess

import pytest
from conftest import run_ok

COMMANDS = re.findall(r"^  ([a-z]+)  ", run_ok("--help").stdout.decode().split("Commands:")[1], re.MULTILINE)
SHELLS = ("bash", "zsh", "fish")


def flags(command):
    """The long flags of a command, as its help lists them."""
    text = run_ok(command, "--help").stdout.decode()
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text.split("Usage:")[1], re.MULTILINE))


def modes():
    return re.findall(r"'([a-z:0-9 ]+)' ;;", run_ok("completion", "bash").stdout.decode().split("--mode)")[1])[0].split()


def script(shell):
    return run_ok("completion", shell).stdout.decode()


def test_there_are_commands():
    assert {"learn", "encode", "completion", "manual"} <= set(COMMANDS)
    assert "--inner-tolerance" in flags("learn") and {"sparse", "exact"} <= set(modes())


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_has_every_command_and_flag(shell):
    text = script(shell)
    for command in COMMANDS:
        assert command in text
        for flag in flags(command):
            assert (f"-l {flag[2:]} " if shell == "fish" else flag) in text, f"{command} {flag}"
    for mode in modes():
        assert mode.replace(":", "\\:") in text or mode in text


def test_options_as_json_are_those_of_the_text():
    rows = run_ok("options", "--json").json()
    text = run_ok("options").stdout.decode()
    assert [f"--{row['name']}" for row in rows] == re.findall(r"^(--[a-z-]+)", text, re.MULTILINE)
    for row in rows:
        assert row["help"] and row["rule"] and (row["required"] or "default" in row)


def test_manual_has_every_command_and_flag():
    text = run_ok("manual").stdout.decode().replace("\\-", "-")
    for command in COMMANDS:
        section = text.split(f".SS {command}\n")[1].split("\n.SS ")[0]
        for flag in flags(command):
            assert f"\\fB{flag}" in section, f"{command} {flag}"


@pytest.mark.skipif(shutil.which("groff") is None, reason="skipped: groff is not installed")
def test_manual_is_right_for_groff():
    page = run_ok("manual").stdout
    done = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", "-ww", "-b"], input=page, capture_output=True)
    assert done.returncode == 0 and done.stderr == b""
    assert b"EXIT STATUS" in done.stdout


def complete_in_bash(words):
    """What bash offers after the words, of which the last is being written."""
    line = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _dualdict; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", script("bash") + ask], capture_output=True, check=True, text=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def complete_in_fish(words, tmp_path):
    (tmp_path / "dualdict.fish").write_text(script("fish"))
    ask = f"source {tmp_path}/dualdict.fish; complete -C '{' '.join(words)}'"
    done = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, check=True, text=True)
    assert done.stderr == ""
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


ZSH_AT_THE_PROMPT = """
PS1=
stty cols 4000
fpath=({folder} $fpath)
autoload -U compinit; compinit -D -u
bindkey '^I' complete-word
zle-line-init() {{ print AT THE PROMPT }}  # from here on keys are zsh's, not the terminal's
zle -N zle-line-init
compadd() {{  # every match is printed instead of offered
  if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a matches
  builtin compadd -A matches "$@"
  for match in $matches; do print -r -- "MATCH:$match"; done
}}
"""


def complete_in_zsh(words, tmp_path):
    """zsh completes only at a prompt: one runs in a pseudo-terminal of zsh's own."""
    (tmp_path / "_dualdict").write_text(script("zsh"))
    (tmp_path / "prompt").write_text(ZSH_AT_THE_PROMPT.format(folder=tmp_path))
    ask = f"""
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "source {tmp_path}/prompt"
        while zpty -r z line; do [[ $line == *'AT THE PROMPT'* ]] && break; done
        zpty -w -n z "{' '.join(words)}"$'\\t'
        zpty -w z $'\\C-u'"print DO''NE"
        while zpty -r z line; do print -r -- $line; [[ $line == DONE* ]] && break; done
        zpty -d z
    """
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, timeout=60)
    return set(re.findall(r"MATCH:([^\r\n]+)", done.stdout))


def completions(shell, words, tmp_path):
    if shell == "bash":
        return complete_in_bash(words)
    return complete_in_fish(words, tmp_path) if shell == "fish" else complete_in_zsh(words, tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completes(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"skipped: {shell} is not installed")
    assert {"learn", "encode"} <= completions(shell, ["dualdict", ""], tmp_path)
    assert "--max-iterations" in completions(shell, ["dualdict", "learn", "--max"], tmp_path)
    assert "--max-iterations" not in completions(shell, ["dualdict", "encode", "--max"], tmp_path)
    assert {"fast", "fista"} <= completions(shell, ["dualdict", "learn", "--solver", ""], tmp_path)
    assert set(modes()) <= completions(shell, ["dualdict", "encode", "--mode", ""], tmp_path)
    assert set(SHELLS) <= completions(shell, ["dualdict", "completion", ""], tmp_path)
