// SPDX-License-Identifier: BSD-3-Clause
#include "learn/stream_sums.h"

#include <algorithm>
#include <utility>

namespace dualdict {
namespace {

constexpr double kMostBytes = 64.0 * 1024 * 1024;
constexpr std::size_t kMostChapters = 32;

void add_scaled(double factor, const Matrix<double>& part, Matrix<double>& total) {
  if (total.empty()) total = Matrix<double>(part.rows(), part.cols());
  for (std::size_t i = 0; i < part.size(); ++i) total.data()[i] += factor * part.data()[i];
}

std::size_t chapter_length(std::size_t n_samples, std::size_t n_features, std::size_t n_atoms) {
  const double bytes = 8.0 * static_cast<double>(n_atoms) * static_cast<double>(n_atoms + n_features);
  const auto n_chapters = std::clamp(static_cast<std::size_t>(kMostBytes / bytes), std::size_t{2}, kMostChapters);
  return (n_samples + n_chapters - 1) / n_chapters;
}

}  // namespace

StreamSums::StreamSums(std::size_t n_samples, std::size_t n_features, std::size_t n_atoms)
    : length_(std::max<std::size_t>(1, chapter_length(n_samples, n_features, n_atoms))) {}

void StreamSums::add(double factor, const Chapter& chapter, Moments& total) {
  add_scaled(factor, chapter.uu, total.uu);
  add_scaled(factor, chapter.ux, total.ux);
  total.sum_abs_codes += factor * chapter.sum_abs_codes;
}

void StreamSums::add_to_new(const Moments& piece, std::size_t n) {
  add_scaled(1, piece.uu, now_.uu);
  add_scaled(1, piece.ux, now_.ux);
  now_.sum_abs_codes += piece.sum_abs_codes;
  now_.n += n;
}

void StreamSums::turn_page() {
  if (at_ < chapters_.size())
    chapters_[at_] = std::move(now_);
  else
    chapters_.push_back(std::move(now_));
  now_ = Chapter{};
  ++at_;
  left_ = 1;
}

void StreamSums::begin_pass(Moments& total) {
  if (now_.n > 0) turn_page();
  at_ = 0;
  left_ = 1;
  total.uu = Matrix<double>();
  total.ux = Matrix<double>();
  total.sum_abs_codes = 0;
  for (const Chapter& chapter : chapters_) add(1, chapter, total);
  total.xx = xx_;
  total.squared_samples = squared_samples_;
}

void StreamSums::add_new(const Moments& piece, std::size_t n) {
  add_to_new(piece, n);
  add_scaled(1, piece.xx, xx_);
  squared_samples_ += piece.squared_samples;
  if (now_.n >= length_) turn_page();
}

void StreamSums::replace(const Moments& piece, std::size_t n, Moments& total) {
  const Chapter& old = chapters_[std::min(at_, chapters_.size() - 1)];
  // The last piece of a chapter takes out what is left of it, so that nothing of it stays.
  const bool ends = now_.n + n >= old.n;
  const double share = ends ? left_ : std::min(left_, static_cast<double>(n) / static_cast<double>(old.n));
  add(-share, old, total);
  left_ -= share;
  add_scaled(1, piece.uu, total.uu);
  add_scaled(1, piece.ux, total.ux);
  total.sum_abs_codes += piece.sum_abs_codes;
  add_to_new(piece, n);
  if (ends) turn_page();
}

}  // namespace dualdict
