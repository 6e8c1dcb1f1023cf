// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "dualdict/data.h"
#include "dualdict/error.h"

namespace dualdict {
namespace {

constexpr std::size_t kMaxSize = 16384;  // 2^28 pixels, as for images that are read
constexpr double kSmallestRadius = 2.0;
// A pixel is covered when less light than this would come through: less than half a grey value.
constexpr double kOpaque = 1.0 / 512.0;

struct Disc {
  double y;
  double x;
  double radius;
  double grey;
};

// One image, painted from the front to the back: a disc shows only where the ones before it left light through, so that
// painting can end as soon as every pixel is covered.
class DeadLeaves {
 public:
  DeadLeaves(std::size_t size, Random random)
      : size_(size),
        largest_radius_(std::max(static_cast<double>(size) / 4.0, 2.0 * kSmallestRadius)),
        random_(random),
        light_(size, size),
        grey_(size, size),
        n_open_(size * size) {
    std::fill(light_.data(), light_.data() + light_.size(), 1.0F);
  }

  Matrix<float> paint() {
    for (std::size_t n = max_discs(); n > 0 && n_open_ > 0; --n) paint_disc(draw_disc());
    // What a disc at the edge of a pixel left open has the grey of the rest of that pixel.
    for (std::size_t i = 0; i < grey_.size(); ++i) {
      const float covered = 1.0F - light_.data()[i];
      grey_.data()[i] = covered > 0.0F ? std::clamp(grey_.data()[i] / covered, 0.0F, 255.0F) : 127.5F;
    }
    return std::move(grey_);
  }

 private:
  double side() const { return static_cast<double>(size_) + 2 * largest_radius_; }

  // Density r^-3 between the smallest and the largest radius: then r^-2 is uniform.
  Disc draw_disc() {
    const double a = 1.0 / (largest_radius_ * largest_radius_);
    const double b = 1.0 / (kSmallestRadius * kSmallestRadius);
    Disc disc{};
    disc.y = random_.uniform() * side() - largest_radius_;
    disc.x = random_.uniform() * side() - largest_radius_;
    disc.radius = 1.0 / std::sqrt(a + random_.uniform() * (b - a));
    disc.grey = 255.0 * random_.uniform();
    return disc;
  }

  // A disc covers a given pixel with probability p = E[pi r^2] / side^2, and n discs leave it open with e^(-p n). With
  // p n = 50 fewer than e^-30 of 2^28 pixels are expected to stay open.
  std::size_t max_discs() const {
    const double a = 1.0 / (largest_radius_ * largest_radius_);
    const double b = 1.0 / (kSmallestRadius * kSmallestRadius);
    const double mean_square = 2.0 * std::log(largest_radius_ / kSmallestRadius) / (b - a);
    return static_cast<std::size_t>(50.0 * side() * side() / (3.14 * mean_square)) + 1;
  }

  std::size_t clamp_index(double value) const {
    return static_cast<std::size_t>(std::clamp(value, 0.0, static_cast<double>(size_)));
  }

  void paint_disc(const Disc& disc) {
    const double reach = disc.radius + 1.0;
    const std::size_t y_end = clamp_index(std::ceil(disc.y + reach));
    const std::size_t x_begin = clamp_index(std::floor(disc.x - reach));
    const std::size_t x_end = clamp_index(std::ceil(disc.x + reach));
    for (std::size_t y = clamp_index(std::floor(disc.y - reach)); y < y_end; ++y)
      for (std::size_t x = x_begin; x < x_end; ++x) {
        if (light_(y, x) <= kOpaque) continue;
        const double dy = static_cast<double>(y) - disc.y;
        const double dx = static_cast<double>(x) - disc.x;
        // The part of the pixel inside the disc, the edge taken as straight and one pixel wide.
        const double inside = std::clamp(disc.radius - std::sqrt(dy * dy + dx * dx) + 0.5, 0.0, 1.0);
        grey_(y, x) += static_cast<float>(light_(y, x) * inside * disc.grey);
        light_(y, x) *= static_cast<float>(1.0 - inside);
        if (light_(y, x) <= kOpaque) --n_open_;
      }
  }

  std::size_t size_;
  double largest_radius_;
  Random random_;
  Matrix<float> light_;
  Matrix<float> grey_;
  std::size_t n_open_;
};

}  // namespace

std::vector<Matrix<float>> generate_dead_leaves(std::size_t n_images, std::size_t size, std::uint64_t seed) {
  if (size == 0 || size > kMaxSize)
    throw Error(ErrorKind::kUsage, "dead-leaves images of size " + std::to_string(size) +
                                       " were asked for; the size must be 1 to " + std::to_string(kMaxSize));
  std::vector<Matrix<float>> images;
  for (std::size_t i = 0; i < n_images; ++i) images.push_back(DeadLeaves(size, Random(seed, i)).paint());
  return images;
}

}  // namespace dualdict
