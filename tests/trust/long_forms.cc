// SPDX-License-Identifier: BSD-3-Clause
// trust_numbers PROMISE [STRIDE]: runs the long form of a promise, or every STRIDE-th case of it, and prints
// "PROMISE CASES FAILURES".
#include "trust/long_forms.h"

#include <cstdlib>
#include <exception>
#include <map>

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(dualdict::Tally&)> forms{{"P5", dualdict::every_flipped_bit},
                                                                {"P9", dualdict::every_corner},
                                                                {"P10", dualdict::no_step_raises_energy},
                                                                {"P11", dualdict::saved_rows_in_the_ball},
                                                                {"P12", dualdict::gaps_bound_what_is_missing},
                                                                {"P12-verify", dualdict::verify_agrees},
                                                                {"P13", dualdict::scaling_by_powers_of_two},
                                                                {"P14", dualdict::every_magnitude},
                                                                {"P15", dualdict::ill_conditioned},
                                                                {"P17", dualdict::every_thread_count},
                                                                {"P19", dualdict::code_of_any_batch},
                                                                {"P27", dualdict::many_encoding_threads}};
  const auto form = forms.find(argc > 1 ? argv[1] : "");
  const long stride = argc > 2 ? std::atol(argv[2]) : 1;
  if (form == forms.end() || stride < 1) {
    std::fprintf(stderr, "usage: trust_numbers FORM [STRIDE], the form one of:");
    for (const auto& one : forms) std::fprintf(stderr, " %s", one.first.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  dualdict::Tally tally(static_cast<std::size_t>(stride));
  try {
    form->second(tally);
  } catch (const std::exception& error) {
    tally.add(false, std::string("an exception: ") + error.what());
  }
  std::printf("%s %zu %zu\n", form->first.c_str(), tally.cases(), tally.failures());
  return tally.failures() == 0 && tally.cases() > 0 ? 0 : 1;
}
