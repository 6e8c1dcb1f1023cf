// SPDX-License-Identifier: BSD-3-Clause
#include "data/matrix_source.h"

#include <algorithm>

#include "dualdict/error.h"

namespace dualdict {

MatrixSource::MatrixSource(std::vector<std::unique_ptr<MatrixFile>> files) : files_(std::move(files)) {
  const MatrixFile& head = *files_.front();
  shape_ = head.info().shape;
  starts_.push_back(0);
  for (const auto& file : files_) {
    if (file->info().cols != head.info().cols)
      throw Error(ErrorKind::kInput, file->name() + ": has " + std::to_string(file->info().cols) +
                                         " features per sample, but " + head.name() + " has " +
                                         std::to_string(head.info().cols) + "; all files must have the same number");
    starts_.push_back(starts_.back() + file->info().rows);
    type_ = std::max(type_, file->info().type);
    if (file->info().shape != shape_) shape_ = {};
  }
}

std::string MatrixSource::name() const {
  const std::string& first = files_.front()->name();
  return files_.size() == 1 ? first : first + " and " + std::to_string(files_.size() - 1) + " more";
}

std::vector<std::string> MatrixSource::notes() const {
  std::vector<std::string> notes;
  for (const auto& file : files_)
    for (const std::string& note : file->notes()) notes.push_back(file->name() + ": " + note);
  return notes;
}

template <class T>
void MatrixSource::read_rows(std::size_t first, MatrixView<T> out) const {
  if (first > n_samples() || out.rows > n_samples() - first || out.cols != n_features())
    throw Error(ErrorKind::kUsage, name() + ": " + std::to_string(out.rows) + " x " + std::to_string(out.cols) +
                                       " values asked for from sample " + std::to_string(first) + " of " +
                                       std::to_string(n_samples()) + " x " + std::to_string(n_features()));
  auto file = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
  for (std::size_t done = 0; done < out.rows; ++file) {
    const std::size_t at = first + done;
    const std::size_t count = std::min(out.rows - done, starts_[file + 1] - at);
    files_[file]->read(at - starts_[file], out.row_range(done, count));
    done += count;
  }
}

void MatrixSource::read(std::size_t first, MatrixView<float> out) const {
  read_rows(first, out);
}
void MatrixSource::read(std::size_t first, MatrixView<double> out) const {
  read_rows(first, out);
}

}  // namespace dualdict
