// SPDX-License-Identifier: BSD-3-Clause
// Runs our readers and writers for the Python tests: one line of standard input, one job, one line of answer.
//   read IN OUT.npy     any matrix file as npy, in the precision that holds its elements
//   csr IN OUT.npz      any matrix file as a sparse matrix
//   tensors IN OUT      a safetensors file read and written again
// With arguments it does the one job that they name.
#include <iostream>
#include <sstream>
#include <string>

#include "dualdict/data.h"
#include "dualdict/error.h"
#include "dualdict/files.h"
#include "io/tensors/safetensors.h"

namespace dualdict {
namespace {

template <class T>
void copy_rows(const DataSource& from, MatrixWriter& to) {
  constexpr std::size_t kBlock = 7;
  for (std::size_t first = 0; first < from.n_samples(); first += kBlock) {
    Matrix<T> block(std::min(kBlock, from.n_samples() - first), from.n_features());
    from.read(first, block.view());
    to.append(block.view());
  }
}

void convert_matrix(const std::string& in, const std::string& out, MatrixFormat format) {
  const auto source = open_data({in});
  const bool is_double = source->element_type() == ElementType::kFloat64;
  const DType dtype = is_double ? DType::kFloat64 : DType::kFloat32;
  MatrixWriter writer(out, format, dtype, source->n_samples(), source->n_features());
  if (is_double) {
    copy_rows<double>(*source, writer);
  } else {
    copy_rows<float>(*source, writer);
  }
  writer.finish();
}

bool run(const std::string& job, const std::string& in, const std::string& out) {
  try {
    if (job == "read") {
      convert_matrix(in, out, MatrixFormat::kNpy);
    } else if (job == "csr") {
      convert_matrix(in, out, MatrixFormat::kCsr);
    } else if (job == "tensors") {
      write_safetensors(out, read_safetensors(in));
    } else {
      std::cerr << "unknown job " << job << std::endl;
      return false;
    }
    return true;
  } catch (const Error& error) {
    std::cerr << error.what() << std::endl;
    return false;
  }
}

}  // namespace
}  // namespace dualdict

int main(int argc, char** argv) {
  if (argc == 4) return dualdict::run(argv[1], argv[2], argv[3]) ? 0 : 1;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string job;
    std::string in;
    std::string out;
    words >> job >> in >> out;
    std::cout << (dualdict::run(job, in, out) ? "ok" : "failed") << std::endl;
  }
  return 0;
}
