// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dualdict {
namespace {

constexpr double kMostChapterBytes = 64.0 * 1024 * 1024;
constexpr std::size_t kMostChapters = 32;

// The sums of codes: now <- old_share old + new_share now.
void blend(double old_share, const Moments& old, double new_share, Moments& now) {
  const auto mix = [=](double before, double& value) { value = old_share * before + new_share * value; };
  for (std::size_t i = 0; i < now.uu.size(); ++i) mix(old.uu.data()[i], now.uu.data()[i]);
  for (std::size_t i = 0; i < now.ux.size(); ++i) mix(old.ux.data()[i], now.ux.data()[i]);
  mix(old.sum_abs_codes, now.sum_abs_codes);
}

// total <- total + factor part
void add_scaled(double factor, const Matrix<double>& part, Matrix<double>& total) {
  if (total.rows() != part.rows() || total.cols() != part.cols()) total = Matrix<double>(part.rows(), part.cols());
  for (std::size_t i = 0; i < part.size(); ++i) total.data()[i] += factor * part.data()[i];
}

template <class Part, class Total>
void add_codes(double factor, const Part& part, Total& total) {
  add_scaled(factor, part.uu, total.uu);
  add_scaled(factor, part.ux, total.ux);
  total.sum_abs_codes += factor * part.sum_abs_codes;
}

// The sums of codes go to `before`, and those of the pass may take their place.
void put_aside(Moments& moments, Moments& before) {
  std::swap(moments.uu, before.uu);
  std::swap(moments.ux, before.ux);
  std::swap(moments.sum_abs_codes, before.sum_abs_codes);
  for (auto [sums, like] : {std::pair{&moments.uu, &before.uu}, {&moments.ux, &before.ux}})
    if (sums->rows() != like->rows()) *sums = Matrix<double>(like->rows(), like->cols());
}

// What brings |X|^2 of a step to that of the moments.
double scale_to_all(const FitState& state, const PassReport& pass) {
  const double squared = pass.codes.squared_samples;
  return squared > 0 ? state.moments.squared_samples / squared : 1.0;
}

double share_of_old(const FitState& state, const PassReport& pass) {
  const double nonzeros = static_cast<double>(pass.codes.nonzeros) / static_cast<double>(pass.n_samples);
  const Objective& objective = state.objective;
  // Codes that are not shrunk need not reach as far back as rare atoms would have it.
  if (objective.penalty == Penalty::kL0) return fading(state.fading.n_seen, pass.n_samples, {});
  return fading(state.fading.n_seen, pass.n_samples, {nonzeros / objective.k(), nonzeros / objective.d()});
}

void end_chapter(Chapters& chapters) {
  if (chapters.at < chapters.done.size())
    chapters.done[chapters.at] = std::move(chapters.now);
  else
    chapters.done.push_back(std::move(chapters.now));
  chapters.now = Chapter{};
  ++chapters.at;
  chapters.left = 1;
}

}  // namespace

double fading(std::size_t n_seen, std::size_t n, const CodeDensity& density) {
  constexpr double kUses = 120;
  constexpr double kSlowest = 4;
  constexpr double kSoftest = 0.2;
  const double before = static_cast<double>(n_seen);
  const double power = kUses * density.of_atoms / std::max(kSoftest, 1 - density.of_features);
  return std::pow(before / (before + static_cast<double>(n)), std::max(power, kSlowest));
}

void FadingSums::begin(FitState& state) {
  put_aside(state.moments, before_);
}

double FadingSums::scale(const FitState& state, const PassReport& pass) const {
  return scale_to_all(state, pass);
}

void FadingSums::join(FitState& state, const PassReport& pass) {
  FadingPosition& fade = state.fading;
  const double kept = share_of_old(state, pass) * fade.weight;
  fade.weight = kept + static_cast<double>(pass.n_samples);
  blend(kept / fade.weight, before_, static_cast<double>(n_all_) / fade.weight, state.moments);
}

void StreamSums::begin(FitState& state) {
  put_aside(state.moments, before_);
  if (state.fading.weight > 0) return;
  state.moments.squared_samples = first_squared_;
  state.moments.xx = xx_;
}

double StreamSums::scale(const FitState& state, const PassReport& pass) const {
  return scale_to_all(state, pass);
}

void StreamSums::join(FitState& state, const PassReport& pass) {
  Moments& moments = state.moments;
  Chapters& chapters = state.stream.chapters;
  if (chapters.length > 0) {
    add_codes(1, moments, chapters.now);
    chapters.now.n += pass.n_samples;
    add_scaled(1, xx_, chapters.xx);
    chapters.squared_samples += pass.codes.squared_samples;
    if (chapters.now.n >= chapters.length) end_chapter(chapters);
  }
  const double share = share_of_old(state, pass);
  state.fading.weight = share * state.fading.weight + static_cast<double>(pass.n_samples);
  blend(share, before_, 1, moments);
  moments.squared_samples = share * moments.squared_samples + pass.codes.squared_samples;
  for (std::size_t i = 0; i < xx_.size(); ++i) moments.xx.data()[i] = share * moments.xx.data()[i] + xx_.data()[i];
}

void ChapterSums::begin(FitState& state) {
  put_aside(state.moments, before_);
}

double ChapterSums::scale(const FitState& state, const PassReport& pass) const {
  return scale_to_all(state, pass);
}

void ChapterSums::join(FitState& state, const PassReport& pass) {
  Chapters& chapters = state.stream.chapters;
  const Chapter& old = chapters.done[std::min(chapters.at, chapters.done.size() - 1)];
  // The last step of a chapter takes out what is left of it, so that nothing of it stays.
  const bool ends = chapters.now.n + pass.n_samples >= old.n;
  const double share = static_cast<double>(pass.n_samples) / static_cast<double>(old.n);
  const double out = ends ? chapters.left : std::min(chapters.left, share);
  add_codes(1, state.moments, chapters.now);
  chapters.now.n += pass.n_samples;
  add_codes(1, before_, state.moments);
  add_codes(-out, old, state.moments);
  chapters.left -= out;
  if (ends) end_chapter(chapters);
}

void plan_chapters(std::size_t n_samples, std::size_t n_features, std::size_t n_atoms, Chapters& chapters) {
  const double bytes = 8.0 * static_cast<double>(n_atoms) * static_cast<double>(n_atoms + n_features);
  const auto count = std::clamp(static_cast<std::size_t>(kMostChapterBytes / bytes), std::size_t{2}, kMostChapters);
  chapters.length = std::max<std::size_t>(1, (n_samples + count - 1) / count);
}

void begin_chapters(Chapters& chapters, Moments& total) {
  if (chapters.now.n > 0) end_chapter(chapters);
  chapters.at = 0;
  chapters.left = 1;
  for (Matrix<double>* sums : {&total.uu, &total.ux}) std::fill_n(sums->data(), sums->size(), 0.0);
  total.sum_abs_codes = 0;
  for (const Chapter& chapter : chapters.done) add_codes(1, chapter, total);
  total.xx = chapters.xx;
  total.squared_samples = chapters.squared_samples;
}

}  // namespace dualdict
