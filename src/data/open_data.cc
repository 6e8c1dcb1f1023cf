// SPDX-License-Identifier: BSD-3-Clause
#include "data/matrix_source.h"
#include "data/patch_source.h"
#include "dualdict/data.h"
#include "dualdict/error.h"
#include "io/matrix/open_matrix.h"

namespace dualdict {

std::unique_ptr<DataSource> open_data(const std::vector<std::string>& paths, const DataOptions& options) {
  if (paths.empty()) throw Error(ErrorKind::kUsage, "input: no file given; name at least one");
  if (options.patches) return open_patches(paths, *options.patches);
  std::vector<std::unique_ptr<MatrixFile>> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back(open_matrix(path));
  return std::make_unique<MatrixSource>(std::move(files));
}

}  // namespace dualdict
