// SPDX-License-Identifier: BSD-3-Clause
// The fields of a record, by name: each record lists them once, and whatever writes it down walks that list.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "dualdict/summary.h"

namespace dualdict {

struct AnyField {
  template <class Value>
  void operator()(const char*, Value&) const {}
};

// Energy, IterationRecord, LearnSummary, EncodingRow, EncodingTable, Verification, PreprocessOptions.
template <class Type>
concept Record = requires(Type& record) {
  std::remove_const_t<Type>::for_each_field(record, AnyField{});
};

// The record as a map of names, what make_map() returns: of JSON, of Python, of anything that takes map[name] = value.
// A record within becomes a map too, an outcome its name, a count that is not known NaN, and an energy has its total
// beside its terms.
template <Record Type, class MakeMap>
auto as_map(const Type& record, const MakeMap& make_map) {
  auto map = make_map();
  if constexpr (std::same_as<Type, Energy>) map["total"] = record.total();
  Type::for_each_field(record, [&]<class Value>(const char* name, const Value& value) {
    if constexpr (Record<Value>)
      map[name] = as_map(value, make_map);
    else if constexpr (std::same_as<Value, Outcome>)
      map[name] = std::string(outcome_name(value));
    else if constexpr (!std::same_as<Value, std::optional<std::size_t>>)
      map[name] = value;
    else if (value)
      map[name] = *value;
    else
      map[name] = std::numeric_limits<double>::quiet_NaN();
  });
  return map;
}

}  // namespace dualdict
