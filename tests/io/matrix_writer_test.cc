// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "dualdict/files.h"
#include "io/matrix/open_matrix.h"
#include "io/test_files.h"

namespace dualdict {
namespace {

TEST(MatrixWriter, NpyIsReadBackBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("x.npy");
  const auto values = matrix_of<double>(3, 2, {0.1, -1e-300, 3, 1e300, -0.0, 5e-324});
  MatrixWriter writer(path, MatrixFormat::kNpy, DType::kFloat64, 3, 2);
  writer.append(values.view().row_range(0, 2));
  writer.append(values.view().row_range(2, 1));
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.finish();
  EXPECT_EQ(all_of(*open_matrix(path)), values);
  const std::string content = content_of(path);
  EXPECT_EQ(content.size() - 48, 128U) << "the data must start on a 64-byte boundary";
  EXPECT_EQ(content.substr(128), stored<double>({0.1, -1e-300, 3, 1e300, -0.0, 5e-324}));
}

TEST(MatrixWriter, ConvertsBetweenPrecisions) {
  const TemporaryFolder folder;
  const auto doubles = matrix_of<double>(1, 2, {0.1, 0.2});
  const auto floats = matrix_of<float>(1, 2, {0.1F, 0.2F});
  MatrixWriter narrow(folder.path("narrow.npy"), MatrixFormat::kNpy, DType::kFloat32, 1, 2);
  narrow.append(doubles.view());
  narrow.finish();
  EXPECT_EQ(all_of<float>(*open_matrix(folder.path("narrow.npy"))), floats);
  MatrixWriter wide(folder.path("wide.npy"), MatrixFormat::kNpy, DType::kFloat64, 1, 2);
  wide.append(floats.view());
  wide.finish();
  EXPECT_EQ(all_of<double>(*open_matrix(folder.path("wide.npy"))), convert<double>(floats));
}

TEST(MatrixWriter, WritesRowsOfAWiderMatrix) {
  const TemporaryFolder folder;
  const auto values = matrix_of<float>(2, 3, {1, 2, 3, 4, 5, 6});
  MatrixWriter writer(folder.path("x.npy"), MatrixFormat::kNpy, DType::kFloat32, 2, 2);
  writer.append(MatrixView<const float>(values.data(), 2, 2, 3));
  writer.finish();
  EXPECT_EQ(all_of<float>(*open_matrix(folder.path("x.npy"))), matrix_of<float>(2, 2, {1, 2, 4, 5}));
}

TEST(MatrixWriter, WithoutFinishNothingChanges) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.npy", "old");
  const Matrix<float> values(1, 2);
  for (const MatrixFormat format : {MatrixFormat::kNpy, MatrixFormat::kCsr}) {
    {
      MatrixWriter writer(path, format, DType::kFloat32, 2, 2);
      writer.append(values.view());
      expect_contains(error_of(ErrorKind::kUsage, [&] { writer.finish(); }), "1 of 2 rows");
    }
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(folder.n_files(), 1U);
  }
}

TEST(MatrixWriter, WrongShapesAreRefused) {
  const TemporaryFolder folder;
  MatrixWriter writer(folder.path("x.npy"), MatrixFormat::kNpy, DType::kFloat32, 1, 2);
  error_of(ErrorKind::kUsage, [&] { writer.append(Matrix<float>(1, 3).view()); });
  error_of(ErrorKind::kUsage, [&] { writer.append(Matrix<float>(2, 2).view()); });
  error_of(ErrorKind::kUsage, [] { MatrixWriter("-", MatrixFormat::kCsr, DType::kFloat32, 1, 2); });
}

TEST(MatrixWriter, NoFileEverHoldsNanOrInfinity) {
  const TemporaryFolder folder;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e39}) {
    MatrixWriter writer(folder.path("x.npy"), MatrixFormat::kNpy, DType::kFloat32, 3, 2);
    const auto values = matrix_of<double>(2, 2, {1, 2, 3, bad});
    writer.append(values.view().row_range(0, 1));
    expect_contains(error_of(ErrorKind::kNumerical, [&] { writer.append(values.view()); }), "row 2, column 1");
  }
  EXPECT_EQ(folder.n_files(), 0U);
}

TEST(MatrixWriter, FullDeviceIsAWriteError) {
  const Matrix<float> values(1, 2);
  for (const MatrixFormat format : {MatrixFormat::kNpy, MatrixFormat::kCsr})
    expect_contains(error_of(ErrorKind::kWrite,
                             [&] {
                               MatrixWriter writer("/dev/full", format, DType::kFloat32, 1, 2);
                               writer.append(values.view());
                               writer.finish();
                             }),
                    "/dev/full");
}

}  // namespace
}  // namespace dualdict
