// SPDX-License-Identifier: BSD-3-Clause
#include "search/index_model.h"

#include "core/hash.h"
#include "model/row_decoder.h"

namespace dualdict {

std::string hash_of(const Model& model) {
  Hasher hasher;
  hasher.add_field(model.to_bytes());
  return hasher.digest();
}

const Matrix<double>& index_decoder(const Model& model, const IndexHeader& header) {
  return decoder_of(model.parts(), header.mode, decode_with(header.mode));
}

Encoder index_encoder(const Model& model, IndexHeader& header, std::size_t n_threads, const DataSource* rows) {
  EncodeOptions options;
  options.mode = header.mode;
  options.n_threads = n_threads;
  options.level = header.level;
  options.tau = header.tau;
  if (!header.level && !header.tau) options.nonzeros = header.nonzeros;
  Encoder encoder(model, options, rows);
  if (!options.nonzeros) return encoder;
  // Found on these rows, or in a table: kept, because queries come one by one.
  if (encoder.level() > 0) header.level = encoder.level();
  if (parse_mode(header.mode).info->needs_sample && !header.level) header.tau = encoder.tau();
  return encoder;
}

}  // namespace dualdict
