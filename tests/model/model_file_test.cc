// SPDX-License-Identifier: BSD-3-Clause
#include "model/file/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "dualdict/error.h"
#include "model/example_model.h"
#include "model/file/description.h"

namespace dualdict {
namespace {

using nlohmann::json;

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::path(testing::TempDir()) / (std::string("dualdict_") + info->name() + ".safetensors"))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void flip(std::size_t at, std::size_t bit) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ (1 << bit)));
  }
  // The message of the error that loading gives; empty when it loads.
  std::string refusal() const {
    try {
      Model::load(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput) << error.what();
      return error.what();
    }
    return "";
  }
  // The message with one bit flipped; the bit is flipped back afterwards.
  std::string refusal_of_flip(std::size_t at, std::size_t bit) const {
    flip(at, bit);
    std::string message = refusal();
    flip(at, bit);
    return message;
  }
  // A file with a right checksum whose content was changed: the message names the file and `named`.
  void expect_refused(const std::string& named, const std::function<void(TensorFile&)>& damage) const {
    TensorFile file = to_tensor_file(Model(example_parts()).parts());
    damage(file);
    file.metadata["checksum"] = model_checksum(file);
    write_safetensors(path_, file);
    const std::string message = refusal();
    EXPECT_NE(message.find(path_), std::string::npos) << named << ": " << message;
    EXPECT_NE(message.find(named), std::string::npos) << named << ": " << message;
  }
  void expect_description_refused(const std::string& named, const std::function<void(json&)>& damage) const {
    expect_refused(named, [&](TensorFile& file) {
      json document = json::parse(file.metadata["description"]);
      damage(document);
      file.metadata["description"] = document.dump();
    });
  }

  std::string path_;
};

Tensor& tensor(TensorFile& file, const std::string& name) {
  for (Tensor& one : file.tensors)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

TEST_F(ModelFile, RoundTripIsExact) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Model model(example_parts(dtype));
    model.save(path_);
    const Model loaded = Model::load(path_);
    expect_same(loaded.parts(), model.parts());
    // Everything else is in the description, with numbers that read back to the same bits; NaN has no equal.
    EXPECT_EQ(describe_json(loaded), describe_json(model));
    const Provenance& provenance = loaded.parts().provenance;
    EXPECT_EQ(provenance.summary.energy.l1, 0.1 + 0.2);
    EXPECT_EQ(provenance.summary.message, example_summary().message);
    EXPECT_EQ(provenance.summary.n_iterations, 200u);
    EXPECT_EQ(provenance.summary.given.tau, std::nullopt);
    EXPECT_EQ(provenance.summary.used.tau, 0.3);
    EXPECT_EQ(provenance.summary.used.solver, Solver::kFista);
    EXPECT_TRUE(provenance.summary.used.positive_codes);
    EXPECT_EQ(provenance.usage, model.parts().provenance.usage);
    EXPECT_EQ(provenance.encoding.rows.at(0).samples_per_second, 1.66e6);
    EXPECT_TRUE(std::isnan(provenance.encoding.rows.at(1).code_error));
    EXPECT_EQ(loaded.parts().mean_norm, 1.0 / 7);
    EXPECT_EQ(loaded.parts().shape, model.parts().shape);
  }
}

TEST_F(ModelFile, KeepsTheWeightsOfLearningBesideThoseOfCoding) {
  ModelParts parts = example_parts();
  parts.eta = 0;
  parts.learning_eta = 0.03;
  parts.learning_tau = 0.1 + 0.2;
  const Model loaded = Model::from_bytes(Model(parts).to_bytes());
  EXPECT_EQ(loaded.parts().eta, 0);
  EXPECT_EQ(loaded.parts().tau, parts.tau);
  EXPECT_EQ(loaded.parts().learning_eta, 0.03);
  EXPECT_EQ(loaded.parts().learning_tau, 0.1 + 0.2);
  // Files without them, all of earlier versions, were learned with the weights they code with.
  EXPECT_EQ(Model::from_bytes(Model(example_parts()).to_bytes()).parts().learning_eta, std::nullopt);
  parts.learning_eta = -1;
  EXPECT_THROW(Model{parts}, Error);
}

