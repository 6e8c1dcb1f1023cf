// SPDX-License-Identifier: BSD-3-Clause
// What an encoder loses on its own dictionary, and how alike two dictionaries are.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dualdict/data.h"
#include "dualdict/export.h"
#include "dualdict/model.h"

namespace dualdict {

// One way of coding the samples with the dictionary of the model.
struct AuditRow {
  std::string code;                                       // "hard (own)", "greedy", "exact, refitted"
  double nonzeros = 0;                                    // per sample
  double unexplained = 0;                                 // share of the variance: |x - decoded|^2 over |x - mean|^2
  double explained = 0;                                   // 1 - unexplained
  double microseconds = 0;                                // of one thread, per sample
  double gap = std::numeric_limits<double>::quiet_NaN();  // the largest relative duality gap, where there is one

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("code", self.code);
    visit("nonzeros", self.nonzeros);
    visit("unexplained", self.unexplained);
    visit("explained", self.explained);
    visit("microseconds", self.microseconds);
    visit("gap", self.gap);
  }
};

struct Audit {
  std::string mode;           // the model's own
  std::size_t n_samples = 0;  // looked at
  std::size_t n_atoms = 0;
  std::size_t n_features = 0;
  std::size_t dead_atoms = 0;      // that no own code of these samples uses
  double mean_largest_cosine = 0;  // of an atom with the one most like it, of either sign
  double largest_cosine = 0;       // of two atoms
  double lost_to_greedy = 0;       // unexplained by its own codes over that of greedy codes, as many nonzeros
  double lost_to_exact = 0;        // the same for the exact codes, refitted
  std::string note;                // what was left out, and why; empty when nothing
  std::vector<AuditRow> rows;

  // Of all but the rows.
  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("mode", self.mode);
    visit("n_samples", self.n_samples);
    visit("n_atoms", self.n_atoms);
    visit("n_features", self.n_features);
    visit("dead_atoms", self.dead_atoms);
    visit("mean_largest_cosine", self.mean_largest_cosine);
    visit("largest_cosine", self.largest_cosine);
    visit("lost_to_greedy", self.lost_to_greedy);
    visit("lost_to_exact", self.lost_to_exact);
    visit("note", self.note);
  }
};

struct AuditOptions {
  std::string mode = {};            // default: the model's own, or `hard` where the own one is not one product
  std::size_t most_samples = 2000;  // evenly spread over the data
  std::size_t n_threads = 0;
};

// Codes the samples by the model's own encoder, by that code's support with least squares, and, with as many nonzeros
// on average, greedily and exactly (the l1 code with its certificate, and least squares on its support), all with the
// model's dictionary. Throws Error(kInput) when the data do not fit.
DUALDICT_API Audit audit(const Model& model, const DataSource& data, const AuditOptions& options = {});

// How the rows of one matrix pair with those of another.
struct Matched {
  double mean = 0;                 // |cosine| of the pairs of the best assignment, one to one: PW-MCC
  double share_above_9 = 0;        // of the pairs with |cosine| > .9
  double mean_largest = 0;         // of a row of the smaller with its most like one of the other, not one to one: MMCS
  std::vector<double> cosines;     // of the pairs, |cosine|, largest first
  std::vector<std::size_t> pairs;  // for each row of the first its partner; n of the second: none

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("mean", self.mean);
    visit("share_above_9", self.share_above_9);
    visit("mean_largest", self.mean_largest);
  }
};

struct Comparison {
  Matched dictionary;
  Matched dual;
  double dual_on_pairs = 0;  // mean |cosine| of the filters of the pairs of atoms
  double within_first = 0;   // mean largest |cosine| of an atom with another of the same dictionary
  double within_second = 0;

  template <class Self, class Visit>
  static void for_each_field(Self& self, Visit&& visit) {
    visit("dictionary", self.dictionary);
    visit("dual", self.dual);
    visit("dual_on_pairs", self.dual_on_pairs);
    visit("within_first", self.within_first);
    visit("within_second", self.within_second);
  }
};

// Throws Error(kInput) when the features differ in number or the K x K cosines would need more than 4 GiB.
DUALDICT_API Comparison compare(const Model& first, const Model& second, std::size_t n_threads = 0);

// Pages for people: one HTML file that loads nothing.
DUALDICT_API std::string audit_html(const Audit& result, const std::string& name);
DUALDICT_API std::string comparison_html(const Comparison& result, const std::string& first, const std::string& second);

}  // namespace dualdict
