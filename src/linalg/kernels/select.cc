// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "dualdict/error.h"
#include "linalg/kernels/kernels.h"
#include "linalg/kernels/simd.h"

namespace dualdict {
namespace {

template <class T>
std::vector<Kernels<T>> collect() {
  std::vector<Kernels<T>> all{scalar_kernels<T>()};
  const SimdTables simd = simd_tables();
  if constexpr (std::is_same_v<T, float>) {
    all.insert(all.end(), simd.floats.begin(), simd.floats.end());
  } else {
    all.insert(all.end(), simd.doubles.begin(), simd.doubles.end());
  }
  return all;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <class T>
Kernels<T> choose() {
  const auto all = collect<T>();
  const char* wanted = std::getenv("DUALDICT_KERNELS");
  if (wanted == nullptr || *wanted == '\0') return all.back();
  std::string names;
  for (const auto& table : all) {
    if (same_name(table.name, wanted)) return table;
    names += (names.empty() ? "" : ", ") + std::string(table.name);
  }
  throw Error(ErrorKind::kUsage, "DUALDICT_KERNELS: '" + std::string(wanted) +
                                     "' is not a kernel variant of this machine: one of " + names);
}

}  // namespace

template <class T>
const Kernels<T>& kernels() {
  static const Kernels<T> chosen = choose<T>();
  return chosen;
}
template <class T>
std::vector<Kernels<T>> all_kernels() {
  return collect<T>();
}

template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();
template std::vector<Kernels<float>> all_kernels<float>();
template std::vector<Kernels<double>> all_kernels<double>();

}  // namespace dualdict
