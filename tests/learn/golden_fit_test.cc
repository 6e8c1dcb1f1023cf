// SPDX-License-Identifier: BSD-3-Clause
// Fits in memory give the same bits as they always did. What fits must fulfil is tested elsewhere; this finds a change
// of bits that nobody meant. Two hashes a fit: what was learned, and the encoders that were fitted to it.
//
// The table holds for the scalar kernels, on any CPU and in every preset: the samples are made of whole numbers,
// -ffp-contract is off, and matrices are below the size from which Eigen looks at the caches. Of the C library exp,
// log, pow and sin take part: its variants with and without FMA gave the same.
//
// The other kernels: compare two builds, A of before and B of after a change.
//   for k in scalar avx2 avx3 neon; do
//     for b in A B; do
//       DUALDICT_KERNELS=$k DUALDICT_PRINT_GOLDEN=1 $b/golden_fit_test | grep ^golden > $b/golden.$k
//     done
//     test -s A/golden.$k && cmp A/golden.$k B/golden.$k && echo "$k: the same"
//   done
// The hashes of what was learned are those of commit a54420e, before learning became one engine: under scalar, AVX2 and
// AVX-512 that build and the present one print the same. Those of the encoders changed with commit de7111f, which fits
// them and their decoders with bounds.
// With DUALDICT_PRINT_GOLDEN set the test compares nothing and prints its table, each row with what the fit was like.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dualdict/learn.h"
#include "io/temporary_folder.h"

