// SPDX-License-Identifier: BSD-3-Clause
#include "report/coded_sample.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/finite.h"
#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

constexpr std::size_t kMostCoded = 2000;
constexpr std::size_t kGalleryValues = 65536;  // about a quarter of a megabyte
constexpr std::size_t kFewestInGallery = 12;
constexpr std::size_t kMostInGallery = 64;
constexpr std::size_t kPictureValues = std::size_t{1} << 20U;
constexpr std::size_t kMostUsers = 4;
constexpr std::size_t kMostUses = 200000;  // in all: some megabytes

// n of the numbers below `of`, evenly spread.
std::vector<std::size_t> spread(std::size_t n, std::size_t of) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < std::min(n, of); ++i) rows.push_back(i * of / std::min(n, of));
  return rows;
}

Matrix<float> read_rows(const DataSource& data, const std::vector<std::size_t>& rows) {
  Matrix<float> samples(rows.size(), data.n_features());
  if (rows.size() == data.n_samples()) {
    data.read(0, samples.view());
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) data.read(rows[i], samples.view().row_range(i, 1));
  }
  require_finite(MatrixView<const float>(samples.view()), data.name());
  return samples;
}

Matrix<float> encode_with(const Model& model, const std::string& mode, const Matrix<float>& samples,
                          std::size_t n_threads) {
  EncodeOptions options;
  options.mode = mode;
  options.debias = false;
  options.n_threads = n_threads;
  Matrix<float> codes(samples.rows(), model.n_atoms());
  Encoder(model, options).encode(samples, codes);
  return codes;
}

// The best codes that the model has without being asked for more: a converted one its own, atoms alone a few each.
std::string mode_of_page(const ModelParts& parts) {
  constexpr std::size_t kAtoms = 10;
  if (!parts.own_mode.empty()) return parts.own_mode;
  if (parts.penalty == Penalty::kL1) return "exact";
  if (parts.find_encoder("greedy") != nullptr) return "greedy";
  return "omp:" + std::to_string(std::min({kAtoms, parts.dictionary.rows(), parts.dictionary.cols()}));
}

std::vector<std::size_t> histogram(const Matrix<float>& codes) {
  std::vector<std::size_t> counts(codes.cols() + 1, 0);
  for (std::size_t i = 0; i < codes.rows(); ++i) ++counts[count_nonzeros(codes.row(i), codes.cols())];
  while (counts.size() > 1 && counts.back() == 0) counts.pop_back();
  return counts;
}

Matrix<float> take(const Matrix<float>& from, const std::vector<std::size_t>& rows) {
  Matrix<float> taken(rows.size(), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(from.row(rows[i]), from.row(rows[i]) + from.cols(), taken.row(i));
  return taken;
}

// The samples with the largest |weights| of an atom, largest first.
std::vector<std::size_t> largest_users(const Matrix<float>& codes, std::size_t atom, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < codes.rows(); ++i)
    if (codes(i, atom) != 0) order.push_back(i);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    const float left = std::abs(codes(a, atom));
    const float right = std::abs(codes(b, atom));
    return left != right ? left > right : a < b;
  });
  order.erase(end, order.end());
  return order;
}

void draw_picture(const float* values, std::size_t n, std::uint8_t* out) {
  float largest = 0;
  for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(values[j]));
  const float divisor = largest > 0 ? largest : 1.0F;
  for (std::size_t j = 0; j < n; ++j)
    out[j] = static_cast<std::uint8_t>(std::lround(128 + 127 * (values[j] / divisor)));
}

