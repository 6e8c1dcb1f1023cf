// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "dualdict/error.h"
#include "model/modes/mode.h"

namespace dualdict {
namespace {

// A block of samples is coded whole before a signal is heard.
constexpr std::size_t kMaxNumber = 1000;

constexpr std::array kModes = {linear_mode, sparse_mode, corrected_mode, refine_mode, exact_mode,
                               hard_mode,   topk_mode,   greedy_mode,    omp_mode};

template <class T>
class DebiasedEncoder final : public BlockEncoder<T> {
 public:
  DebiasedEncoder(const ModelParts& parts, std::unique_ptr<BlockEncoder<T>> first)
      : first_(std::move(first)), debias_(parts.dictionary, parts.positive_codes) {}
  void encode(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> u) const override {
    first_->encode(x, work, u);
    for (std::size_t i = 0; i < x.rows; ++i) debias_.apply(x.row(i), u.row(i), work.debias);
  }

 private:
  std::unique_ptr<BlockEncoder<T>> first_;
  Debias debias_;
};

[[noreturn]] void refuse(std::string_view text, const std::string& rule) {
  throw Error(ErrorKind::kUsage, "mode " + std::string(text) + ": " + rule);
}

std::string example(const ModeInfo& info) {
  return std::string(info.name) + ":" + std::to_string(info.usual_number);
}

}  // namespace

std::span<const Mode* const> all_modes() {
  static const std::vector<const Mode*> modes = [] {
    std::vector<const Mode*> list;
    for (const auto make : kModes) list.push_back(&make());
    return list;
  }();
  return modes;
}

std::span<const ModeInfo> mode_table() {
  static const std::vector<ModeInfo> table = [] {
    std::vector<ModeInfo> rows;
    for (const Mode* mode : all_modes()) rows.push_back(mode->info);
    return rows;
  }();
  return table;
}

const Mode& mode_of(const ModeInfo& info) {
  for (const Mode* mode : all_modes())
    if (mode->info.name == info.name) return *mode;
  throw Error(ErrorKind::kUsage, "mode " + std::string(info.name) + ": is not in the table of modes");
}

std::string mode_form(const ModeInfo& info) {
  return std::string(info.name) + (info.number.empty() ? "" : ":k");
}

std::string mode_forms() {
  std::string forms;
  const std::span<const ModeInfo> table = mode_table();
  for (const ModeInfo& info : table)
    forms += (&info == &table.front() ? "" : &info == &table.back() ? " or " : ", ") + mode_form(info);
  return forms;
}

ModeChoice parse_mode(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const ModeInfo& info : mode_table()) {
    if (info.name != name) continue;
    if (info.number.empty() && colon == std::string_view::npos) return {&info, 0};
    if (info.number.empty()) refuse(text, "takes no number; write " + std::string(info.name));
    std::size_t number = 0;
    const char* end = text.data() + text.size();
    const char* begin = colon == std::string_view::npos ? end : text.data() + colon + 1;
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && stop == end && number >= 1 && number <= kMaxNumber) return {&info, number};
    refuse(text, "after " + std::string(info.name) + ": comes the number of " + std::string(info.number) +
                     ", an integer from 1 to " + std::to_string(kMaxNumber) + ", as in " + example(info));
  }
  refuse(text, "must be one of " + mode_forms());
}

Objective objective_of(const ModelParts& parts, const ModeSettings& settings) {
  return {.n_features = parts.dictionary.cols(),
          .n_atoms = parts.dictionary.rows(),
          .tau = settings.tau,
          .eta = settings.eta,
          .mu = parts.mu,
          .positive_codes = parts.positive_codes};
}

template <class T>
std::unique_ptr<BlockEncoder<T>> make_block_encoder(const ModelParts& parts, const ModeSettings& settings) {
  const Mode& mode = *settings.mode;
  for (const std::string_view needed : mode.needs)
    if (parts.find_encoder(needed) == nullptr)
      throw Error(ErrorKind::kInput, "mode " + std::string(mode.info.name) +
                                         ": the model has no fitted encoder for it; use mode linear or exact");
  std::unique_ptr<BlockEncoder<T>> encoder;
  if constexpr (sizeof(T) == sizeof(float))
    encoder = mode.make_float(parts, settings);
  else
    encoder = mode.make_double(parts, settings);
  if (settings.debias) encoder = std::make_unique<DebiasedEncoder<T>>(parts, std::move(encoder));
  return encoder;
}

template std::unique_ptr<BlockEncoder<float>> make_block_encoder<float>(const ModelParts&, const ModeSettings&);
template std::unique_ptr<BlockEncoder<double>> make_block_encoder<double>(const ModelParts&, const ModeSettings&);

}  // namespace dualdict
