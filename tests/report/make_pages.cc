// SPDX-License-Identifier: BSD-3-Clause
// Pages for the browser tests that no command can make: make_pages FOLDER [PAYLOADS A PAGE]
//   hostile-N.html   200 payloads, each in every string of a report; hostile-benign.html the same with plain words
//   large.html       a model of 1024 atoms of 28 x 28 pixels
// Prints the number of payloads and of hostile pages. With five payloads a page, the default, a list of a report holds
// one in each entry, and a single string all of them: one that does not break out leaves the next where it would be
// alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/random.h"
#include "dualdict/report.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// What could break out of an element, an attribute, a string of a script, a style, a comment or an SVG.
std::vector<std::string> payloads() {
  const std::vector<std::string> actions = {
      "<script>window.owned=1</script>",
      "<img src=x onerror=window.owned=1>",
      "<svg onload=window.owned=1>",
      "<iframe src=javascript:parent.owned=1></iframe>",
      "<a href=\"javascript:window.owned=1\">x</a>",
      "<style>*{display:none}</style>",
      "<base href=//example.com/>",
      "<meta http-equiv=refresh content=\"0;url=//example.com\">",
      "<link rel=stylesheet href=//example.com/x.css>",
      "javascript:window.owned=1",
  };
  const std::vector<std::string> openings = {
      "",
      "\"",
      "'",
      "\">",
      "'>",
      "</script>",
      "</title>",
      "</style>",
      "-->",
      "]]>",
      "\\\"",
      "\\u003c",
      "${",
      "`+",
      "</textarea>",
      "&lt;&quot;&gt;",
      "\xE2\x80\xA8",
      "\xE2\x80\xAE",
      "\xFF\xFE",
      "<!--<script>",
  };
  std::vector<std::string> all;
  for (const std::string& opening : openings)
    for (const std::string& action : actions) all.push_back(opening + action);
  return all;
}

// A source with a name of its own.
class Named final : public DataSource {
 public:
  Named(Matrix<float> samples, std::string name) : source_(make_source(std::move(samples))), name_(std::move(name)) {}
  std::size_t n_samples() const override { return source_->n_samples(); }
  std::size_t n_features() const override { return source_->n_features(); }
  ElementType element_type() const override { return source_->element_type(); }
  SampleShape sample_shape() const override { return source_->sample_shape(); }
  std::string name() const override { return name_; }
  void read(std::size_t first, MatrixView<float> out) const override { source_->read(first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { source_->read(first, out); }

 private:
  std::unique_ptr<DataSource> source_;
  std::string name_;
};

Matrix<double> random_atoms(std::size_t n, std::size_t d) {
  Random random(5, 0);
  Matrix<double> atoms(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) atoms(i, j) = random.normal();
    const double length = norm(atoms.row(i), d);
    for (std::size_t j = 0; j < d; ++j) atoms(i, j) /= length;
  }
  return atoms;
}

FittedEncoder encoder(const char* mode, const Matrix<double>& atoms, bool feedback) {
  const std::vector<double> ones(atoms.rows(), 1.0);
  const std::vector<double> small(atoms.rows(), 0.1);
  FittedEncoder result;
  result.mode = mode;
  result.weights = atoms;
  if (feedback) result.feedback = Matrix<double>(atoms.rows(), atoms.rows());
  result.gain = ones;
  result.threshold = small;
  result.growth = std::vector<double>(atoms.rows(), 0.0);
  result.tau_slope = result.growth;
  result.decoder = atoms;
  return result;
}

ModelParts parts_of(std::size_t n, std::size_t d) {
  ModelParts parts;
  parts.dictionary = parts.dual = random_atoms(n, d);
  parts.tau = 0.1;
  parts.eta = 1;
  parts.encoders = {encoder("sparse", parts.dictionary, false), encoder("corrected", parts.dictionary, true)};
  parts.provenance.usage.assign(n, 1);
  parts.provenance.summary.n_samples = 10;
  parts.provenance.summary.n_features = d;
  return parts;
}

// The page shows the names of five features of an atom.
constexpr std::size_t kListed = 5;

std::string hostile_page(const std::vector<std::string>& payloads) {
  std::string words;
  for (const std::string& payload : payloads) words += (words.empty() ? "" : " ") + payload;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < kListed; ++i) listed.push_back(payloads[i % payloads.size()]);
  ModelParts parts = parts_of(4, kListed);
  parts.provenance.version = words;
  parts.provenance.data_name = words;
  parts.provenance.data_fingerprint = words;
  parts.provenance.summary.message = words;
  for (const std::string& name : listed) {
    EncodingRow row;
    row.mode = name;
    parts.provenance.encoding.rows.push_back(row);
  }
  Matrix<float> samples(kListed, kListed);
  for (std::size_t i = 0; i < samples.size(); ++i) samples.data()[i] = static_cast<float>(i % 7) - 1.5F;
  const Named data(std::move(samples), words);
  ReportOptions options;
  options.title = words;
  options.data = &data;
  options.feature_names = listed;
  options.sample_names = listed;
  // Equal ones would be one class, and the page another.
  for (std::size_t i = 0; i < listed.size(); ++i) options.sample_labels.push_back(listed[i] + std::to_string(i));
  options.trace = std::vector<IterationRecord>(3);
  options.n_threads = 1;
  return report_html(Model(std::move(parts)), options);
}

// Not durably: two hundred flushes to the disk would take longer than the tests.
void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

int make_pages(const std::string& folder, std::size_t payloads_a_page) {
  write(folder + "/hostile-benign.html", hostile_page({"plain words"}));
  const std::vector<std::string> all = payloads();
  std::size_t n_pages = 0;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = first + std::min(static_cast<std::ptrdiff_t>(payloads_a_page), all.end() - first);
    write(folder + "/hostile-" + std::to_string(n_pages++) + ".html", hostile_page({first, last}));
    first = last;
  }
  ModelParts large = parts_of(1024, 784);
  large.shape = {28, 28};
  write(folder + "/large.html", report_html(Model(std::move(large))));
  std::printf("%zu %zu\n", all.size(), n_pages);
  return 0;
}

}  // namespace
}  // namespace dualdict

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return 2;
  const int payloads_a_page = argc == 3 ? std::atoi(argv[2]) : 5;
  return payloads_a_page < 1 || payloads_a_page > 5
             ? 2
             : dualdict::make_pages(argv[1], static_cast<std::size_t>(payloads_a_page));
}