TEST_F(ModelFile, RoundTripWithoutOptionalPartsIsExact) {
  ModelParts parts;
  parts.dtype = DType::kFloat64;
  parts.dictionary = example_parts().dictionary;
  parts.dual = example_parts().dual;
  const Model model(parts);
  model.save(path_);
  const TensorFile file = read_safetensors(path_);
  EXPECT_EQ(file.tensors.size(), 2u);
  const Model loaded = Model::load(path_);
  expect_same(loaded.parts(), model.parts());
  EXPECT_EQ(describe_json(loaded), describe_json(model));
  EXPECT_TRUE(loaded.parts().encoders.empty());
}

TEST_F(ModelFile, SameModelGivesSameBytes) {
  Model(example_parts()).save(path_);
  const std::string first = bytes();
  Model::load(path_).save(path_);
  EXPECT_EQ(bytes(), first);
  ModelParts other = example_parts();
  other.provenance.summary.given.seed = 1;
  Model(other).save(path_);
  EXPECT_NE(bytes(), first);
}

TEST_F(ModelFile, BytesInMemoryAreThoseOfTheFile) {
  const Model model(example_parts(DType::kFloat32));
  model.save(path_);
  const std::string stored = model.to_bytes();
  EXPECT_EQ(stored, bytes());
  EXPECT_EQ(Model::from_bytes(stored).to_bytes(), stored);
  std::string damaged = stored;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_THROW(Model::from_bytes(damaged), Error);
  EXPECT_THROW(Model::from_bytes(stored.substr(0, stored.size() - 1)), Error);
}

TEST_F(ModelFile, HasTheDocumentedTensors) {
  const TensorFile file = to_tensor_file(Model(example_parts()).parts());
  std::map<std::string, std::vector<std::size_t>> shapes;
  for (const Tensor& one : file.tensors) shapes[one.name] = one.shape;
  const std::vector<std::size_t> matrix = {4, 6};
  const std::vector<std::size_t> vector = {4};
  for (const std::string name :
       {"dictionary", "dual", "decoder", "decoder.corrected", "encoder.sparse.weights", "encoder.corrected.weights"})
    EXPECT_EQ(shapes.at(name), matrix) << name;
  for (const std::string encoder : {"encoder.sparse", "encoder.corrected"}) {
    for (const std::string part : {".gain", ".threshold", ".growth", ".tau_slope"})
      EXPECT_EQ(shapes.at(encoder + part), vector) << encoder << part;
    EXPECT_EQ(shapes.at(encoder + ".quantiles"), (std::vector<std::size_t>{4, 5}));
  }
  EXPECT_EQ(shapes.at("encoder.corrected.feedback"), (std::vector<std::size_t>{4, 4}));
  EXPECT_EQ(shapes.at("transform.feature_means"), (std::vector<std::size_t>{6}));
  EXPECT_EQ(shapes.at("decoder.hard"), matrix);
  EXPECT_EQ(shapes.at("encoder.hard.bias"), vector);
  EXPECT_EQ(shapes.at("offset"), (std::vector<std::size_t>{6}));
  for (const std::string mode : {"hard", "greedy"})
    EXPECT_EQ(shapes.at("encoder." + mode + ".levels"), (std::vector<std::size_t>{4, 2}));
  EXPECT_EQ(shapes.size(), 23u);
  EXPECT_EQ(file.find("transform.feature_means")->dtype, DType::kFloat64);
  EXPECT_EQ(file.find("dual")->dtype, DType::kFloat32);
}

TEST_F(ModelFile, EveryFlippedBitIsDetected) {
  Model(example_parts()).save(path_);
  const std::size_t size = bytes().size();
  Random random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t at = random.index(size);
    ASSERT_NE(refusal_of_flip(at, random.index(8)), "") << "byte " << at << " of " << size;
  }
  EXPECT_EQ(refusal(), "");
}

