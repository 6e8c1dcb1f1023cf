# SPDX-License-Identifier: BSD-3-Clause
"""The count of data members counts what it should. Standard library only: python3 test_check_members.py"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.dont_write_bytecode = True
import check_members  # noqa: E402

EVERY_KIND = """
// class Commented { int a, b; };
template <class T>
class Many final : public Base<T, int> {
 public:
  explicit Many(int n) : first_(n), second_{n} { int local; }
  Many& operator=(const Many&) = delete;
  int size() const { return first_; }
  virtual void stop() const noexcept = 0;
  static constexpr int kStep = 3;
  using Name = int;
  enum class Kind { kOne, kTwo };
  struct Part {
    int x = 0;
    std::map<int, std::string> y;
  };

 private:
  int first_ = 0, second_{1};
  std::function<void(int, int)> call_;
  std::array<int, 3> three_ = {1, 2, 3};
  const char* text_ = "a; b, c;";
  T* pointers_[4];
  Part part_;
};
"""


class CheckMembers(unittest.TestCase):
    def test_counts_the_members_of_every_kind(self):
        found = dict(check_members.classes_of(EVERY_KIND))
        self.assertEqual(found["Many"], ["first_", "second_", "call_", "three_", "text_", "pointers_", "part_"])
        self.assertEqual(found["Part"], ["x", "y"])
        self.assertEqual(set(found), {"Many", "Part"})

    def test_refuses_a_class_with_too_many(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "src", "core", "large.h")
            path.parent.mkdir(parents=True)
            for n, n_problems in ((check_members.LIMIT, 0), (check_members.LIMIT + 1, 1)):
                path.write_text("struct Large {\n" + "".join(f"  int m{i};\n" for i in range(n)) + "};\n")
                problems, counted = check_members.check(Path(folder))
                self.assertEqual(len(problems), n_problems, problems)
                self.assertEqual(counted, [(n, "Large", "src/core/large.h")])


if __name__ == "__main__":
    unittest.main()
