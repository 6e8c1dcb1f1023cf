// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "core/finite.h"
#include "dualdict/error.h"
#include "io/bytes/endian.h"
#include "io/bytes/file_reader.h"
#include "io/bytes/half.h"
#include "io/bytes/input_error.h"
#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/modes/weights.h"
#include "search/index_file.h"
#include "search/index_model.h"

namespace dualdict {
namespace {

constexpr std::uint64_t kMostInMemory = std::uint64_t{2} << 30;
constexpr double kSaturation = 1.2;  // the k1 of BM25

const std::vector<float>& half_table() {
  static const std::vector<float> table = [] {
    std::vector<float> values(std::size_t{1} << 16);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = half_to_float(static_cast<std::uint16_t>(i));
    return values;
  }();
  return table;
}

// An atom of a query, and what one of a row adds to the score: multiply(weight), or saturate.
struct QueryAtom {
  std::size_t atom = 0;
  double weight = 0;
};

struct Candidate {
  double score = 0;
  std::size_t row = 0;
};
bool is_better(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

}  // namespace

SearchScore parse_score(std::string_view name) {
  if (name == "decoded") return SearchScore::kDecoded;
  if (name == "dot") return SearchScore::kDot;
  if (name == "cosine") return SearchScore::kCosine;
  if (name == "bm25") return SearchScore::kBm25;
  throw Error(ErrorKind::kUsage, "score " + std::string(name) + ": must be decoded, dot, cosine or bm25");
}

struct Searcher::Engine {
  Engine(const Model& model_in, const std::string& path, std::size_t n_threads)
      : model(model_in), bytes(open(path)), header(read_header(*bytes)), names(read_index_names(*bytes, header)) {
    if (header.model != hash_of(model))
      fail_input(path, "was made with another model, whose codes say other things; give that one");
    encoder.emplace(index_encoder(model, header, n_threads, nullptr));
    decoder = packed_transposed<float>(index_decoder(model, header));
    info = {.mode = header.mode,
            .n_rows = header.n_rows(),
            .n_atoms = header.n_atoms,
            .n_features = header.n_features,
            .n_nonzeros = header.n_nonzeros(),
            .bytes = static_cast<std::size_t>(bytes->size()),
            .decoded = header.decoded,
            .named = !names.empty()};
    count_rows();
  }

  // Read where it is asked for, or once where it is small.
  static std::shared_ptr<const ByteSource> open(const std::string& path) {
    auto file = std::make_shared<const FileReader>(path);
    return file->size() <= kMostInMemory ? load_into_memory(file) : file;
  }

  void count_rows() {
    rows_of_atom.assign(header.n_atoms, 0);
    for (const SegmentPlace& segment : header.segments) {
      std::vector<std::uint32_t> starts(header.n_atoms + 1);
      bytes->read(segment.begin, std::as_writable_bytes(std::span<std::uint32_t>(starts)));
      for (std::size_t j = 0; j < header.n_atoms; ++j) rows_of_atom[j] += starts[j + 1] - starts[j];
      starts_of.push_back(std::move(starts));
    }
    mean_abs = info.n_nonzeros > 0 ? header.sum_abs / static_cast<double>(info.n_nonzeros) : 1;
  }

  double saturated(double weight) const { return (kSaturation + 1) * weight / (weight + kSaturation * mean_abs); }
  double rarity(std::size_t atom) const {
    const auto n = static_cast<double>(rows_of_atom[atom]), all = static_cast<double>(info.n_rows);
    return std::log1p((all - n + 0.5) / (n + 0.5));
  }

  // Adds an atom's list of a segment to the scores of its rows.
  void add_list(std::size_t segment, const QueryAtom& query, SearchScore score, std::vector<float>& scores,
                std::vector<std::byte>& buffer) const {
    const SegmentPlace& place = header.segments[segment];
    const SegmentLayout layout(place, header.n_atoms, header.decoded);
    const std::size_t begin = starts_of[segment][query.atom], n = starts_of[segment][query.atom + 1] - begin;
    if (n == 0) return;
    buffer.resize(4 * n);
    bytes->read(place.begin + layout.rows + 2 * begin, std::span(buffer).first(2 * n));
    bytes->read(place.begin + layout.weights + 2 * begin, std::span(buffer).subspan(2 * n));
    const float* halves = half_table().data();
    const auto row = [&](std::size_t e) { return load_le<std::uint16_t>(buffer.data() + 2 * e); };
    const auto weight = [&](std::size_t e) { return halves[load_le<std::uint16_t>(buffer.data() + 2 * (n + e))]; };
    const auto factor = static_cast<float>(query.weight);
    if (score != SearchScore::kBm25) {
      for (std::size_t e = 0; e < n; ++e) scores[row(e)] += factor * weight(e);
      return;
    }
    const auto gain = static_cast<float>(rarity(query.atom) * saturated(std::abs(query.weight)) * (kSaturation + 1));
    const auto half = static_cast<float>(kSaturation * mean_abs);
    for (std::size_t e = 0; e < n; ++e) {
      const float w = factor < 0 ? -weight(e) : weight(e);
      if (w > 0) scores[row(e)] += gain * w / (w + half);
    }
  }

