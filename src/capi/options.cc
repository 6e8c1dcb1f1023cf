// SPDX-License-Identifier: BSD-3-Clause
// Options of learning by name: the rows of the option table, and preprocessing.
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

#include "capi/guard.h"
#include "capi/handles.h"

namespace dualdict::capi {
namespace {

void assign(const std::string& name, std::string_view text, double& field) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  if (!whole || !(value > 0) || value > std::numeric_limits<double>::max())
    throw Error(ErrorKind::kUsage, name + ": " + std::string(text) + " is not allowed: a number > 0");
  field = value;
}
void assign(const std::string& name, std::string_view text, bool& field) {
  if (text != "true" && text != "false")
    throw Error(ErrorKind::kUsage, name + ": " + std::string(text) + " is not allowed: true or false");
  field = text == "true";
}

std::string text_of(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(std::begin(buffer), std::end(buffer), value).ptr);
}
std::string text_of(bool value) {
  return value ? "true" : "false";
}

// Calls use(name, field) for the field of that name, written as on the command line; false when there is none.
template <class Options, class Use>
bool with_preprocess_field(Options& options, std::string_view wanted, const Use& use) {
  bool found = false;
  PreprocessOptions::for_each_field(options, [&](const char* field_name, auto& field) {
    std::string name = field_name;
    std::replace(name.begin(), name.end(), '_', '-');
    if (name != wanted) return;
    found = true;
    use(name, field);
  });
  return found;
}

[[noreturn]] void refuse_name(const std::string& name) {
  throw Error(ErrorKind::kUsage, "option " + name + ": there is none of this name; `dualdict options` lists them");
}

Matrix<double> copy_of(const double* elements, std::size_t rows, std::size_t cols, const char* name) {
  return convert<double>(view_of(elements, rows, cols, name));
}

}  // namespace
}  // namespace dualdict::capi

using namespace dualdict;        // NOLINT(google-build-using-namespace)
using namespace dualdict::capi;  // NOLINT(google-build-using-namespace)

dualdict_status dualdict_options_new(dualdict_options** options, dualdict_error** error) {
  return guarded(error, [&] { hand_out(options, "options", [] { return new dualdict_options; }); });
}

dualdict_status dualdict_options_set(dualdict_options* options, const char* name, const char* value,
                                     dualdict_error** error) {
  return guarded(error, [&] {
    dualdict_options& all = require(options, "options");
    const std::string wanted = &require(name, "name");
    const std::string text = &require(value, "value");
    if (const OptionInfo* row = find_learn_option(wanted))
      set_option(all.learn, *row, text);
    else if (!with_preprocess_field(all.preprocess, wanted,
                                    [&](const std::string& known, auto& field) { assign(known, text, field); }))
      refuse_name(wanted);
  });
}

dualdict_status dualdict_options_get(const dualdict_options* options, const char* name, char** value,
                                     dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(value, "value", [&] {
      const dualdict_options& all = require(options, "options");
      const std::string wanted = &require(name, "name");
      std::string text;
      if (const OptionInfo* row = find_learn_option(wanted))
        text = option_text(all.learn, *row);
      else if (!with_preprocess_field(all.preprocess, wanted,
                                      [&](const std::string&, const auto& field) { text = text_of(field); }))
        refuse_name(wanted);
      return new_text(text);
    });
  });
}

dualdict_status dualdict_options_start(dualdict_options* options, const double* dictionary, const double* dual,
                                       size_t n_atoms, size_t n_features, dualdict_error** error) {
  return guarded(error, [&] {
    LearnOptions& learn = require(options, "options").learn;
    Matrix<double> first_dictionary = copy_of(&require(dictionary, "dictionary"), n_atoms, n_features, "dictionary");
    Matrix<double> first_dual;
    if (dual != nullptr) first_dual = copy_of(dual, n_atoms, n_features, "dual");
    learn.initial_dictionary = std::move(first_dictionary);
    learn.initial_dual = std::move(first_dual);
  });
}

void dualdict_options_free(dualdict_options* options) {
  delete options;
}

dualdict_status dualdict_describe_options(char** json, dualdict_error** error) {
  return guarded(error, [&] { hand_out(json, "json", [] { return new_text(describe_options_json()); }); });
}
