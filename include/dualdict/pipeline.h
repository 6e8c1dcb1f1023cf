// SPDX-License-Identifier: BSD-3-Clause
// Whole files, patches and streams through an encoder or a decoder, in constant memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "dualdict/data.h"
#include "dualdict/encode.h"
#include "dualdict/export.h"
#include "dualdict/files.h"
#include "dualdict/matrix.h"
#include "dualdict/stream.h"

namespace dualdict {

// The codes of all samples of a source, in their order, into a writer that was made for n_samples() x n_atoms() numbers
// in the model's precision; finishes it. A block is read, coded and checked by one of encoder.n_threads() threads.
// Returns false, and leaves the writer unfinished, when `interrupt` became true. Throws as reading, encoding and
// writing do; what is wrong with a sample names its row in the source.
DUALDICT_API bool encode(const Encoder& encoder, const DataSource& samples, MatrixWriter& codes,
                         const std::atomic<bool>* interrupt = nullptr);
// The way back: a writer made for n_samples() x n_features() numbers.
DUALDICT_API bool decode(const Decoder& decoder, const DataSource& codes, MatrixWriter& samples,
                         std::size_t n_threads = 0, const std::atomic<bool>* interrupt = nullptr);

// Called with some rows and the number of the first of them.
template <class T>
using RowsSink = std::function<void(MatrixView<const T> rows, std::size_t first)>;

// Hands block after block of the samples that are there to `sink`, until the stream ends; returns false when
// `interrupt` became true before. Throws Error(kInput) for a NaN or an infinity.
DUALDICT_API bool for_each_block(SampleStream& stream, const RowsSink<float>& sink,
                                 const std::atomic<bool>* interrupt = nullptr);
DUALDICT_API bool for_each_block(SampleStream& stream, const RowsSink<double>& sink,
                                 const std::atomic<bool>* interrupt = nullptr);

// The codes of samples as they come.
DUALDICT_API bool encode(const Encoder& encoder, SampleStream& samples, const RowsSink<float>& codes,
                         const std::atomic<bool>* interrupt = nullptr);
DUALDICT_API bool encode(const Encoder& encoder, SampleStream& samples, const RowsSink<double>& codes,
                         const std::atomic<bool>* interrupt = nullptr);

}  // namespace dualdict
