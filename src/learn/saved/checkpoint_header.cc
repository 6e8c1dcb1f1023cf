// SPDX-License-Identifier: BSD-3-Clause
#include "learn/saved/checkpoint_header.h"

#include <span>
#include <utility>

#include "dualdict/version.h"
#include "io/bytes/input_error.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

constexpr const char* kSchema = "1";

}  // namespace

const std::string& metadata_of(const TensorFile& file, const std::string& path, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    fail_input(path, "is not a checkpoint of dualdict: its metadata have no " + in_quotes(key));
  return found->second;
}

void check_header(const TensorFile& file, const std::string& path, const std::string& wanted) {
  const std::string& format = metadata_of(file, path, "format");
  if (format != wanted)
    fail_input(path, "is not a checkpoint of dualdict: format is " + in_quotes(format) + ", not " + in_quotes(wanted));
  const std::string& schema = metadata_of(file, path, "schema");
  if (schema != kSchema)
    fail_input(path, "schema is " + in_quotes(schema) + ", this version of dualdict reads " + in_quotes(kSchema) +
                         ": go on with the version that wrote it, or start again");
  const std::string& stored = metadata_of(file, path, "checksum");
  const std::string found = model_checksum(file);
  if (stored != found)
    fail_input(path, "checksum is " + in_quotes(stored) + ", but the content gives " + in_quotes(found) +
                         ": the file is damaged; remove it to start again");
}

void add_header(TensorFile& file, const std::string& format) {
  file.metadata["format"] = format;
  file.metadata["schema"] = std::string(kSchema);
  file.metadata["version"] = DUALDICT_VERSION;
  file.metadata["checksum"] = model_checksum(file);
}

std::string to_bytes(TensorFile file, const std::string& format) {
  add_header(file, format);
  StringSink sink;
  write_safetensors(sink, file);
  return std::move(sink.text);
}

TensorFile from_bytes(std::string_view bytes, const std::string& name, const std::string& format) {
  TensorFile file = read_safetensors(MemoryBytes(name, nullptr, std::as_bytes(std::span(bytes))));
  check_header(file, name, format);
  return file;
}

}  // namespace dualdict
