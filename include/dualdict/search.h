// SPDX-License-Identifier: BSD-3-Clause
// Search over sparse codes: an inverted index on disk, and the rows whose codes are most like a query's.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/encode.h"
#include "dualdict/export.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

struct IndexOptions {
  std::string mode = {};                // how rows and queries are coded; default: the model's default mode
  std::optional<double> nonzeros = {};  // per code on average; default: the model's
  // Keep each row's code beside the lists, 4 bytes a nonzero, so that hits can be decoded: SearchOptions::rerank.
  bool decoded = false;
  std::vector<std::string> names = {};  // none, or one a row
  // Add the rows to the index that is there, coded as its own are.
  bool append = false;
  std::size_t n_threads = 0;
  const std::atomic<bool>* interrupt = nullptr;
};

// What an index says of itself.
struct IndexInfo {
  std::string mode;
  std::size_t n_rows = 0;
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  std::size_t n_nonzeros = 0;
  std::size_t bytes = 0;
  bool decoded = false;
  bool named = false;

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("mode", self.mode);
    visit("n_rows", self.n_rows);
    visit("n_atoms", self.n_atoms);
    visit("n_features", self.n_features);
    visit("n_nonzeros", self.n_nonzeros);
    visit("bytes", self.bytes);
    visit("decoded", self.decoded);
    visit("named", self.named);
  }
};

// Codes the rows and writes their index, whole or not at all: what was at `path` stays until the new one is safe on the
// disk. Returns false, the old file intact, when `interrupt` became true. Throws Error(kInput) for rows or an index
// that do not fit the model, Error(kUsage) for more than 65,536 atoms, Error(kWrite).
DUALDICT_API bool build_index(const Model& model, const DataSource& rows, const std::string& path,
                              const IndexOptions& options = {});

// How a row's code and the query's become a number.
enum class SearchScore {
  // The cosine of the query itself with what the row's code decodes to, after preprocessing and less the model's
  // offset: the query's products with the atoms, of which the `query_atoms` largest count, times the row's code.
  kDecoded,
  kDot,     // their product
  kCosine,  // and over the length of the row's code: that of the query changes no order
  // Rare atoms count more and large weights less than in proportion, as in BM25: over the atoms of one sign in both,
  // idf s(q) s(u), idf = ln(1 + (N - n + .5)/(n + .5)), s(w) = 2.2 w / (w + 1.2 mean |w|).
  kBm25,
};
// "decoded", "dot", "cosine", "bm25"; throws Error(kUsage) for another.
DUALDICT_API SearchScore parse_score(std::string_view name);

struct SearchOptions {
  SearchScore score = SearchScore::kDecoded;
  std::size_t query_atoms = 0;  // of `kDecoded`; 0: four times the nonzeros of a row
  std::size_t n_hits = 10;
  // This many of the best are ordered anew by the score kDecoded with all atoms; 0: none.
  std::size_t rerank = 0;
};

// An atom that a query and a hit share.
struct SharedAtom {
  std::size_t atom = 0;
  double query = 0;  // its weight in the query's code, or its product with the query (kDecoded)
  double row = 0;    // and in the row's
};
struct Hit {
  std::size_t row = 0;
  double score = 0;
  std::string name;                // empty without names
  std::vector<SharedAtom> shared;  // what matched, most important first
};

// An index ready to be searched; may be used from many threads.
class DUALDICT_API Searcher {
 public:
  // Checks the file's checksums. Throws Error(kInput) when it is damaged, or was made with another model.
  Searcher(const Model& model, const std::string& path, std::size_t n_threads = 0);
  ~Searcher();
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;

  const IndexInfo& info() const;
  // The best hits of each query (a raw row, as those that were indexed), best first; rows that share no atom with the
  // query are none. Equal scores: the first row first.
  std::vector<std::vector<Hit>> search(MatrixView<const float> queries, const SearchOptions& options = {}) const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dualdict
