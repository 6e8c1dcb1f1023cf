// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>

#include "dualdict/error.h"
#include "dualdict/learn.h"
#include "dualdict/report.h"
#include "problems/planted.h"
#include "report/embed.h"
#include "report/frame.h"
#include "report/report_data.h"

namespace dualdict {
namespace {

using Json = nlohmann::ordered_json;

struct Fitted {
  Planted problem = make_planted(400, 10, 14, 3, 0.01, 3);
  std::unique_ptr<DataSource> data = make_source(problem.samples.view());
  LearnResult result = [this] {
    LearnOptions options;
    options.n_atoms = 14;
    options.tau = 0.2;
    options.max_iterations = 8;
    options.n_threads = 1;
    return learn(*data, options);
  }();
};
const Fitted& fitted() {
  static const Fitted instance;
  return instance;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Embed, ScriptJsonHasNoCharacterThatMarkupKnows) {
  const Json document = {{"a", "</script><!-- & \xE2\x80\xA8\xE2\x80\xA9 \xC3\xA9"}, {"b<", "\xFF"}};
  const std::string text = script_json(document);
  for (const char c : text) {
    EXPECT_NE(c, '<');
    EXPECT_NE(c, '>');
    EXPECT_NE(c, '&');
    EXPECT_TRUE(c >= 0x20 && c < 0x7F);
  }
  const Json back = Json::parse(text);
  EXPECT_EQ(back["a"], document["a"]) << "escaping must not change the text";
  EXPECT_EQ(back["b<"], "\xEF\xBF\xBD") << "what is not UTF-8 is mended";
}

TEST(Embed, Base64AsInTheStandard) {
  const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xFB\xFF"), "+/8=");
}

TEST(Frame, BoundsOfKnownFrames) {
  Matrix<double> basis(3, 3);
  for (std::size_t i = 0; i < 3; ++i) basis(i, i) = 1;
  const FrameBounds tight = *frame_bounds(basis);
  EXPECT_NEAR(tight.lower, 1, 1e-12);
  EXPECT_NEAR(tight.upper, 1, 1e-12);
  EXPECT_NEAR(tight.distance, 0, 1e-7);
  // Three unit vectors at 120 degrees in the plane: a tight frame with A = B = 3/2, coherence 1/2, the Welch bound.
  Matrix<double> star(3, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    star(i, 0) = std::cos(2.0943951023931953 * static_cast<double>(i));
    star(i, 1) = std::sin(2.0943951023931953 * static_cast<double>(i));
  }
  EXPECT_NEAR(frame_bounds(star)->lower, 1.5, 1e-12);
  EXPECT_NEAR(frame_bounds(star)->upper, 1.5, 1e-12);
  const AtomNumbers numbers = atom_numbers(star, star);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(numbers.coherence[i], 0.5, 1e-12);
    EXPECT_NE(numbers.nearest[i], i);
    EXPECT_NEAR(numbers.agreement[i], 1, 1e-12);
  }
  EXPECT_NEAR(welch_bound(3, 2), 0.5, 1e-12);
  // Two atoms in three dimensions: bounds on their span only.
  Matrix<double> plane(2, 3);
  plane(0, 0) = 1;
  plane(1, 1) = 0.5;
  EXPECT_EQ(frame_bounds(plane)->rank, 2U);
  EXPECT_NEAR(frame_bounds(plane)->lower, 0.25, 1e-12);
}

TEST(ReportData, HoldsWhatTheModelAndTheDataSay) {
  const Fitted& fit = fitted();
  ReportOptions options;
  options.data = fit.data.get();
  options.trace = fit.result.summary.iterations;
  options.n_threads = 1;
  const ReportData data = make_report_data(fit.result.model, options);
  EXPECT_EQ(data.document["model"], Json::parse(describe_json(fit.result.model)));
  EXPECT_EQ(data.document["trace"]["total"].size(), fit.result.summary.iterations.size());
  EXPECT_EQ(data.document["trace"]["total"].back(), fit.result.summary.iterations.back().energy.total());
  const Json& seen = data.document["data"];
  EXPECT_EQ(seen["n_coded"], 400);
  // Every sample is in the histogram once, and the uses of the atoms are the nonzeros of the codes.
  std::size_t samples = 0;
  std::size_t nonzeros = 0;
  for (std::size_t n = 0; n < seen["exact_histogram"].size(); ++n) {
    samples += seen["exact_histogram"][n].get<std::size_t>();
    nonzeros += n * seen["exact_histogram"][n].get<std::size_t>();
  }
  std::size_t used = 0;
  for (const Json& of_atom : seen["usage"]) used += of_atom.get<std::size_t>();
  EXPECT_EQ(samples, 400U);
  EXPECT_EQ(used, nonzeros);
  EXPECT_NEAR(static_cast<double>(nonzeros) / 400, fit.result.summary.nonzeros_per_code, 0.05);
  ASSERT_EQ(data.first.size(), 4U);
  EXPECT_EQ(data.first[0].name, "dictionary");
  EXPECT_EQ(data.first[0].bytes.size(), 14U * 10 * 4);
  EXPECT_EQ(data.later.size(), 5U) << "weights and decoder of sparse; weights, feedback and decoder of corrected";
  EXPECT_EQ(seen["gallery"]["names"][0], "sample 0");
}

TEST(ReportData, TheSameInputsGiveTheSameDocument) {
  const Fitted& fit = fitted();
  ReportOptions options;
  options.data = fit.data.get();
  const ReportData one = make_report_data(fit.result.model, options);
  options.n_threads = 3;
  EXPECT_EQ(one.document, make_report_data(fit.result.model, options).document);
}

TEST(ReportData, RefusesWhatDoesNotFit) {
  const Fitted& fit = fitted();
  const auto message = [&](const ReportOptions& options) {
    return error_of([&] { make_report_data(fit.result.model, options); });
  };
  ReportOptions names;
  names.feature_names = {"one", "two"};
  EXPECT_NE(message(names).find("2 were given for the 10 features"), std::string::npos);
  ReportOptions alone;
  alone.sample_names = {"one"};
  EXPECT_NE(message(alone).find("no samples"), std::string::npos);
  ReportOptions labels;
  labels.sample_labels = {"one"};
  EXPECT_NE(message(labels).find("labels: 1 were given, but no samples"), std::string::npos);
  const auto narrow = make_source(Matrix<double>(5, 3));
  ReportOptions other;
  other.data = narrow.get();
  EXPECT_NE(message(other).find("samples of 3 features"), std::string::npos);
}

class TraceFile : public testing::Test {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  ~TraceFile() override { std::filesystem::remove(path_); }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("dualdict-trace-" + std::to_string(getpid()))).string();
};

