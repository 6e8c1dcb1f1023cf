// SPDX-License-Identifier: BSD-3-Clause
// The model of an index: which it is, and how it codes rows and queries alike.
#pragma once

#include <cstddef>
#include <string>

#include "dualdict/encode.h"
#include "search/index_file.h"

namespace dualdict {

// Of all that codes depend on.
std::string hash_of(const Model& model);

// What turns codes of the index into preprocessed rows, K x d.
const Matrix<double>& index_decoder(const Model& model, const IndexHeader& header);

// `rows`: for modes that find the level for a wanted number of nonzeros on samples. What they find is put into the
// header, so that queries are coded alike.
Encoder index_encoder(const Model& model, IndexHeader& header, std::size_t n_threads, const DataSource* rows);

}  // namespace dualdict