namespace dualdict {
namespace {

struct Killed {};

class WholeNumbers {
 public:
  explicit WholeNumbers(std::uint64_t seed) : state_(seed) {}
  // In [low, high].
  int between(int low, int high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

struct SamplesSize {
  std::size_t n = 300;
  std::size_t d = 12;
  std::size_t n_atoms = 16;  // of the truth
};

// Sums of three atoms each and noise: whole numbers / 16.
Matrix<double> make_samples(const SamplesSize& size, bool positive = false) {
  WholeNumbers random(size.n * 1000 + size.d);
  const int lowest = positive ? 0 : -3;
  Matrix<double> atoms(size.n_atoms, size.d);
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms.data()[i] = random.between(lowest, 3);
  Matrix<double> samples(size.n, size.d);
  for (std::size_t i = 0; i < size.n; ++i) {
    for (std::size_t f = 0; f < size.d; ++f) samples(i, f) = random.between(-1, 1);
    for (int part = 0; part < 3; ++part) {
      const auto atom = static_cast<std::size_t>(random.between(0, static_cast<int>(size.n_atoms) - 1));
      const int weight = random.between(positive ? 1 : -4, 4);
      for (std::size_t f = 0; f < size.d; ++f) samples(i, f) += weight * atoms(atom, f);
    }
    for (std::size_t f = 0; f < size.d; ++f) samples(i, f) /= 16;
  }
  return samples;
}

// Enough samples for the warm-up, and a last block that is not full.
constexpr SamplesSize kMany{1300, 12, 16};

struct Case {
  std::string name;
  Matrix<double> samples;
  LearnOptions options;
  PreprocessOptions preprocess;
  bool resumed = false;
};

// Elements of 0 and +-1/4: with up to 16 features its atoms are in the ball.
Matrix<double> given_dictionary(std::size_t n_atoms, std::size_t d) {
  Matrix<double> dictionary(n_atoms, d);
  for (std::size_t i = 0; i < n_atoms; ++i)
    for (std::size_t f = 0; f < d; ++f) {
      const std::size_t which = (f + i * (i + 3)) % 3;
      dictionary(i, f) = which == 0 ? 0 : which == 1 ? 0.25 : -0.25;
    }
  return dictionary;
}

LearnOptions options_of(Solver solver, DType dtype, double eta = 1) {
  LearnOptions options;
  options.n_atoms = 16;
  options.tau = 0.5;
  options.solver = solver;
  options.dtype = dtype;
  options.eta = eta;
  options.n_threads = 1;
  options.max_iterations = solver == Solver::kFast ? 25 : 10;
  return options;
}

using Change = std::function<void(Case&)>;

Case make_case(const std::string& name, Solver solver, DType dtype, const SamplesSize& size,
               const Change& change = {}) {
  Case result{name, make_samples(size), options_of(solver, dtype), {}, false};
  if (change) change(result);
  return result;
}

void find_tau(Case& c) {
  c.options.tau.reset();
  c.options.penalty = Penalty::kL1;
  c.options.nonzeros = 2.5;
}
void replace_atoms(Case& c) {
  c.options.n_atoms = 30;
  c.options.tau = 1.5;
  c.options.replace_below = c.samples.rows() / 12;
}
void without_coding(Case& c) {
  c.options.eta = 0;
}
void resume(Case& c) {
  c.resumed = true;
}

std::vector<Case> plain_cases() {
  constexpr Solver kFast = Solver::kFast;
  constexpr Solver kFista = Solver::kFista;
  constexpr DType k32 = DType::kFloat32;
  constexpr DType k64 = DType::kFloat64;
  const SamplesSize few;
  return {
      make_case("fast-32", kFast, k32, few),
      make_case("fast-64", kFast, k64, few),
      make_case("fista-32", kFista, k32, few),
      make_case("fista-64", kFista, k64, few),
      make_case("fast-32-eta-0", kFast, k32, few, without_coding),
      make_case("fast-64-eta-0", kFast, k64, few, without_coding),
      make_case("fista-32-eta-0", kFista, k32, few, without_coding),
      make_case("fista-64-eta-0", kFista, k64, few, without_coding),
      make_case("fast-32-warm-up", kFast, k32, kMany),
      make_case("fast-64-warm-up-eta-0", kFast, k64, kMany, without_coding),
      make_case("fast-32-find-tau", kFast, k32, few, find_tau),
      make_case("fast-64-warm-up-find-tau", kFast, k64, kMany, find_tau),
      make_case("fista-32-find-tau", kFista, k32, few, find_tau),
      make_case("fast-32-replaced", kFast, k32, few, replace_atoms),
      make_case("fast-64-warm-up-replaced", kFast, k64, kMany, replace_atoms),
      make_case("fista-32-resumed", kFista, k32, few, resume),
      make_case("fast-64-warm-up-resumed", kFast, k64, kMany, resume),
  };
}

std::vector<Case> special_cases() {
  constexpr DType k32 = DType::kFloat32;
  constexpr DType k64 = DType::kFloat64;
  const SamplesSize few;
  return {
      make_case("fast-32-warm-up-positive-codes", Solver::kFast, k32, kMany,
                [](Case& c) {
                  c.samples = make_samples(kMany, true);
                  c.options.positive_codes = true;
                }),
      make_case("fast-64-positive-dictionary", Solver::kFast, k64, few,
                [&](Case& c) {
                  c.samples = make_samples(few, true);
                  c.options.positive_dictionary = true;
                }),
      make_case("fista-64-positive", Solver::kFista, k64, few,
                [&](Case& c) {
                  c.samples = make_samples(few, true);
                  c.options.positive_codes = c.options.positive_dictionary = true;
                }),
      make_case("fast-32-warm-up-given-start", Solver::kFast, k32, kMany,
                [](Case& c) { c.options.initial_dictionary = c.options.initial_dual = given_dictionary(16, 12); }),
      make_case("fast-32-kept-dictionary", Solver::kFast, k32, kMany,
                [](Case& c) {
                  c.options.initial_dictionary = given_dictionary(16, 12);
                  c.options.keep_dictionary = true;
                }),
      make_case("fast-64-warm-up-mu-find-tau-resumed", Solver::kFast, k64, kMany,
                [](Case& c) {
                  find_tau(c);
                  c.options.mu = 0.05;
                  c.resumed = true;
                }),
      make_case("fast-32-accurate", Solver::kFast, k32, kMany, [](Case& c) { c.options.accurate_steps = true; }),
      make_case("fast-32-warm-up-centered-3-threads", Solver::kFast, k32, {2600, 20, 30},
                [](Case& c) {
                  c.options.n_atoms = 40;
                  c.options.n_threads = 3;
                  c.preprocess.center_features = true;
                }),
      make_case("fast-64-unit-norm-mu", Solver::kFast, k64, {700, 8, 20},
                [](Case& c) {
                  c.options.n_atoms = 24;
                  c.options.tau = 0.2;
                  c.options.mu = 0.02;
                  c.preprocess.unit_norm = c.preprocess.center_samples = true;
                }),
  };
}

// FNV-1a.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

struct Golden {
  std::uint64_t learned = 0;   // D, C and the preprocessing, tau, the number of iterations
  std::uint64_t encoders = 0;  // tensors encoder.* and decoder*
  bool operator==(const Golden&) const = default;
};

// Of the tensors of the model file, name by name.
Golden golden_of(const LearnResult& result) {
  const std::string file = result.model.to_bytes();
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, file.data(), sizeof header_size);
  const auto header = nlohmann::json::parse(std::string_view(file).substr(8, header_size));
  const std::string_view data = std::string_view(file).substr(8 + header_size);
  Hash learned;
  Hash encoders;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || name.starts_with("encoder.greedy.")) continue;  // younger than the hashes
    Hash& hash = name.starts_with("encoder") || name.starts_with("decoder") ? encoders : learned;
    const auto& place = tensor.at("data_offsets");
    hash.add(name + tensor.at("dtype").dump() + tensor.at("shape").dump());
    hash.add(data.substr(place[0], place[1].get<std::size_t>() - place[0].get<std::size_t>()));
  }
  const double tau = result.summary.tau;
  const std::uint64_t n_iterations = result.summary.n_iterations;
  learned.add({reinterpret_cast<const char*>(&tau), sizeof tau});
  learned.add({reinterpret_cast<const char*>(&n_iterations), sizeof n_iterations});
  return {learned.value(), encoders.value()};
}

LearnResult run(const Case& c, LearnContext context = {}) {
  context.preprocess = c.preprocess;
  return learn(*make_source(c.samples.view()), c.options, context);
}

// Killed after its third iteration, and resumed.
LearnResult run_resumed(const Case& c) {
  const TemporaryFolder folder;
  LearnContext context;
  context.checkpoint = {folder.path("fit.ckpt"), 0, true};
  context.hooks.on_iteration = [](const IterationRecord& record) -> Action {
    if (record.iteration == 3) throw Killed{};
    return Action::kContinue;
  };
  EXPECT_THROW(run(c, context), Killed) << c.name;
  context.hooks = {};
  return run(c, context);
}

std::string row_of(const std::string& name, const Golden& golden) {
  char hashes[64];
  std::snprintf(hashes, sizeof hashes, "{0x%016llxu, 0x%016llxu}", static_cast<unsigned long long>(golden.learned),
                static_cast<unsigned long long>(golden.encoders));
  return "{\"" + name + "\", " + hashes + "},";
}

std::string facts_of(const LearnSummary& summary) {
  char facts[200];
  std::snprintf(facts, sizeof facts, "%zu iterations, %s, tau %.17g, %.3f nonzeros, %zu replaced, %zu dead",
                summary.n_iterations, std::string(outcome_name(summary.outcome)).c_str(), summary.tau,
                summary.nonzeros_per_code, summary.replaced_atoms, summary.dead_atoms.value_or(0));
  return facts;
}

const std::map<std::string, Golden>& golden_table() {
  static const std::map<std::string, Golden> table = {
      {"fast-32", {0x294334feca564a29u, 0x3869ed5a55ef4061u}},
      {"fast-64", {0xce0e3ba7c0ef1744u, 0xbbb0d603bb2e44fdu}},
      {"fista-32", {0x4acf6d4df68dcaadu, 0xa16fbf2dbe7bc440u}},
      {"fista-64", {0xdc000e549c1f267fu, 0xb9de1bdc033aacd3u}},
      {"fast-32-eta-0", {0xb62dd595b6f0bfceu, 0x8ed8a46f0fa058a3u}},
      {"fast-64-eta-0", {0xab56af99705bac06u, 0x36c0bd1f208a6218u}},
      {"fista-32-eta-0", {0xde63cfb2330171ddu, 0xe0ba7ae8c654eb8du}},
      {"fista-64-eta-0", {0x607751a717835187u, 0xaa7e9e17087807d7u}},
      {"fast-32-warm-up", {0xf8a1f24339d573c7u, 0x5041bf127ca22037u}},
      {"fast-64-warm-up-eta-0", {0x75edd592c5f989d6u, 0x06bf45b8efd1b042u}},
      {"fast-32-find-tau", {0x90d6bf4f5f630d27u, 0xd999a3fd79f90a98u}},
      {"fast-64-warm-up-find-tau", {0xae4e3189099c58bfu, 0xf1091eb4f10b4152u}},
      {"fista-32-find-tau", {0x81b122a31159763cu, 0x7ebf01f5b21e823bu}},
      {"fast-32-replaced", {0xe8b0f6d373014a31u, 0xc85c32d49833724bu}},
      {"fast-64-warm-up-replaced", {0x67078ac4807b6472u, 0x90a63e442cb59b63u}},
      {"fista-32-resumed", {0x4acf6d4df68dcaadu, 0xa16fbf2dbe7bc440u}},
      {"fast-64-warm-up-resumed", {0x28dde3f9e0923766u, 0x80a860e520bac081u}},
      {"fast-32-warm-up-positive-codes", {0x01e30a1d12ebf76au, 0xa6dac21d3547531bu}},
      {"fast-64-positive-dictionary", {0xac5c5117a5a7cbdeu, 0x90faf138ea5dc1fau}},
      {"fista-64-positive", {0x7a3f051e12521104u, 0xa75bc135478a0ec8u}},
      {"fast-32-warm-up-given-start", {0xba37aa292cc44df8u, 0x65f45b353b25fe74u}},
      {"fast-32-kept-dictionary", {0xff1c777a0d907f97u, 0xdf915ac1757c936bu}},
      {"fast-64-warm-up-mu-find-tau-resumed", {0x3a3419c750e6bc16u, 0xbf8f598b69ecda79u}},
      {"fast-32-accurate", {0x5d53d53bfd417cb1u, 0xf29069e3e99eef65u}},
      {"fast-32-warm-up-centered-3-threads", {0x7d7740bf1b1a3580u, 0x58d65273b498d9a1u}},
      {"fast-64-unit-norm-mu", {0xec13ba63da7a75c5u, 0x6e975323ea631f82u}},
  };
  return table;
}

TEST(GoldenFit, FitsInMemoryKeepTheirBits) {
  const bool print = std::getenv("DUALDICT_PRINT_GOLDEN") != nullptr;
  const char* kernels = std::getenv("DUALDICT_KERNELS");
  if (!print && (kernels == nullptr || std::string_view(kernels) != "scalar"))
    GTEST_SKIP() << "the table holds for DUALDICT_KERNELS=scalar only";
  auto cases = plain_cases();
  for (Case& c : special_cases()) cases.push_back(std::move(c));
  if (!print) {
    EXPECT_EQ(golden_table().size(), cases.size());
  }
  for (const Case& c : cases) {
    const LearnResult result = run(c);
    const Golden golden = golden_of(result);
    if (c.resumed) {
      EXPECT_EQ(golden_of(run_resumed(c)), golden) << c.name << ": resumed is not the same";
    }
    if (print) {
      std::printf("golden %s  // %s\n", row_of(c.name, golden).c_str(), facts_of(result.summary).c_str());
      continue;
    }
    const auto wanted = golden_table().find(c.name);
    ASSERT_NE(wanted, golden_table().end()) << c.name;
    EXPECT_EQ(golden.learned, wanted->second.learned) << row_of(c.name, golden) << " " << facts_of(result.summary);
    EXPECT_EQ(golden.encoders, wanted->second.encoders) << row_of(c.name, golden);
  }
}

}  // namespace
}  // namespace dualdict