void find_users(const Model& model, Matrix<float> samples, const Matrix<float>& codes, CodedSample& result) {
  const std::size_t values = std::max<std::size_t>(1, model.n_atoms() * model.n_features());
  result.users.resize(model.n_atoms());
  if (values > 4 * kPictureValues) return;
  const std::size_t most = std::clamp<std::size_t>(kPictureValues / values, 1, kMostUsers);
  std::map<std::size_t, std::size_t> picture_of;  // by coded sample
  if (samples.size() <= kPictureValues)           // all of them
    for (std::size_t i = 0; i < samples.rows(); ++i) {
      picture_of[i] = i;
      result.picture_samples.push_back(i);
    }
  for (std::size_t atom = 0; atom < model.n_atoms(); ++atom)
    for (const std::size_t sample : largest_users(codes, atom, most)) {
      const auto [entry, is_new] = picture_of.try_emplace(sample, result.picture_samples.size());
      if (is_new) result.picture_samples.push_back(sample);
      result.users[atom].push_back({entry->second, static_cast<double>(codes(sample, atom))});
    }
  model.parts().transform.apply(samples.view());
  result.pictures = Matrix<std::uint8_t>(result.picture_samples.size(), samples.cols());
  for (std::size_t i = 0; i < result.picture_samples.size(); ++i)
    draw_picture(samples.row(result.picture_samples[i]), samples.cols(), result.pictures.row(i));
}

std::vector<AtomUses> find_uses(const Matrix<float>& codes, const std::vector<std::size_t>& usage) {
  std::size_t all = 0;
  for (const std::size_t n : usage) all += n;
  // Of each atom as many as it takes for all together to fit.
  const std::size_t most = all <= kMostUses ? codes.rows() : std::max<std::size_t>(1, kMostUses / usage.size());
  std::vector<AtomUses> uses(usage.size());
  for (std::size_t atom = 0; atom < usage.size(); ++atom) {
    uses[atom].samples = largest_users(codes, atom, most);
    for (const std::size_t sample : uses[atom].samples)
      uses[atom].weights.push_back(static_cast<double>(codes(sample, atom)));
  }
  return uses;
}

void check(const Model& model, const DataSource& data) {
  if (data.n_features() != model.n_features())
    throw Error(ErrorKind::kInput, data.name() + ": samples of " + std::to_string(data.n_features()) +
                                       " features are not allowed: the model was learned from samples of " +
                                       std::to_string(model.n_features()));
  if (data.n_samples() == 0)
    throw Error(ErrorKind::kInput, data.name() + ": has no samples; a page needs at least one");
}

}  // namespace

CodedSample code_sample(const Model& model, const DataSource& data, std::size_t n_threads) {
  check(model, data);
  const std::vector<std::size_t> rows = spread(kMostCoded, data.n_samples());
  const Matrix<float> samples = read_rows(data, rows);
  const Matrix<float> codes = encode_with(model, mode_of_page(model.parts()), samples, n_threads);

  CodedSample result;
  result.n_coded = rows.size();
  const auto [smallest, largest] = std::minmax_element(samples.data(), samples.data() + samples.size());
  result.smallest = static_cast<double>(*smallest);
  result.largest = static_cast<double>(*largest);
  result.usage.assign(model.n_atoms(), 0);
  for (std::size_t i = 0; i < codes.rows(); ++i)
    for (std::size_t j = 0; j < codes.cols(); ++j) result.usage[j] += codes(i, j) != 0 ? 1 : 0;
  result.exact_histogram = histogram(codes);
  if (model.parts().find_encoder("sparse") != nullptr)
    result.sparse_histogram = histogram(encode_with(model, "sparse", samples, n_threads));

  const std::size_t n_gallery =
      std::clamp(kGalleryValues / std::max<std::size_t>(1, model.n_features()), kFewestInGallery, kMostInGallery);
  const std::vector<std::size_t> chosen = spread(n_gallery, rows.size());
  result.gallery = take(samples, chosen);
  result.gallery_codes = take(codes, chosen);
  for (const std::size_t i : chosen) result.gallery_rows.push_back(rows[i]);
  find_users(model, samples, codes, result);
  result.uses = find_uses(codes, result.usage);
  result.rows = rows;
  return result;
}

}  // namespace dualdict
