// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/random.h"
#include "dualdict/error.h"
#include "dualdict/images.h"

namespace dualdict {
namespace {

Image random_image(std::size_t height, std::size_t width, std::size_t channels, std::uint64_t seed) {
  Image image{.pixels = Matrix<float>(height, width * channels), .channels = channels};
  Random random(seed);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels.data()[i] = static_cast<float>(255 * random.uniform());
  return image;
}

TEST(PatchGrid, CutsEveryPatchOfEveryImageInOrder) {
  for (const std::size_t channels : {1U, 3U}) {
    const std::vector<Image> images = {random_image(7, 9, channels, 1), random_image(5, 4, channels, 2)};
    const PatchGrid grid(images, {3, 4, 1});
    ASSERT_EQ(grid.n_samples(), 5U * 6U + 3U * 1U);
    ASSERT_EQ(grid.n_features(), 12U * channels);
    Matrix<float> patches(grid.n_samples(), grid.n_features());
    grid.read(0, patches.view());
    std::size_t sample = 0;
    for (std::size_t image = 0; image < 2; ++image)
      for (std::size_t y = 0; y + 3 <= images[image].height(); ++y)
        for (std::size_t x = 0; x + 4 <= images[image].width(); ++x, ++sample) {
          ASSERT_EQ(grid.position(sample), (PatchPosition{image, y, x}));
          for (std::size_t f = 0; f < grid.n_features(); ++f)
            ASSERT_EQ(patches(sample, f),
                      images[image].pixels(y + f / (4 * channels), x * channels + f % (4 * channels)));
        }
  }
}

TEST(PatchGrid, AnyStrideReachesTheEdges) {
  for (const std::size_t stride : {1U, 2U, 3U, 5U, 50U}) {
    const PatchPlaces places(11, 13, {4, 3, stride});
    std::set<std::pair<std::size_t, std::size_t>> covered;
    std::set<std::size_t> rows, columns;
    for (std::size_t i = 0; i < places.count(); ++i) {
      const PatchPosition at = places[i];
      rows.insert(at.y);
      columns.insert(at.x);
      for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 3; ++x) covered.insert({at.y + y, at.x + x});
    }
    EXPECT_EQ(rows.size(), places.rows());
    EXPECT_EQ(columns.size(), places.columns());
    EXPECT_TRUE(rows.contains(0) && rows.contains(7) && columns.contains(0) && columns.contains(10)) << stride;
    if (stride <= 3) {
      EXPECT_EQ(covered.size(), 11U * 13U);
    }
  }
  EXPECT_THROW(PatchPlaces(3, 9, {4, 3, 1}), Error);
  EXPECT_THROW(PatchPlaces(9, 9, {4, 3, 0}), Error);
}

TEST(PatchGrid, RemovedMeansAndThePatchesMakeTheImageAgain) {
  const Image image = random_image(20, 17, 3, 3);
  const PatchSize size{5, 6, 4};
  const PatchGrid grid({image}, size, true);
  PatchSum sum(20, 17, 3);
  Matrix<float> patch(1, grid.n_features());
  for (std::size_t i = 0; i < grid.n_samples(); ++i) {
    grid.read(i, patch.view());
    double total = 0;
    for (std::size_t f = 0; f < patch.cols(); ++f) total += patch(0, f);
    EXPECT_NEAR(total / static_cast<double>(patch.cols()), 0, 1e-4);
    for (std::size_t f = 0; f < patch.cols(); ++f) patch(0, f) += static_cast<float>(grid.mean(i));
    sum.add(patch.data(), grid.position(i), size, 0.5F + static_cast<float>(i % 3));
  }
  const Image again = sum.average(image);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    EXPECT_NEAR(again.pixels.data()[i], image.pixels.data()[i], 1e-3);
}

TEST(PatchSum, AveragesByWeightAndLeavesTheRest) {
  Image rest{.pixels = Matrix<float>(1, 4)};
  std::fill_n(rest.pixels.data(), 4, 9.0F);
  PatchSum sum(1, 4, 1);
  const float low[] = {1, 1}, high[] = {5, 5};
  sum.add(low, {0, 0, 0}, {1, 2, 1}, 3);
  sum.add(high, {0, 0, 1}, {1, 2, 1}, 1);
  const Image image = sum.average(rest);
  const float expected[] = {1, 2, 5, 9};
  for (std::size_t x = 0; x < 4; ++x) EXPECT_EQ(image.pixels(0, x), expected[x]);
}

TEST(PatchGrid, RefusesImagesThatDoNotFit) {
  EXPECT_THROW(PatchGrid({}, {2, 2, 1}), Error);
  EXPECT_THROW(PatchGrid({random_image(4, 4, 1, 1), random_image(4, 4, 3, 1)}, {2, 2, 1}), Error);
  EXPECT_THROW(PatchGrid({random_image(4, 4, 1, 1)}, {5, 2, 1}), Error);
}

}  // namespace
}  // namespace dualdict
