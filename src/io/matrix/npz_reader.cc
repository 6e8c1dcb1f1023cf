// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/npz_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/input_error.h"
#include "io/matrix/csr_reader.h"
#include "io/matrix/npy_reader.h"
#include "io/zip/zip_reader.h"

namespace dualdict {
namespace {

constexpr std::string_view kEnding = ".npy";

const ZipMember* find(const std::vector<ZipMember>& arrays, std::string_view name) {
  for (const ZipMember& array : arrays)
    if (std::string_view(array.name).substr(0, array.name.size() - kEnding.size()) == name) return &array;
  return nullptr;
}

std::string list_names(const std::vector<ZipMember>& arrays) {
  constexpr std::size_t kMaxNames = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(arrays.size(), kMaxNames); ++i) {
    const std::string& name = arrays[i].name;
    list += (i > 0 ? ", " : "") + in_quotes(std::string_view(name).substr(0, name.size() - kEnding.size()));
  }
  return arrays.size() > kMaxNames ? list + ", ..." : list;
}

const ZipMember& choose(const std::string& name, const std::vector<ZipMember>& arrays) {
  if (arrays.size() == 1) return arrays.front();
  for (const std::string_view wanted : {"X", "data", "arr_0"})
    if (const ZipMember* array = find(arrays, wanted)) return *array;
  fail_input(name, "holds " + std::to_string(arrays.size()) + " arrays (" + list_names(arrays) +
                       ") and none is called X, data or arr_0; save one array alone, or name it X");
}

}  // namespace

std::unique_ptr<MatrixFile> read_npz(std::shared_ptr<const ByteSource> bytes) {
  std::vector<ZipMember> arrays = read_zip_directory(*bytes);
  std::erase_if(arrays, [](const ZipMember& member) { return !member.name.ends_with(kEnding); });
  if (arrays.empty()) fail_input(bytes->name(), "is a zip archive without npy arrays");
  const auto load = [&](const ZipMember& member) {
    return make_memory_bytes(bytes->name() + "[" + member.name + "]", extract_zip_member(*bytes, member));
  };
  const ZipMember* format = find(arrays, "format");
  const ZipMember* indices = find(arrays, "indices");
  const ZipMember* indptr = find(arrays, "indptr");
  const ZipMember* shape = find(arrays, "shape");
  const ZipMember* data = find(arrays, "data");
  if (format != nullptr && indices != nullptr && indptr != nullptr && shape != nullptr && data != nullptr)
    return read_csr(bytes->name(), CsrArrays{load(*format), load(*shape), load(*indptr), load(*indices), load(*data)});
  if (format != nullptr && shape != nullptr && data != nullptr)
    fail_input(bytes->name(), "holds a sparse matrix that is not in CSR form; save matrix.tocsr() instead");
  return read_npy(load(choose(bytes->name(), arrays)));
}

}  // namespace dualdict
