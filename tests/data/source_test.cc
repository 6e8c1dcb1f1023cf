// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include "dualdict/data.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

template <class T>
Matrix<T> read_range(const DataSource& source, std::size_t first, std::size_t count) {
  Matrix<T> values(count, source.n_features());
  source.read(first, values.view());
  return values;
}

TEST(MatrixSource, JoinsTheRowsOfAllFiles) {
  const TemporaryFolder folder;
  const auto source = open_data({folder.write("a", npy("|u1", "(2, 2)", std::string("\1\2\3\4", 4))),
                                 folder.write("b", "5,6\n7.5,8\n9,10\n"),
                                 folder.write("c", npy("<f4", "(1, 2)", stored<float>({11, 12})))});
  const auto expected = matrix_of<double>(6, 2, {1, 2, 3, 4, 5, 6, 7.5, 8, 9, 10, 11, 12});
  EXPECT_EQ(source->n_samples(), 6U);
  EXPECT_EQ(source->n_features(), 2U);
  EXPECT_EQ(source->element_type(), ElementType::kFloat64);
  EXPECT_EQ(source->name(), folder.path("a") + " and 2 more");
  for (std::size_t first = 0; first <= 6; ++first)
    for (std::size_t count = 0; first + count <= 6; ++count) {
      const auto part = convert<double>(expected.view().row_range(first, count));
      EXPECT_EQ(read_range<double>(*source, first, count), part);
      EXPECT_EQ(read_range<float>(*source, first, count), convert<float>(part));
    }
  error_of(ErrorKind::kUsage, [&] { read_range<float>(*source, 5, 2); });
  error_of(ErrorKind::kUsage, [&] { source->read(0, Matrix<float>(1, 3).view()); });
}

TEST(MatrixSource, KeepsTheShapeThatAllFilesAgreeOn) {
  const TemporaryFolder folder;
  const std::string wide = folder.write("wide", npy("|u1", "(1, 2, 3)", "abcdef"));
  const std::string high = folder.write("high", npy("|u1", "(1, 3, 2)", "abcdef"));
  EXPECT_EQ(open_data({wide, wide})->sample_shape(), (SampleShape{2, 3}));
  EXPECT_EQ(open_data({wide, high})->sample_shape(), SampleShape{});
  EXPECT_EQ(open_data({wide})->element_type(), ElementType::kUint8);
  EXPECT_EQ(open_data({wide})->name(), wide);
}

TEST(MatrixSource, FileOfAnotherWidthIsNamed) {
  const TemporaryFolder folder;
  const std::string two = folder.write("two.csv", "1,2\n");
  const std::string three = folder.write("three.csv", "1,2,3\n");
  const std::string message = error_of(ErrorKind::kInput, [&] { open_data({two, two, three}); });
  EXPECT_EQ(message, three + ": has 3 features per sample, but " + two + " has 2; all files must have the same number");
}

TEST(MatrixSource, ManyThreadsReadTheSameBits) {
  const TemporaryFolder folder;
  std::vector<double> values(4000 * 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto source = open_data({folder.write("x.npy", npy(">f8", "(4000, 7)", stored(values, true)))});
  const auto expected = matrix_of<double>(4000, 7, values);
  std::vector<Matrix<double>> results(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] { results[t] = read_range<double>(*source, t * 100, 3000); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    EXPECT_EQ(results[t], convert<double>(expected.view().row_range(t * 100, 3000)));
}

TEST(OpenData, MistakesAreNamed) {
  EXPECT_EQ(error_of(ErrorKind::kInput, [] { open_data({"/no/such/x.npy"}); }),
            "/no/such/x.npy: cannot open: No such file or directory");
  const TemporaryFolder folder;
  expect_contains(error_of(ErrorKind::kInput, [&] { open_data({folder.path()}); }), "--patches HxW");
  expect_contains(error_of(ErrorKind::kInput, [&] { open_data({folder.write("x", "P5 1 1 255 a")}); }),
                  "--patches HxW");
  error_of(ErrorKind::kUsage, [] { open_data({}); });
}

TEST(MemorySource, OwnedAndViewedMatricesGiveTheirRows) {
  const auto doubles = matrix_of<double>(3, 2, {1, 2, 3, 4, 5, 6});
  const auto floats = convert<float>(doubles);
  const auto wide = matrix_of<float>(3, 3, {1, 2, 0, 3, 4, 0, 5, 6, 0});
  std::vector<std::unique_ptr<DataSource>> sources;
  sources.push_back(make_source(Matrix<double>(doubles)));
  sources.push_back(make_source(Matrix<float>(floats)));
  sources.push_back(make_source(doubles.view()));
  sources.push_back(make_source(MatrixView<const float>(wide.data(), 3, 2, 3)));
  for (const auto& source : sources) {
    EXPECT_EQ(source->n_samples(), 3U);
    EXPECT_EQ(source->n_features(), 2U);
    EXPECT_EQ(source->name(), "matrix");
    EXPECT_EQ(read_range<double>(*source, 0, 3), doubles);
    EXPECT_EQ(read_range<float>(*source, 1, 2), matrix_of<float>(2, 2, {3, 4, 5, 6}));
    error_of(ErrorKind::kUsage, [&] { read_range<float>(*source, 2, 2); });
  }
  EXPECT_EQ(sources[0]->element_type(), ElementType::kFloat64);
  EXPECT_EQ(sources[3]->element_type(), ElementType::kFloat32);
}

TEST(MemorySource, EmptyMatricesAndWrongPicturesAreRefused) {
  expect_contains(error_of(ErrorKind::kInput, [] { make_source(Matrix<float>(0, 3)); }), "0 x 3");
  expect_contains(error_of(ErrorKind::kInput, [] { make_source(Matrix<double>(3, 0)); }), "3 x 0");
  expect_contains(error_of(ErrorKind::kInput, [] { make_source(Matrix<float>(1, 6), {2, 2}); }), "2 x 2");
  EXPECT_EQ(make_source(Matrix<float>(1, 6), {2, 3})->sample_shape(), (SampleShape{2, 3}));
}

}  // namespace
}  // namespace dualdict
