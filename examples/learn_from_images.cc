// SPDX-License-Identifier: BSD-3-Clause
// Learn from patches of pictures and draw the atoms with their filters: learn_from_images [MOSAIC.png]
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "dualdict/dualdict.h"

namespace {

constexpr std::size_t kSide = 8;

// Cuts n patches at random places, one per row. dualdict::open_data does the same for image files.
dualdict::Matrix<float> cut_patches(const std::vector<dualdict::Matrix<float>>& images, std::size_t n) {
  std::mt19937 random(1);
  dualdict::Matrix<float> patches(n, kSide * kSide);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& image = images[i % images.size()];
    const std::size_t top = std::uniform_int_distribution<std::size_t>(0, image.rows() - kSide)(random);
    const std::size_t left = std::uniform_int_distribution<std::size_t>(0, image.cols() - kSide)(random);
    for (std::size_t y = 0; y < kSide; ++y)
      for (std::size_t x = 0; x < kSide; ++x) patches(i, y * kSide + x) = image(top + y, left + x);
  }
  return patches;
}

}  // namespace

int main(int argc, char** argv) try {
  const char* path = argc > 1 ? argv[1] : "leaves.png";
  const auto images = dualdict::generate_dead_leaves(4, 128, 1);
  const auto source = dualdict::make_source(cut_patches(images, 5000), {kSide, kSide});

  dualdict::LearnOptions options;
  options.n_atoms = 64;
  options.nonzeros = 8;
  dualdict::LearnContext context;
  context.preprocess.scale = 125;
  context.preprocess.center_samples = true;
  context.hooks.on_iteration = [](const dualdict::IterationRecord& record) {
    std::printf("%3zu  E = %.6g  %.1f nonzeros per code\n", record.iteration, record.energy.total(),
                record.nonzeros_per_code);
    return dualdict::Action::kContinue;
  };
  const auto [model, summary] = dualdict::learn(*source, options, context);
  std::puts(summary.message.c_str());

  dualdict::write_grey_png(path, dualdict::draw_mosaic(model));
  std::printf("atoms left, filters right: %s\n", path);
  return 0;
} catch (const dualdict::Error& error) {
  std::fprintf(stderr, "learn_from_images: %s\n", error.what());
  return 1;
}
