// SPDX-License-Identifier: BSD-3-Clause
#include "tasks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "dualdict/data.h"

namespace dualdict::bench {
namespace {

constexpr std::size_t kSide = 12;
constexpr std::size_t kTestEvery = 5;  // of the images in the order of their paths

Matrix<float> rows_of(const DataSource& source, std::size_t first, std::size_t count) {
  Matrix<float> rows(count, source.n_features());
  source.read(first, rows.view());
  return rows;
}

Matrix<float> patches_of(const std::vector<std::string>& images, std::size_t n, std::uint64_t seed) {
  constexpr float kWhite = 125;
  PatchOptions patches;
  patches.height = patches.width = kSide;
  patches.n_samples = n;
  patches.seed = seed;
  patches.color = ImageColor::kGrey;
  Matrix<float> samples = rows_of(*open_data(images, {patches}), 0, n);
  for (std::size_t i = 0; i < n; ++i) {
    float mean = 0;
    for (std::size_t f = 0; f < samples.cols(); ++f) mean += samples(i, f) / static_cast<float>(samples.cols());
    for (std::size_t f = 0; f < samples.cols(); ++f) samples(i, f) = (samples(i, f) - mean) / kWhite;
  }
  return samples;
}

Task patches(const std::string& folder, bool choice) {
  std::vector<std::string> images, learn, test;
  for (const char* part : {"train", "val"})
    for (const auto& file : std::filesystem::directory_iterator(folder + "/bsds/" + part))
      images.push_back(file.path().string());
  std::sort(images.begin(), images.end());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const bool is_test = i % kTestEvery == 0;
    if (choice && is_test) continue;
    const bool is_tested = choice ? i % kTestEvery == 1 : is_test;
    (is_tested ? test : learn).push_back(images[i]);
  }
  Task task;
  task.learn = patches_of(learn, 90000, 1);
  task.test = patches_of(test, 6000, 2);
  task.nonzeros = choice ? std::vector<double>{4, 20, 60} : std::vector<double>{7, 40, 69};
  return task;
}

Task digits(const std::string& folder, bool choice) {
  constexpr float kWhite = 255;
  const auto source = open_data({folder + "/mnist/train-images-idx3-ubyte.gz"});
  Task task;
  task.learn = rows_of(*source, choice ? 3000 : 0, choice ? 42000 : 45000);
  task.test = rows_of(*source, choice ? 0 : 45000, 3000);
  for (Matrix<float>* part : {&task.learn, &task.test})
    for (std::size_t e = 0; e < part->size(); ++e) part->data()[e] /= kWhite;
  task.nonzeros = choice ? std::vector<double>{8, 30} : std::vector<double>{13, 53};
  return task;
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half >> 15) << 31;
  const std::uint32_t exponent = half >> 10 & 31U;
  const std::uint32_t fraction = half & 1023U;
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

Task sentences(const std::string& folder, bool choice) {
  constexpr std::size_t kHeader = 128, kFeatures = 384;
  std::ifstream file(folder + "/sentences/glosses.npy", std::ios::binary);
  if (!file) throw std::runtime_error("sentences/glosses.npy is not there");
  const auto read = [&](std::size_t first, std::size_t count) {
    std::vector<std::uint16_t> halves(count * kFeatures);
    file.seekg(static_cast<std::streamoff>(kHeader + first * kFeatures * sizeof(std::uint16_t)));
    file.read(reinterpret_cast<char*>(halves.data()), static_cast<std::streamsize>(2 * halves.size()));
    Matrix<float> rows(count, kFeatures);
    for (std::size_t e = 0; e < halves.size(); ++e) rows.data()[e] = from_half(halves[e]);
    return rows;
  };
  Task task;
  task.learn = read(choice ? 3000 : 0, choice ? 67000 : 70000);
  task.test = read(choice ? 0 : 70000, 3000);
  task.n_atoms = choice ? 512 : 1024;
  task.nonzeros = {choice ? 20.0 : 32.0};
  task.centred_error = true;
  return task;
}

}  // namespace

Task make_task(const std::string& folder, const std::string& name) {
  const std::string suffix = "-choice";
  const bool choice = name.ends_with(suffix);
  const std::string plain = choice ? name.substr(0, name.size() - suffix.size()) : name;
  Task task;
  if (plain == "patches")
    task = patches(folder, choice);
  else if (plain == "digits")
    task = digits(folder, choice);
  else if (plain == "sentences")
    task = sentences(folder, choice);
  else
    throw std::runtime_error("no task '" + name + "': patches, digits or sentences, with -choice or without");
  task.name = name;
  return task;
}

}  // namespace dualdict::bench
