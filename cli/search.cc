// SPDX-License-Identifier: BSD-3-Clause
// dualdict search
#include "dualdict/search.h"

#include <memory>

#include "command.h"
#include "data_flags.h"
#include "dualdict/error.h"
#include "dualdict/exchange.h"
#include "json.h"
#include "output.h"
#include "printable.h"
#include "table_flags.h"
#include "text.h"

namespace dualdict::cli {
namespace {

constexpr const char* kSearchExamples =
    "Examples:\n"
    "  dualdict search vectors.ddx model.safetensors queries.npy\n"
    "  dualdict search vectors.ddx model.safetensors queries.npy --hits 100 --score bm25 --json > hits.jsonl\n"
    "  dualdict search vectors.ddx model.safetensors queries.npy --rerank 200\n";

struct SearchArguments {
  std::string index;
  std::string model;
  std::string input;
  std::string score = "decoded";
  bool json = false;
  SearchOptions options;
  DataFlags data;
};

Json hit_json(const Hit& hit, bool named) {
  Json json;
  json["row"] = hit.row;
  if (named) json["name"] = hit.name;
  json["score"] = hit.score;
  json["atoms"] = Json::array();
  for (const SharedAtom& shared : hit.shared)
    json["atoms"].push_back({{"atom", shared.atom}, {"query", shared.query}, {"row", shared.row}});
  return json;
}

std::string hits_text(std::size_t query, const std::vector<Hit>& hits) {
  constexpr std::size_t kAtoms = 3;
  std::vector<std::vector<std::string>> rows;
  for (const Hit& hit : hits) {
    std::string atoms;
    for (std::size_t i = 0; i < std::min(kAtoms, hit.shared.size()); ++i)
      atoms += (i == 0 ? "atoms " : ", ") + std::to_string(hit.shared[i].atom);
    if (hit.shared.size() > kAtoms) atoms += " and " + std::to_string(hit.shared.size() - kAtoms) + " more";
    rows.push_back({short_number(hit.score), "row " + std::to_string(hit.row), atoms, one_line(hit.name)});
  }
  return "query " + std::to_string(query) + (hits.empty() ? ": nothing shares an atom with it\n" : "\n") +
         align(rows, 4, "  ");
}

int run_search(const SearchArguments& arguments) {
  constexpr std::size_t kQueries = 256;
  SearchOptions options = arguments.options;
  options.score = parse_score(arguments.score);
  const Searcher searcher(load_any(arguments.model), arguments.index);
  const Input input({arguments.input}, data_options(arguments.data, 0));
  if (input->n_features() != searcher.info().n_features)
    throw Error(ErrorKind::kInput, input->name() + ": queries of " + std::to_string(input->n_features()) +
                                       " features; the index takes " + std::to_string(searcher.info().n_features));
  for (std::size_t first = 0; first < input->n_samples(); first += kQueries) {
    Matrix<float> queries(std::min(kQueries, input->n_samples() - first), input->n_features());
    input->read(first, queries.view());
    const auto found = searcher.search(MatrixView<const float>(queries.view()), options);
    std::string text;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!arguments.json) {
        text += hits_text(first + i, found[i]);
        continue;
      }
      Json line = {{"query", first + i}, {"hits", Json::array()}};
      for (const Hit& hit : found[i]) line["hits"].push_back(hit_json(hit, searcher.info().named));
      text += dump(line);
    }
    write_stdout(text);
  }
  return 0;
}

}  // namespace

Command add_search(CLI::App& root) {
  CLI::App* app = root.add_subcommand("search", "Find the rows of an index that are most like given ones");
  const auto arguments = std::make_shared<SearchArguments>();
  app->footer(kSearchExamples);
  app->add_option("INDEX", arguments->index, "what `dualdict index` made")->required()->type_name("");
  app->add_option("MODEL", arguments->model, "the model that it was made with")->required()->type_name("");
  app->add_option("INPUT", arguments->input, "queries, as rows: a matrix file, or - for standard input")
      ->required()
      ->type_name("");
  add_count(*app, "--hits", arguments->options.n_hits, "for each query; default 10", 1, 1000000);
  app->add_option("--score", arguments->score,
                  "decoded, cosine of the query with what a row's code decodes to (default); dot, the product of the "
                  "codes; cosine, also over their lengths; bm25, rare atoms count more and large weights less")
      ->type_name("NAME");
  add_count(*app, "--query-atoms", arguments->options.query_atoms,
            "of decoded: atoms of a query that count; default four times the nonzeros of a row", 1, 65536);
  add_count(*app, "--rerank", arguments->options.rerank,
            "order so many of the best anew by what their codes decode to, with all atoms; needs `index --decoded`", 0,
            1000000);
  app->add_flag("--json", arguments->json, "a JSON object a line for each query, with the atoms that matched");
  add_data_flags(*app, arguments->data);
  return {app, [arguments] { return run_search(*arguments); }};
}

}  // namespace dualdict::cli
