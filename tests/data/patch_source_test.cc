// SPDX-License-Identifier: BSD-3-Clause
#include "data/patch_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "dualdict/error.h"
#include "io/image_bytes.h"

namespace dualdict {
namespace {

// Every pixel tells its image and position: 1000 image + 30 y + x.
Matrix<float> numbered(std::size_t image, std::size_t height, std::size_t width) {
  Matrix<float> values(height, width);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) values(y, x) = static_cast<float>(1000 * image + 30 * y + x);
  return values;
}

ImageSet three_images() {
  ImageSet set;
  set.images = {Image{numbered(0, 9, 12)}, Image{numbered(1, 5, 4)}, Image{numbered(2, 20, 30)}};
  return set;
}

PatchOptions patches(std::size_t height, std::size_t width, std::size_t n, std::uint64_t seed = 0) {
  return {.height = height, .width = width, .n_samples = n, .seed = seed};
}

std::string pgm(std::size_t width, std::size_t height, char value) {
  return "P5 " + std::to_string(width) + " " + std::to_string(height) + " 255\n" + std::string(width * height, value);
}

std::string message_of(const std::vector<std::string>& paths, const PatchOptions& options, ErrorKind kind) {
  try {
    open_patches(paths, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "was opened";
  return {};
}

TEST(PatchSource, CutsThePatchAtItsPosition) {
  const ImageSet set = three_images();
  const PatchSource source(set, patches(3, 4, 500), "test");
  EXPECT_EQ(source.n_features(), 12U);
  EXPECT_EQ(source.element_type(), ElementType::kFloat32);
  EXPECT_EQ(source.sample_shape(), (SampleShape{3, 4}));
  Matrix<float> samples(500, 12);
  source.read(0, samples.view());
  for (std::size_t i = 0; i < 500; ++i) {
    const PatchPosition at = source.position(i);
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 4; ++x)
        ASSERT_EQ(samples(i, y * 4 + x), set.images[at.image].pixels(at.y + y, at.x + x)) << "sample " << i;
  }
}

TEST(PatchSource, ReadsTheSameInAnyBlocksAndPrecision) {
  const PatchSource source(three_images(), patches(3, 4, 100), "test");
  Matrix<float> all(100, 12);
  source.read(0, all.view());
  Matrix<double> wide(40, 15);  // rows longer than a patch
  source.read(60, MatrixView<double>(wide.data(), 40, 12, 15));
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(wide(i, j), static_cast<double>(all(60 + i, j)));
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(wide(i, 12), 0.0) << "wrote beside the patch";
}

TEST(PatchSource, FirstSamplesStayWhenMoreAreAsked) {
  const PatchSource few(three_images(), patches(3, 4, 50, 7), "test");
  const PatchSource many(three_images(), patches(3, 4, 5000, 7), "test");
  const PatchSource other(three_images(), patches(3, 4, 50, 8), "test");
  std::size_t n_equal = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(few.position(i), many.position(i));
    n_equal += few.position(i) == other.position(i) ? 1 : 0;
  }
  EXPECT_LT(n_equal, 10U);
}

TEST(PatchSource, DrawsImagesAndPositionsUniformly) {
  constexpr std::size_t kDraws = 40000;
  const PatchSource source(three_images(), patches(5, 4, kDraws), "test");
  std::map<std::size_t, double> per_image;
  std::map<std::pair<std::size_t, std::size_t>, double> per_position;  // in image 0: 5 x 9 of them
  for (std::size_t i = 0; i < kDraws; ++i) {
    const PatchPosition at = source.position(i);
    ++per_image[at.image];
    if (at.image == 0) ++per_position[{at.y, at.x}];
  }
  ASSERT_EQ(per_image.size(), 3U);
  for (const auto& [image, count] : per_image)
    EXPECT_NEAR(count, kDraws / 3.0, 6 * std::sqrt(kDraws / 3.0)) << "image " << image;
  ASSERT_EQ(per_position.size(), 45U);
  for (const auto& [at, count] : per_position) EXPECT_NEAR(count, kDraws / 135.0, 6 * std::sqrt(kDraws / 135.0));
}

TEST(PatchSource, RefusesImagesThatAreTooSmall) {
  EXPECT_THROW(PatchSource(three_images(), patches(6, 6, 200), "test"), Error);
  EXPECT_THROW(PatchSource({}, patches(1, 1, 5), "test"), Error);
}

TEST(FindImages, WalksFoldersInTheOrderOfNames) {
  const TemporaryFolder folder;
  for (const char* name : {"b/2.pgm", "b/1.JPG", "a.png", "c.jpeg", "notes.txt", "b/deep/x.ppm", "b/README", "z.pnm"})
    folder.write(name, std::string("x"));
  const std::vector<std::string> expected{folder.path("notes.txt"), folder.path("a.png"),        folder.path("b/1.JPG"),
                                          folder.path("b/2.pgm"),   folder.path("b/deep/x.ppm"), folder.path("c.jpeg"),
                                          folder.path("z.pnm")};
  EXPECT_EQ(find_images({folder.path("notes.txt"), folder.path()}), expected);
}

TEST(OpenPatches, ReadsFilesAndFolders) {
  const TemporaryFolder folder;
  folder.write("images/a.pgm", pgm(8, 8, '\x10'));
  folder.write("images/b.pgm", pgm(8, 8, '\x20'));
  folder.write("images/notes.txt", std::string("not an image"));
  const std::string single = folder.write("single", pgm(8, 8, '\x30'));
  const auto source = open_patches({folder.path("images"), single}, patches(4, 4, 300));
  ASSERT_EQ(source->n_samples(), 300U);
  Matrix<float> samples(300, 16);
  source->read(0, samples.view());
  std::map<float, int> seen;
  for (std::size_t i = 0; i < 300; ++i) ++seen[samples(i, 0)];
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_GT(seen[16.0F], 50);
  EXPECT_GT(seen[32.0F], 50);
  EXPECT_GT(seen[48.0F], 50);
}

TEST(OpenPatches, NotesWhatAFolderHoldsThatIsNotUsed) {
  const TemporaryFolder folder;
  folder.write("images/a.pgm", pgm(8, 8, '\x10'));
  folder.write("images/b.pgm", pgm(3, 8, '\x20'));
  folder.write("images/c.png", std::string("no image"));
  folder.write("images/d.ppm", "P6 8 8 255\n" + std::string(3 * 64, '\x20'));
  const auto source = open_patches({folder.path("images")}, patches(4, 4, 9));
  EXPECT_EQ(source->sample_shape(), (SampleShape{4, 4, 1}));
  std::string notes;
  for (const std::string& note : source->notes()) notes += note + "\n";
  for (const char* part :
       {"2 images are used", "1 of them", "2 files skipped", "b.pgm: 8 x 3 pixels", "c.png: is not an image"})
    EXPECT_NE(notes.find(part), std::string::npos) << notes;
  EXPECT_EQ(notes.find("a.pgm"), std::string::npos) << notes;
}

TEST(OpenPatches, ColourIsKeptUnlessGreyIsAskedFor) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.ppm", "P6 1 1 255\n" + std::string("\x0a\x14\x1e"));
  PatchOptions options = patches(1, 1, 2);
  Matrix<float> colours(2, 3);
  open_patches({file}, options)->read(0, colours.view());
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(colours(1, c), 10.0F * static_cast<float>(c + 1));
  options.color = ImageColor::kGrey;
  const auto grey = open_patches({file}, options);
  EXPECT_EQ(grey->n_features(), 1U);
  Matrix<float> lumas(1, 1);
  grey->read(0, lumas.view());
  EXPECT_EQ(lumas(0, 0), static_cast<float>((299.0 * 10 + 587.0 * 20 + 114.0 * 30) / 1000.0));
}

