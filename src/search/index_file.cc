// SPDX-License-Identifier: BSD-3-Clause
#include "search/index_file.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "io/bytes/endian.h"
#include "io/bytes/half.h"
#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

using nlohmann::json;

constexpr std::string_view kEnd = "DDXINDX1";
constexpr std::uint64_t kMaxDocument = std::uint64_t{64} << 20;
constexpr std::size_t kTail = 16;  // the document's length and the end

std::string checksum_of(const void* bytes, std::size_t size) {
  Hasher hasher;
  hasher.add(bytes, size);
  return hasher.digest();
}

// Bytes of one part of the file as they are gathered.
class Gatherer {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span<const T>(values));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  SegmentPlace write(ByteSink& out, std::uint64_t& place) const {
    out.append(bytes_);
    SegmentPlace result{.begin = place, .size = bytes_.size(), .checksum = checksum_of(bytes_.data(), bytes_.size())};
    place += bytes_.size();
    return result;
  }

 private:
  std::vector<std::byte> bytes_;
};

json place_json(const SegmentPlace& place) {
  return {{"rows", place.n_rows},
          {"nonzeros", place.n_nonzeros},
          {"begin", place.begin},
          {"size", place.size},
          {"checksum", place.checksum}};
}

SegmentPlace place_of(const json& entry) {
  return {.n_rows = entry.at("rows").get<std::size_t>(),
          .n_nonzeros = entry.at("nonzeros").get<std::size_t>(),
          .begin = entry.at("begin").get<std::uint64_t>(),
          .size = entry.at("size").get<std::uint64_t>(),
          .checksum = entry.at("checksum").get<std::string>()};
}

json number_json(const std::optional<double>& number) {
  return number ? json(*number) : json();
}

std::optional<double> number_of(const json& entry) {
  if (entry.is_null()) return {};
  return entry.get<double>();
}

IndexHeader header_of(const json& document) {
  IndexHeader header;
  header.model = document.at("model").get<std::string>();
  header.mode = document.at("mode").get<std::string>();
  header.nonzeros = number_of(document.at("nonzeros"));
  header.tau = number_of(document.at("tau"));
  header.level = number_of(document.at("level"));
  header.n_atoms = document.at("n_atoms").get<std::size_t>();
  header.n_features = document.at("n_features").get<std::size_t>();
  header.decoded = document.at("decoded").get<bool>();
  header.sum_abs = document.at("sum_abs").get<double>();
  for (const json& entry : document.at("segments")) header.segments.push_back(place_of(entry));
  header.names = place_of(document.at("names"));
  return header;
}

std::string read_text(const ByteSource& bytes, std::uint64_t begin, std::uint64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  bytes.read(begin, std::as_writable_bytes(std::span<char>(text)));
  return text;
}

void check_checksum(const ByteSource& bytes, const SegmentPlace& place, const std::string& what) {
  const std::string text = read_text(bytes, place.begin, place.size);
  if (checksum_of(text.data(), text.size()) != place.checksum)
    fail_input(bytes.name(), what + ": its checksum is wrong: the index is damaged; make it again");
}

// Every list within its bounds: what a search reads without looking again.
void check_segment(const ByteSource& bytes, const IndexHeader& header, const SegmentPlace& segment) {
  const auto fail = [&](const std::string& what) { fail_input(bytes.name(), "segment: " + what); };
  if (segment.n_rows == 0 || segment.n_rows > kSegmentRows) fail("has " + std::to_string(segment.n_rows) + " rows");
  const SegmentLayout layout(segment, header.n_atoms, header.decoded);
  if (layout.end != segment.size) fail("is " + std::to_string(segment.size) + " bytes long, not as its parts say");
  const std::string text = read_text(bytes, segment.begin, segment.size);
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  const auto check_starts = [&](std::uint64_t at, std::size_t n) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i <= n; ++i) {
      const auto start = load_le<std::uint32_t>(data + at + 4 * i);
      if (start < last || start > segment.n_nonzeros) fail("a list begins outside it");
      last = start;
    }
    if (last != segment.n_nonzeros) fail("its lists end early");
  };
  const auto check_below = [&](std::uint64_t at, std::size_t limit) {
    for (std::size_t e = 0; e < segment.n_nonzeros; ++e)
      if (load_le<std::uint16_t>(data + at + 2 * e) >= limit) fail("an entry is out of range");
  };
  check_starts(0, header.n_atoms);
  check_below(layout.rows, segment.n_rows);
  if (!header.decoded) return;
  check_starts(layout.starts, segment.n_rows);
  check_below(layout.atoms, header.n_atoms);
}

}  // namespace

std::size_t IndexHeader::n_rows() const {
  std::size_t n = 0;
  for (const SegmentPlace& segment : segments) n += segment.n_rows;
  return n;
}

std::size_t IndexHeader::n_nonzeros() const {
  std::size_t n = 0;
  for (const SegmentPlace& segment : segments) n += segment.n_nonzeros;
  return n;
}

SegmentLayout::SegmentLayout(const SegmentPlace& segment, std::size_t n_atoms, bool decoded) {
  lengths = 4 * (std::uint64_t{n_atoms} + 1);
  decoded_lengths = lengths + 4 * std::uint64_t{segment.n_rows};
  rows = decoded_lengths + 4 * std::uint64_t{segment.n_rows};
  weights = rows + 2 * std::uint64_t{segment.n_nonzeros};
  starts = weights + 2 * std::uint64_t{segment.n_nonzeros};
  if (!decoded) {
    end = atoms = own_weights = starts;
    return;
  }
  atoms = starts + 4 * (std::uint64_t{segment.n_rows} + 1);
  own_weights = atoms + 2 * std::uint64_t{segment.n_nonzeros};
  end = own_weights + 2 * std::uint64_t{segment.n_nonzeros};
}