TEST_F(TraceFile, IsReadToItsLastWholeLine) {
  const std::string line = R"({"iteration":1,"seconds":0.5,"energy":{"reconstruction":2,"coding":1,"l1":3,"l2":null}})";
  const auto records = read_trace(write(line + "\n\n" + line + "\n" + line.substr(0, 20)));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].energy.total(), 6);
  EXPECT_EQ(records[1].seconds, 0.5);
}

TEST_F(TraceFile, BadLinesAreNamed) {
  for (const char* text :
       {"nonsense\n", "[]\n", "{}\n", "{\"iteration\":\"x\",\"energy\":{}}\n", "{\"iteration\":1}\n"}) {
    const std::string message = error_of([&] { read_trace(write(text)); });
    EXPECT_NE(message.find("line 1"), std::string::npos) << text << message;
  }
  EXPECT_NE(error_of([] { read_trace("/nowhere/at/all"); }).find("/nowhere/at/all"), std::string::npos);
}

TEST_F(TraceFile, NamesAreLines) {
  EXPECT_EQ(read_names(write("\xEF\xBB\xBFone\r\n\ntwo")), (std::vector<std::string>{"one", "", "two"}));
}

TEST(Report, IsThePageWithTheDataInside) {
  const Fitted& fit = fitted();
  if (!report_available()) {
    EXPECT_NE(error_of([&] { report_html(fit.result.model); }).find("npm"), std::string::npos);
    return;
  }
  ReportOptions options;
  options.title = "</script><script>alert(1)</script>";
  const std::string page = report_html(fit.result.model, options);
  EXPECT_EQ(page.find("alert(1)</"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(page.find("dualdict:first"), std::string::npos) << "a mark was left in the page";
  EXPECT_EQ(page.find("dualdict:later"), std::string::npos);
  for (const char* name : {"report", "tensor-dictionary", "tensor-corrected.feedback"})
    EXPECT_NE(page.find("id=\"" + std::string(name) + "\""), std::string::npos) << name;
}

}  // namespace
}  // namespace dualdict