  std::vector<Candidate> best_of(const std::vector<QueryAtom>& query, SearchScore score, std::size_t n_hits) const {
    std::vector<Candidate> best;
    std::vector<float> scores;
    std::vector<std::byte> buffer;
    std::size_t first = 0;
    for (std::size_t s = 0; s < header.segments.size(); ++s) {
      const std::size_t n = header.segments[s].n_rows;
      scores.assign(n, 0.0F);
      for (const QueryAtom& atom : query) add_list(s, atom, score, scores, buffer);
      if (score == SearchScore::kCosine || score == SearchScore::kDecoded) divide_by_lengths(s, score, scores);
      for (std::size_t i = 0; i < n; ++i) {
        if (!(scores[i] > 0)) continue;
        const Candidate candidate{static_cast<double>(scores[i]), first + i};
        if (best.size() == n_hits && !is_better(candidate, best.front())) continue;
        if (best.size() == n_hits) {
          std::pop_heap(best.begin(), best.end(), is_better);
          best.pop_back();
        }
        best.push_back(candidate);
        std::push_heap(best.begin(), best.end(), is_better);
      }
      first += n;
    }
    std::sort_heap(best.begin(), best.end(), is_better);
    return best;
  }

  void divide_by_lengths(std::size_t segment, SearchScore score, std::vector<float>& scores) const {
    const SegmentPlace& place = header.segments[segment];
    std::vector<float> lengths(scores.size());
    const SegmentLayout layout(place, header.n_atoms, header.decoded);
    bytes->read(place.begin + (score == SearchScore::kCosine ? layout.lengths : layout.decoded_lengths),
                std::as_writable_bytes(std::span<float>(lengths)));
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = lengths[i] > 0 ? scores[i] / lengths[i] : 0.0F;
  }

  // The code of one row, from its place in the segment or from the lists.
  std::vector<QueryAtom> code_of(std::size_t row, const std::vector<QueryAtom>& among) const {
    std::size_t segment = 0;
    while (row >= header.segments[segment].n_rows) row -= header.segments[segment++].n_rows;
    const SegmentPlace& place = header.segments[segment];
    const SegmentLayout layout(place, header.n_atoms, header.decoded);
    std::vector<QueryAtom> code;
    if (header.decoded) {
      std::array<std::uint32_t, 2> ends{};
      bytes->read(place.begin + layout.starts + 4 * row, std::as_writable_bytes(std::span(ends)));
      for (std::uint32_t e = ends[0]; e < ends[1]; ++e)
        code.push_back({read_half(place.begin + layout.atoms, e),
                        static_cast<double>(half_table()[read_half(place.begin + layout.own_weights, e)])});
      return code;
    }
    for (const QueryAtom& atom : among) {
      std::size_t low = starts_of[segment][atom.atom], high = starts_of[segment][atom.atom + 1];
      while (low < high) {
        const std::size_t middle = (low + high) / 2;
        (read_half(place.begin + layout.rows, middle) < row ? low : high) =
            middle + (read_half(place.begin + layout.rows, middle) < row ? 1 : 0);
      }
      if (low < starts_of[segment][atom.atom + 1] && read_half(place.begin + layout.rows, low) == row)
        code.push_back({atom.atom, static_cast<double>(half_table()[read_half(place.begin + layout.weights, low)])});
    }
    return code;
  }
  std::uint16_t read_half(std::uint64_t begin, std::size_t e) const {
    std::array<std::byte, 2> two{};
    bytes->read(begin + 2 * e, two);
    return load_le<std::uint16_t>(two.data());
  }

  // With all atoms: products of the query, of length one, with each of them.
  void rerank(const float* products, std::vector<Candidate>& best) const {
    for (Candidate& candidate : best) {
      double sum = 0;
      for (const QueryAtom& atom : code_of(candidate.row, {}))
        sum += atom.weight * static_cast<double>(products[atom.atom]);
      const double length = static_cast<double>(decoded_length(candidate.row));
      candidate.score = length > 0 ? sum / length : 0;
    }
    std::sort(best.begin(), best.end(), is_better);
  }

  float decoded_length(std::size_t row) const {
    std::size_t segment = 0;
    while (row >= header.segments[segment].n_rows) row -= header.segments[segment++].n_rows;
    const SegmentPlace& place = header.segments[segment];
    std::array<float, 1> length{};
    bytes->read(place.begin + SegmentLayout(place, header.n_atoms, header.decoded).decoded_lengths + 4 * row,
                std::as_writable_bytes(std::span(length)));
    return length[0];
  }

