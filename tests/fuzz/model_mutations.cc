// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/model_mutations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/bytes/input_error.h"
#include "model/file/model_file.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
const T& any_of(const std::vector<T>& choices, Random& random) {
  return choices[random.index(choices.size())];
}

double any_number(Random& random) {
  using Limits = std::numeric_limits<double>;
  static const std::vector<double> numbers{0.0,
                                           -0.0,
                                           1.0,
                                           -1.0,
                                           0.5,
                                           1e-300,
                                           1e-45,
                                           1e-38,
                                           1e30,
                                           1e38,
                                           1e300,
                                           -1e38,
                                           3.0,
                                           1e6,
                                           Limits::infinity(),
                                           Limits::quiet_NaN()};
  return random.index(3) == 0 ? random.normal() : any_of(numbers, random);
}

Json any_value(Random& random) {
  static const std::vector<Json> values{nullptr,
                                        true,
                                        -1,
                                        0,
                                        1,
                                        2,
                                        3,
                                        1000,
                                        1000000,
                                        4294967296U,
                                        18446744073709551615ULL,
                                        0.5,
                                        -1e-300,
                                        1e-30,
                                        1e30,
                                        1e308,
                                        "",
                                        "CONVERGED",
                                        "float64",
                                        "refine:3",
                                        "\x1b[2J</script><script>",
                                        std::string(5000, 'x'),
                                        Json::array(),
                                        Json::object(),
                                        Json::array({1, "a", nullptr}),
                                        Json::array({Json::array({Json::object()})})};
  return any_of(values, random);
}

// Some value within the document, and its parent.
struct Place {
  Json* parent;
  std::string key;
};

void list_places(Json& json, std::vector<Place>& places) {
  if (json.is_object())
    for (auto& [key, value] : json.items()) {
      places.push_back({&json, key});
      list_places(value, places);
    }
  if (json.is_array())
    for (std::size_t i = 0; i < std::min<std::size_t>(json.size(), 8); ++i) {
      places.push_back({&json, std::to_string(i)});
      list_places(json[i], places);
    }
}

Json& value_at(const Place& place) {
  return place.parent->is_array() ? (*place.parent)[std::stoul(place.key)] : (*place.parent)[place.key];
}

void change_description(TensorFile& file, Random& random) {
  std::string& text = file.metadata["description"];
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_structured() || random.index(50) == 0) {  // bytes of it, whatever they are
    if (!text.empty()) text[random.index(text.size())] = static_cast<char>(32 + random.index(95));
    return;
  }
  std::vector<Place> places;
  list_places(json, places);
  if (places.empty()) return;
  const Place place = any_of(places, random);
  Json& value = value_at(place);
  switch (random.index(6)) {
    case 0:
      if (place.parent->is_object()) place.parent->erase(place.key);
      break;
    case 1:
      value = value_at(any_of(places, random));
      break;
    case 2:
      if (value.is_number()) value = value.get<double>() * std::pow(10, static_cast<double>(random.index(80)) - 40);
      break;
    case 3:
      if (value.is_array() && !value.empty()) value.push_back(value.back());
      if (value.is_object()) value["unknown"] = any_value(random);
      break;
    default:
      value = any_value(random);
  }
  text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void resize_to_shape(Tensor& tensor) {
  std::vector<std::uint64_t> factors(tensor.shape.begin(), tensor.shape.end());
  factors.push_back(size_of(tensor.dtype));
  const auto size = checked_product(factors);
  if (!size || *size > 100000) tensor.shape = {tensor.bytes.size() / size_of(tensor.dtype)};
  tensor.bytes.resize(size && *size <= 100000 ? *size : tensor.shape[0] * size_of(tensor.dtype));
}

void change_shape(Tensor& tensor, Random& random) {
  static const std::vector<std::size_t> sizes{0, 1, 2, 3, 4, 5, 12, 100, std::size_t{1} << 40};
  switch (random.index(4)) {
    case 0:
      std::reverse(tensor.shape.begin(), tensor.shape.end());
      break;
    case 1:
      tensor.shape.push_back(any_of(sizes, random));
      break;
    case 2:
      if (!tensor.shape.empty()) tensor.shape.pop_back();
      break;
    default:
      if (!tensor.shape.empty()) tensor.shape[random.index(tensor.shape.size())] = any_of(sizes, random);
  }
  resize_to_shape(tensor);
}

// One element, some, or all.
void change_values(Tensor& tensor, Random& random) {
  const std::size_t n = tensor.bytes.size() / size_of(tensor.dtype);
  if (n == 0) return;
  const std::size_t count = any_of<std::size_t>({1, 2, n}, random);
  const double value = any_number(random);
  const bool same = random.index(2) == 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == n ? i : random.index(n);
    const double number = same ? value : any_number(random);
    if (tensor.dtype == DType::kFloat64) {
      std::memcpy(tensor.bytes.data() + at * sizeof(double), &number, sizeof(double));
    } else {
      const auto single = static_cast<float>(number);
      std::memcpy(tensor.bytes.data() + at * sizeof(float), &single, sizeof(float));
    }
  }
}

void change_tensor(TensorFile& file, Random& random) {
  if (file.tensors.empty()) return;
  const std::size_t at = random.index(file.tensors.size());
  Tensor& tensor = file.tensors[at];
  switch (random.index(7)) {
    case 0:
      file.tensors.erase(file.tensors.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      tensor.name += any_of<std::string>({"x", ".weights", "\x1b[2J"}, random);
      break;
    case 2:
      std::swap(tensor.name, file.tensors[random.index(file.tensors.size())].name);
      break;
    case 3:
      tensor.dtype = tensor.dtype == DType::kFloat32 ? DType::kFloat64 : DType::kFloat32;
      resize_to_shape(tensor);
      break;
    case 4:
      change_shape(tensor, random);
      break;
    default:
      change_values(tensor, random);
  }
}

// Another number of atoms everywhere: what fits together and is unlike what a fit makes.
void change_atoms(TensorFile& file, Random& random) {
  const Tensor* dictionary = file.find("dictionary");
  if (dictionary == nullptr || dictionary->shape.empty()) return;
  const std::size_t before = dictionary->shape[0];
  const std::size_t after = 1 + random.index(9);
  Json json = Json::parse(file.metadata["description"], nullptr, false);
  if (!json.is_object() || !json.contains("shape") || !json["shape"].is_object()) return;
  json["shape"]["n_atoms"] = after;
  if (json.contains("usage") && json["usage"].is_array()) json["usage"] = Json(std::vector<std::size_t>(after, 3));
  file.metadata["description"] = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (Tensor& tensor : file.tensors) {
    for (std::size_t& size : tensor.shape)
      if (size == before) size = after;
    resize_to_shape(tensor);
  }
}

}  // namespace

void mutate(TensorFile& file, Random& random) {
  for (std::size_t n = 1 + random.index(4); n > 0; --n) {
    const std::size_t kind = random.index(20);
    if (kind < 10)
      change_description(file, random);
    else if (kind < 17)
      change_tensor(file, random);
    else if (kind < 19)
      change_atoms(file, random);
    else
      file.metadata[any_of<std::string>({"format", "schema", "more", "description"}, random)] =
          any_of<std::string>({"", "0", "1", "2", "dualdict", "{}", "\x1b[2J"}, random);
  }
  file.metadata["checksum"] = model_checksum(file);
}

}  // namespace dualdict