// The header is padded with spaces after its JSON: a damaged space changes no value and must be found all the same.
TEST_F(ModelFile, EveryFlippedBitOfThePaddingIsDetected) {
  bool padded = false;
  // Names of eight lengths in a row: seven of the headers need padding.
  for (std::size_t length = 1; length <= 8; ++length) {
    ModelParts parts = example_parts();
    parts.provenance.data_name = std::string(length, 'x');
    Model(parts).save(path_);
    const std::string good = bytes();
    std::size_t end = 8;
    for (std::size_t i = 0; i < 8; ++i) end += static_cast<std::size_t>(static_cast<unsigned char>(good[i])) << (8 * i);
    for (std::size_t at = good.rfind('}', end - 1); at < end; ++at) {
      padded = padded || good[at] == ' ';
      for (std::size_t bit = 0; bit < 8; ++bit)
        ASSERT_NE(refusal_of_flip(at, bit), "") << "byte " << at << " of " << end << ", bit " << bit;
    }
  }
  EXPECT_TRUE(padded);
}

TEST_F(ModelFile, EveryTruncationIsDetected) {
  Model(example_parts()).save(path_);
  std::ofstream(path_, std::ios::binary | std::ios::app) << '\0';
  for (std::size_t size = bytes().size(), good = size - 1; size > 0; --size) {
    if (size == good)
      ASSERT_EQ(refusal(), "");
    else
      ASSERT_NE(refusal(), "") << size << " of " << good << " bytes";
    std::filesystem::resize_file(path_, size - 1);
  }
  EXPECT_NE(refusal(), "") << "an empty file";
}

TEST_F(ModelFile, RefusesOtherFormatsAndNewerSchemas) {
  expect_refused("format", [](TensorFile& file) { file.metadata.erase("format"); });
  expect_refused("format", [](TensorFile& file) { file.metadata["format"] = "pt"; });
  expect_refused("upgrade", [](TensorFile& file) { file.metadata["schema"] = "2"; });
  expect_refused("schema", [](TensorFile& file) { file.metadata["schema"] = "1.5"; });
  expect_refused("schema", [](TensorFile& file) { file.metadata["schema"] = ""; });
  expect_refused("description", [](TensorFile& file) { file.metadata.erase("description"); });
}

TEST_F(ModelFile, RefusesTensorsThatBreakARule) {
  expect_refused("dual", [](TensorFile& file) { tensor(file, "dual").name = "other"; });
  expect_refused("dictionary", [](TensorFile& file) { tensor(file, "dictionary").shape = {6, 4}; });
  expect_refused("dictionary", [](TensorFile& file) { tensor(file, "dictionary").shape = {24}; });
  expect_refused("float64", [](TensorFile& file) {
    Tensor& gain = tensor(file, "encoder.sparse.gain");
    gain = make_tensor(gain.name, to_vector(gain), DType::kFloat64);
  });
  expect_refused("encoder.sparse.growth",
                 [](TensorFile& file) { tensor(file, "encoder.sparse.growth").name = "encoder.sparse.growths"; });
  expect_refused("encoder.corrected.feedback",
                 [](TensorFile& file) { tensor(file, "encoder.corrected.feedback").name = "unknown"; });
  expect_refused("transform.feature_means",
                 [](TensorFile& file) { tensor(file, "transform.feature_means").name = "unknown"; });
  const auto set_first = [](Tensor& one, double value) {
    Matrix<double> values = to_matrix(one);
    values(2, 0) = value;
    one = make_tensor(one.name, values, one.dtype);
  };
  expect_refused("norm", [&](TensorFile& file) { set_first(tensor(file, "dictionary"), 1.5); });
  expect_refused("dual", [&](TensorFile& file) { set_first(tensor(file, "dual"), -1.5); });
  expect_refused("finite", [&](TensorFile& file) { set_first(tensor(file, "dual"), std::nan("")); });
  expect_refused("decoder", [&](TensorFile& file) { set_first(tensor(file, "decoder"), INFINITY); });
}

