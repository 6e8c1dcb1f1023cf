// SPDX-License-Identifier: BSD-3-Clause
// fuzz_replay CORPUS MUTATIONS: gives every seed of CORPUS/TARGET/ and MUTATIONS damaged copies of it to its reader.
// A crash is the failure. Prints "P1 CASES 0".
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/random.h"
#include "fuzz/targets.h"

namespace dualdict {
namespace {

std::vector<std::byte> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span<const char>(text));
  return {bytes.begin(), bytes.end()};
}

// A few bytes changed, a piece cut out, repeated or put elsewhere, or the end cut off.
std::vector<std::byte> damage(std::vector<std::byte> bytes, Random& random) {
  if (bytes.empty()) return bytes;
  switch (random.index(4)) {
    case 0:
      bytes.resize(random.index(bytes.size()));
      break;
    case 1: {
      const std::size_t at = random.index(bytes.size());
      const std::size_t n = random.index(std::min<std::size_t>(bytes.size() - at, 16) + 1);
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + n));
      break;
    }
    case 2: {
      const std::size_t at = random.index(bytes.size());
      const std::vector<std::byte> piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                         bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + 9)));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.index(bytes.size())), piece.begin(), piece.end());
      break;
    }
    default:
      for (std::size_t n = 1 + random.index(4); n > 0; --n)
        bytes[random.index(bytes.size())] = std::byte(random.index(256));
  }
  return bytes;
}

std::size_t replay(const FuzzTarget& target, const std::filesystem::path& folder, std::size_t n_mutations) {
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::vector<std::byte> seed = content_of(entry.path());
    target.run(seed);
    Random random(seed.size());
    for (std::size_t i = 0; i < n_mutations; ++i) target.run(damage(seed, random));
    cases += 1 + n_mutations;
  }
  return cases;
}

}  // namespace
}  // namespace dualdict

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_replay CORPUS MUTATIONS\n");
    return 2;
  }
  std::size_t cases = 0;
  for (const dualdict::FuzzTarget& target : dualdict::fuzz_targets()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / target.name;
    if (!std::filesystem::is_directory(folder)) {
      std::fprintf(stderr, "%s: no seeds\n", folder.c_str());
      return 1;
    }
    const std::size_t n = dualdict::replay(target, folder, static_cast<std::size_t>(std::atol(argv[2])));
    if (n == 0) return 1;
    cases += n;
  }
  std::printf("P1 %zu 0\n", cases);
  return 0;
}