  // The products of the queries, preprocessed and of length one, with the atoms.
  Matrix<float> products_of(MatrixView<const float> queries) const {
    Matrix<float> x(queries.rows, queries.cols);
    for (std::size_t i = 0; i < queries.rows; ++i) std::copy_n(queries.row(i), queries.cols, x.row(i));
    to_coding_space(model.parts(), x.view());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto length = static_cast<float>(norm(x.row(i), x.cols()));
      for (std::size_t f = 0; f < x.cols(); ++f) x(i, f) = length > 0 ? x(i, f) / length : 0.0F;
    }
    Matrix<float> products(x.rows(), header.n_atoms);
    multiply<float>(plain(MatrixView<const float>(x.view())), decoder, products.view());
    return products;
  }

  std::size_t query_atoms(const SearchOptions& options) const {
    constexpr std::size_t kTimes = 4;
    const std::size_t usual = info.n_rows > 0 ? kTimes * ((info.n_nonzeros + info.n_rows - 1) / info.n_rows) : 1;
    return std::clamp<std::size_t>(options.query_atoms > 0 ? options.query_atoms : usual, 1, header.n_atoms);
  }

  // The nonzeros of a query's code, or the largest of its products.
  static std::vector<QueryAtom> atoms_of(const float* weights, std::size_t n_atoms, std::size_t most) {
    std::vector<QueryAtom> atoms;
    for (std::size_t j = 0; j < n_atoms; ++j)
      if (weights[j] != 0) atoms.push_back({j, static_cast<double>(weights[j])});
    if (atoms.size() <= most) return atoms;
    std::nth_element(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(most), atoms.end(),
                     [](const QueryAtom& a, const QueryAtom& b) {
                       const double x = std::abs(a.weight), y = std::abs(b.weight);
                       return x != y ? x > y : a.atom < b.atom;
                     });
    atoms.resize(most);
    // In their order, so that sums are taken in it.
    std::sort(atoms.begin(), atoms.end(), [](const QueryAtom& a, const QueryAtom& b) { return a.atom < b.atom; });
    return atoms;
  }

  Hit hit_of(const Candidate& candidate, const std::vector<QueryAtom>& query) const {
    Hit hit{.row = candidate.row,
            .score = candidate.score,
            .name = names.empty() ? "" : names[candidate.row],
            .shared = {}};
    const std::vector<QueryAtom> code = code_of(candidate.row, query);
    for (const QueryAtom& atom : query)
      for (const QueryAtom& own : code)
        if (own.atom == atom.atom) hit.shared.push_back({atom.atom, atom.weight, own.weight});
    std::sort(hit.shared.begin(), hit.shared.end(), [](const SharedAtom& a, const SharedAtom& b) {
      return std::abs(a.query * a.row) > std::abs(b.query * b.row);
    });
    return hit;
  }

  std::vector<std::vector<Hit>> search(MatrixView<const float> queries, const SearchOptions& options) const {
    if (options.rerank > 0 && !header.decoded)
      throw Error(ErrorKind::kUsage,
                  "rerank: the index keeps no codes of rows; make it with --decoded, which takes 4 "
                  "bytes more for each nonzero");
    require_finite(queries, "queries");
    const bool decoded = options.score == SearchScore::kDecoded;
    Matrix<float> products, codes;
    if (decoded || options.rerank > 0) products = products_of(queries);
    if (!decoded) {
      codes = Matrix<float>(queries.rows, header.n_atoms);
      encoder->encode(queries, codes.view());
    }
    std::vector<std::vector<Hit>> all;
    for (std::size_t i = 0; i < queries.rows; ++i) {
      const std::vector<QueryAtom> query = atoms_of((decoded ? products : codes).row(i), header.n_atoms,
                                                    decoded ? query_atoms(options) : header.n_atoms);
      std::vector<Candidate> best = best_of(query, options.score, std::max(options.n_hits, options.rerank));
      if (options.rerank > 0) rerank(products.row(i), best);
      best.resize(std::min(best.size(), options.n_hits));
      std::vector<Hit> hits;
      for (const Candidate& candidate : best) hits.push_back(hit_of(candidate, query));
      all.push_back(std::move(hits));
    }
    return all;
  }

  Model model;
  std::shared_ptr<const ByteSource> bytes;
  IndexHeader header;
  std::vector<std::string> names;
  std::optional<Encoder> encoder;
  PackedRight<float> decoder;
  IndexInfo info;
  std::vector<std::vector<std::uint32_t>> starts_of;  // of each segment
  std::vector<std::size_t> rows_of_atom;
  double mean_abs = 1;
};

Searcher::Searcher(const Model& model, const std::string& path, std::size_t n_threads)
    : engine_(std::make_unique<Engine>(model, path, n_threads)) {}
Searcher::~Searcher() = default;
Searcher::Searcher(Searcher&&) noexcept = default;
Searcher& Searcher::operator=(Searcher&&) noexcept = default;

const IndexInfo& Searcher::info() const {
  return engine_->info;
}
std::vector<std::vector<Hit>> Searcher::search(MatrixView<const float> queries, const SearchOptions& options) const {
  return engine_->search(queries, options);
}

}  // namespace dualdict