TEST_F(ModelFile, RefusesDescriptionsThatBreakARule) {
  expect_refused("JSON", [](TensorFile& file) { file.metadata["description"] = "{"; });
  expect_description_refused("eta", [](json& j) { j.erase("eta"); });
  expect_description_refused("schema", [](json& j) { j["schema"] = 2; });
  expect_description_refused("shape.n_atoms", [](json& j) { j["shape"]["n_atoms"] = -4; });
  expect_description_refused("dictionary", [](json& j) { j["shape"]["n_atoms"] = 5; });
  expect_description_refused("shape", [](json& j) { j["shape"] = "4 x 6"; });
  expect_description_refused("dtype", [](json& j) { j["dtype"] = "float16"; });
  expect_description_refused("tau", [](json& j) { j["tau"] = nullptr; });
  expect_description_refused("tau", [](json& j) { j["tau"] = -1; });
  expect_description_refused("scale", [](json& j) { j["transform"]["scale"] = 0; });
  expect_description_refused("positive_codes", [](json& j) { j["positive_codes"] = 1; });
  expect_description_refused("options_used.solver", [](json& j) { j["options_used"]["solver"] = "slow"; });
  expect_description_refused("options_given.seed", [](json& j) { j["options_given"]["seed"] = "0"; });
  expect_description_refused("outcome.name", [](json& j) { j["outcome"]["name"] = "FINE"; });
  expect_description_refused("encoding.rows[1].mode", [](json& j) { j["encoding"]["rows"][1]["mode"] = 3; });
  expect_description_refused("usage[2]", [](json& j) { j["usage"][2] = 0.5; });
  expect_description_refused("usage", [](json& j) { j["usage"].push_back(1); });
  expect_description_refused("sample shape", [](json& j) { j["shape"]["sample_height"] = 1ULL << 63; });
  expect_description_refused("sample shape", [](json& j) { j["shape"]["sample_channels"] = 3; });
}

TEST_F(ModelFile, ReadsWhatALaterMinorVersionAdds) {
  TensorFile file = to_tensor_file(Model(example_parts()).parts());
  json document = json::parse(file.metadata["description"]);
  document["new"] = {1, 2, 3};
  file.metadata["description"] = document.dump();
  file.metadata["licence"] = "CC0";
  file.tensors.push_back(make_tensor("encoder.new.weights", Matrix<double>(1, 1), DType::kFloat32));
  file.metadata["checksum"] = model_checksum(file);
  write_safetensors(path_, file);
  EXPECT_EQ(refusal(), "");
}

TEST_F(ModelFile, ReadsFilesOlderThanAnOption) {
  TensorFile file = to_tensor_file(example_parts(DType::kFloat32));
  json description = json::parse(file.metadata["description"]);
  description["options_given"].erase("keep-dictionary");
  file.metadata["description"] = description.dump();
  file.metadata["checksum"] = model_checksum(file);
  EXPECT_FALSE(from_tensor_file(file, "old").parts().provenance.summary.given.keep_dictionary);
}

TEST_F(ModelFile, IsNotWrittenWhenAnAtomLeavesTheBall) {
  ModelParts parts = example_parts();
  parts.dictionary(0, 0) = 2;
  EXPECT_THROW(Model(parts).save(path_), Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ModelFile, NamesNeedNotBeUtf8) {
  ModelParts parts = example_parts();
  parts.provenance.data_name = "caf\xe9.npy";
  Model(parts).save(path_);
  EXPECT_EQ(Model::load(path_).parts().provenance.data_name, "caf\xEF\xBF\xBD.npy");
}

TEST(Description, HasWhatInfoShows) {
  const json document = json::parse(describe_json(Model(example_parts())));
  EXPECT_EQ(document["schema"], 1);
  EXPECT_EQ(document["shape"]["n_features"], 6);
  EXPECT_EQ(document["options_given"]["tau"], nullptr);
  EXPECT_EQ(document["options_used"]["solver"], "fista");
  EXPECT_EQ(document["options_used"].size(), learn_option_table().size());
  EXPECT_EQ(document["outcome"]["name"], "ITERATION_LIMIT");
  EXPECT_EQ(document["outcome"]["energy"]["reconstruction"], 1.0 / 3);
  EXPECT_EQ(document["encoding"]["rows"][1]["code_error"], nullptr);
  EXPECT_EQ(document["usage"], (std::vector<std::size_t>{1, 0, 5, 1234567}));
}

}  // namespace
}  // namespace dualdict
