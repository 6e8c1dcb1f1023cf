# SPDX-License-Identifier: BSD-3-Clause
"""The layering check finds what it is there to find. Standard library only: python3 test_check_layering.py"""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import check_layering  # noqa: E402


class CheckLayering(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.plant("include/dualdict/matrix.h", "#include <vector>\n")
        self.plant("src/core/hash.h", '#include "dualdict/matrix.h"\n')
        self.plant("src/io/matrix/npy.h", '#include "core/hash.h"\n')
        self.plant("src/linalg/product.h", "#include <hwy/highway.h>\n")
        self.plant("cli/flags.h", "#include <string>\n")
        self.plant("cli/main.cc", '#include "flags.h"\n#include "dualdict/matrix.h"\n#include <nlohmann/json.hpp>\n')

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self):
        return check_layering.check(self.root)[0]

    def only_problem(self):
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def test_accepts_a_tree_that_obeys(self):
        self.assertEqual(self.problems(), [])

    def test_accepts_this_project(self):
        self.assertEqual(check_layering.check(ROOT)[0], [])

    def test_names_file_line_and_rule_of_an_upward_include(self):
        self.plant("src/core/hash.cc", '#include <vector>\n\n#include "io/matrix/npy.h"\n')
        problem = self.only_problem()
        self.assertIn("src/core/hash.cc:3:", problem)
        self.assertIn("io/matrix/npy.h", problem)
        self.assertIn("core/ may include only: core, public headers", problem)

    def test_finds_a_sideways_include_in_angle_brackets(self):
        self.plant("src/io/matrix/csv.cc", "#include <linalg/product.h>\n")
        self.assertIn("src/io/matrix/csv.cc:1:", self.only_problem())

    def test_finds_a_relative_include_that_leaves_its_folder(self):
        self.plant("src/io/matrix/csv.cc", '#include "../../linalg/product.h"\n')
        self.assertIn("src/io/matrix/csv.cc:1:", self.only_problem())

    def test_finds_an_internal_header_in_the_command(self):
        self.plant("cli/learn.cc", '#include "core/hash.h"\n')
        self.assertIn("cli/ includes only public headers", self.only_problem())

    def test_finds_a_foreign_header_in_a_public_one(self):
        self.plant("include/dualdict/model.h", "#include <Eigen/Core>\n")
        self.assertIn("a public header includes only standard headers", self.only_problem())

    def test_lets_the_header_for_c_include_what_c_has_and_no_other(self):
        self.plant("include/dualdict.h", '#include <stddef.h>\n#include "dualdict/matrix.h"\n')
        self.plant("src/capi/model.cc", '#include "dualdict.h"\n')
        self.assertEqual(self.problems(), [])
        self.plant("include/dualdict/export.h", "#include <stddef.h>\n")
        self.assertIn("include/dualdict/export.h:1:", self.only_problem())

    def test_finds_an_internal_header_in_a_public_one(self):
        self.plant("include/dualdict/model.h", '#include "core/hash.h"\n')
        self.assertIn("include/dualdict/model.h:1:", self.only_problem())

    def test_finds_a_quoted_include_of_no_file(self):
        self.plant("src/io/matrix/csv.cc", '#include "zlib.h"\n')
        self.assertIn("a quoted include names a file of this project", self.only_problem())

    def test_finds_a_folder_without_a_row(self):
        self.plant("src/extra/new.cc", "#include <vector>\n")
        self.assertIn("src/extra has no row", self.only_problem())

    def test_finds_an_include_of_a_room_above(self):
        self.plant("src/io/bytes/file.h", '#include "core/hash.h"\n')
        self.plant("src/io/matrix/csv.cc", '#include "io/bytes/file.h"\n')
        self.assertEqual(self.problems(), [])
        self.plant("src/io/bytes/file.cc", '#include "io/matrix/npy.h"\n')
        self.assertIn("io/bytes/ may include only: io/bytes, core, public headers", self.only_problem())

    def test_finds_an_include_of_a_room_that_a_folder_may_not_see(self):
        self.plant("src/model/model.cc", '#include "io/matrix/npy.h"\n')
        self.assertIn("src/model/model.cc:1:", self.only_problem())

    def test_a_folder_named_by_another_stands_for_its_rooms(self):
        self.plant("src/core/options/table.h", '#include "core/hash.h"\n')
        self.plant("src/linalg/product.cc", '#include "core/options/table.h"\n')
        self.assertEqual(self.problems(), [])

    def test_a_folder_named_by_its_room_stands_for_the_files_beside_it(self):
        self.plant("src/core/options/table.h", "#include <vector>\n")
        self.plant("src/core/hash.cc", '#include "core/options/table.h"\n')
        self.assertIn("src/core/hash.cc:1:", self.only_problem())
        self.assertIsNone(check_layering.find_cycle({"a": [], "a/b": ["a"], "c": ["a"]}))
        self.assertEqual(check_layering.find_cycle({"a": ["a/b"], "a/b": ["a"]}), ["a", "a/b", "a"])
        self.assertEqual(check_layering.find_cycle({"a/b": ["c"], "c": ["a"]}), ["a/b", "c", "a/b"])

    def test_finds_a_room_without_a_row_and_a_file_beside_rooms(self):
        self.plant("src/io/video/mpeg.cc", "#include <vector>\n")
        self.assertIn("src/io/video has no row", self.only_problem())
        (self.root / "src/io/video/mpeg.cc").unlink()
        self.plant("src/io/all.cc", "#include <vector>\n")
        self.assertIn("src/io has no row", self.only_problem())

    def test_a_folder_below_one_without_rooms_belongs_to_it(self):
        self.plant("src/linalg/kernels/dot.cc", '#include "linalg/product.h"\n')
        self.assertEqual(self.problems(), [])

    def test_finds_a_cycle_in_a_table(self):
        self.assertIsNone(check_layering.find_cycle({"a": [], "b": ["a"], "c": ["a", "b"]}))
        self.assertEqual(check_layering.find_cycle({"a": ["b"], "b": ["c"], "c": ["a"]}), ["a", "b", "c", "a"])
        with self.assertRaises(KeyError):
            check_layering.find_cycle({"a": ["unknown"]})

    def test_the_table_has_no_cycle(self):
        self.assertIsNone(check_layering.find_cycle(check_layering.ALLOWED))

    def test_an_empty_tree_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(check_layering.main([empty]), 1)


if __name__ == "__main__":
    unittest.main()