void write_segment(ByteSink& out, std::uint64_t& place, const SegmentCodes& codes, IndexHeader& header) {
  const std::size_t n = codes.atoms.size();
  std::vector<std::uint32_t> starts(header.n_atoms + 1);
  for (const std::uint16_t atom : codes.atoms) ++starts[atom + 1U];
  for (std::size_t j = 0; j < header.n_atoms; ++j) starts[j + 1] += starts[j];
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  std::vector<std::uint16_t> rows(n), weights(n);
  for (std::size_t i = 0; i < codes.n_rows(); ++i)
    for (std::uint32_t e = codes.starts[i]; e < codes.starts[i + 1]; ++e) {
      const std::uint32_t at = next[codes.atoms[e]]++;
      rows[at] = static_cast<std::uint16_t>(i);
      weights[at] = codes.weights[e];
      header.sum_abs += std::abs(static_cast<double>(half_to_float(codes.weights[e])));
    }
  Gatherer bytes;
  bytes.add(starts);
  bytes.add(codes.lengths);
  bytes.add(codes.decoded_lengths);
  bytes.add(rows);
  bytes.add(weights);
  if (header.decoded) {
    bytes.add(codes.starts);
    bytes.add(codes.atoms);
    bytes.add(codes.weights);
  }
  SegmentPlace segment = bytes.write(out, place);
  segment.n_rows = codes.n_rows();
  segment.n_nonzeros = n;
  header.segments.push_back(segment);
}

void write_end(ByteSink& out, std::uint64_t& place, const std::vector<std::string>& names, IndexHeader& header) {
  std::vector<std::uint64_t> ends;
  std::vector<char> text;
  for (const std::string& name : names) {
    text.insert(text.end(), name.begin(), name.end());
    ends.push_back(text.size());
  }
  Gatherer bytes;
  bytes.add(ends);
  bytes.add(text);
  header.names = bytes.write(out, place);
  header.names.n_rows = names.size();
  json document = {{"schema", 1},
                   {"model", header.model},
                   {"mode", header.mode},
                   {"nonzeros", number_json(header.nonzeros)},
                   {"tau", number_json(header.tau)},
                   {"level", number_json(header.level)},
                   {"n_atoms", header.n_atoms},
                   {"n_features", header.n_features},
                   {"decoded", header.decoded},
                   {"sum_abs", header.sum_abs},
                   {"segments", json::array()},
                   {"names", place_json(header.names)}};
  for (const SegmentPlace& segment : header.segments) document["segments"].push_back(place_json(segment));
  std::string end = document.dump();
  const std::uint64_t length = end.size() + 1;
  end += '\n';
  end.append(reinterpret_cast<const char*>(&length), sizeof length);
  end += kEnd;
  append_text(out, end);
  place += end.size();
}

IndexHeader read_header(const ByteSource& bytes) {
  if (bytes.size() < kTail || read_text(bytes, bytes.size() - kEnd.size(), kEnd.size()) != kEnd)
    fail_input(bytes.name(), "is no index of dualdict, or was cut off: it has no end; make it with `dualdict index`");
  std::uint64_t length = 0;
  bytes.read(bytes.size() - kTail, std::as_writable_bytes(std::span<std::uint64_t>(&length, 1)));
  if (length > kMaxDocument || length + kTail > bytes.size()) fail_input(bytes.name(), "its document does not fit it");
  const std::uint64_t data_size = bytes.size() - kTail - length;
  IndexHeader header;
  try {
    const json document = json::parse(read_text(bytes, data_size, length));
    if (document.at("schema").get<std::size_t>() != 1)
      fail_input(bytes.name(), "schema is not 1: upgrade dualdict to read this index");
    header = header_of(document);
  } catch (const json::exception&) {
    fail_input(bytes.name(), "its document is damaged; make the index again");
  }
  if (header.n_atoms == 0 || header.n_atoms > kSegmentRows)
    fail_input(bytes.name(), std::to_string(header.n_atoms) + " atoms; an index has 1 to 65536");
  std::uint64_t expected = 0;
  std::vector<SegmentPlace> places = header.segments;
  places.push_back(header.names);
  for (const SegmentPlace& place : places) {
    if (place.begin != expected || place.size > data_size - place.begin || place.n_nonzeros > place.size)
      fail_input(bytes.name(), "its parts overlap or leave a hole");
    expected += place.size;
  }
  if (expected != data_size) fail_input(bytes.name(), "its parts overlap or leave a hole");
  for (std::size_t i = 0; i < header.segments.size(); ++i) {
    check_checksum(bytes, header.segments[i], "segment " + std::to_string(i));
    check_segment(bytes, header, header.segments[i]);
  }
  check_checksum(bytes, header.names, "names");
  if (header.names.n_rows != 0 &&
      (header.names.n_rows != header.n_rows() || header.names.n_rows > header.names.size / 8))
    fail_input(bytes.name(), "has " + std::to_string(header.names.n_rows) + " names for " +
                                 std::to_string(header.n_rows()) + " rows");
  return header;
}

std::vector<std::string> read_index_names(const ByteSource& bytes, const IndexHeader& header) {
  const std::string text = read_text(bytes, header.names.begin, header.names.size);
  const std::size_t n = header.names.n_rows, first = 8 * n;
  std::vector<std::string> names;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto end = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(text.data()) + 8 * i);
    if (end < begin || end > text.size() - first) fail_input(bytes.name(), "a name lies outside the names");
    names.push_back(text.substr(first + begin, end - begin));
    begin = end;
  }
  return names;
}

}  // namespace dualdict