TEST(OpenPatches, RefusesByName) {
  const TemporaryFolder folder;
  const std::string small = folder.write("small.pgm", pgm(8, 8, 'x'));
  const std::string damaged = folder.write("damaged.pgm", std::string("P5 8 8 255\nxx"));
  folder.write("empty/notes.txt", std::string("x"));
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(message_of({folder.path("empty")}, patches(4, 4, 9), ErrorKind::kInput),
           folder.path("empty") + ": no image");
  contains(message_of({folder.path("missing")}, patches(4, 4, 9), ErrorKind::kInput), "missing: no such file");
  contains(message_of({small}, patches(9, 4, 9), ErrorKind::kInput), "--patches 9x4");
  contains(message_of({small, damaged}, patches(4, 4, 9), ErrorKind::kInput), damaged);
  contains(message_of({small}, patches(0, 4, 9), ErrorKind::kUsage), "--patches is 0x4");
  contains(message_of({small}, patches(4, 4, 0), ErrorKind::kUsage), "--samples is 0");
  contains(message_of({small}, patches(std::size_t{1} << 40, std::size_t{1} << 40, 9), ErrorKind::kUsage), "--patches");
  contains(message_of({}, patches(4, 4, 9), ErrorKind::kInput), "no image");
}

TEST(OpenPatches, CutsPatchesOfPhotographs) {
  const char* data = std::getenv("DUALDICT_DATA");
  if (data == nullptr) GTEST_SKIP() << "set DUALDICT_DATA to the folder with bsds/ to run this test";
  PatchOptions options = patches(12, 12, 10000);
  options.color = ImageColor::kGrey;
  const auto source = open_patches({std::string(data) + "/bsds/train"}, options);
  Matrix<float> samples(10000, 144);
  source->read(0, samples.view());
  double neighbours = 0;
  double square = 0;
  for (std::size_t i = 0; i < 10000; ++i) {
    double mean = 0;
    for (std::size_t j = 0; j < 144; ++j) mean += samples(i, j) / 144;
    for (std::size_t j = 0; j < 143; ++j) {
      neighbours += (samples(i, j) - mean) * (samples(i, j + 1) - mean);
      square += (samples(i, j) - mean) * (samples(i, j) - mean);
    }
  }
  EXPECT_GT(neighbours / square, 0.5) << "neighbouring pixels of photographs are alike";
}

}  // namespace
}  // namespace dualdict
