// SPDX-License-Identifier: BSD-3-Clause
// The index on disk. Segments of at most 65,536 rows, so that a row takes two bytes; then the names; then a JSON
// document that says where all of it is, with checksums; its length; 8 bytes that end every whole file.
//
// A segment: where each atom's list begins (K + 1 of u32), the length of each row's code and of what it decodes to
// (f32 both), the lists' rows (u16,
// rising) and weights (f16); and, for an index that can decode, where each row's code begins (u32), its atoms (u16) and
// weights (f16).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dualdict/search.h"
#include "io/bytes/byte_sink.h"
#include "io/bytes/byte_source.h"

namespace dualdict {

inline constexpr std::size_t kSegmentRows = 65536;

struct SegmentPlace {
  std::size_t n_rows = 0;
  std::size_t n_nonzeros = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::string checksum;
};

// All that the closing document says.
struct IndexHeader {
  std::string model;  // the hash of the dictionary and the encoder
  std::string mode;
  // What codes are made with: one of these where it was wanted or found, else what the model says.
  std::optional<double> nonzeros, tau, level;
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  bool decoded = false;
  double sum_abs = 0;  // of all weights
  std::vector<SegmentPlace> segments;
  SegmentPlace names;  // n_rows of them, or 0

  std::size_t n_rows() const;
  std::size_t n_nonzeros() const;
};

// The codes of some rows, to be written as a segment.
struct SegmentCodes {
  std::vector<std::uint32_t> starts{0};  // of each row
  std::vector<std::uint16_t> atoms;
  std::vector<std::uint16_t> weights;  // f16
  std::vector<float> lengths;
  std::vector<float> decoded_lengths;

  std::size_t n_rows() const { return lengths.size(); }
};

// Appends a segment and adds it to the header.
void write_segment(ByteSink& out, std::uint64_t& place, const SegmentCodes& codes, IndexHeader& header);
// Ends the file: names, document, end.
void write_end(ByteSink& out, std::uint64_t& place, const std::vector<std::string>& names, IndexHeader& header);

// Throws Error(kInput) unless the file is whole: end, document, places and every checksum.
IndexHeader read_header(const ByteSource& bytes);
std::vector<std::string> read_index_names(const ByteSource& bytes, const IndexHeader& header);

// Where the parts of a segment begin, from its own begin.
struct SegmentLayout {
  SegmentLayout(const SegmentPlace& segment, std::size_t n_atoms, bool decoded);
  std::uint64_t lengths = 0, decoded_lengths = 0, rows = 0, weights = 0, starts = 0, atoms = 0, own_weights = 0,
                end = 0;
};

}  // namespace dualdict
