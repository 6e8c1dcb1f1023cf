// SPDX-License-Identifier: BSD-3-Clause
#include "io/matrix/csv_reader.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "io/bytes/input_error.h"

namespace dualdict {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// ' ' stands for any run of blanks. Semicolons win over commas, which may be decimal commas beside them.
char find_separator(std::string_view line) {
  for (const char c : {';', ',', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

// Takes the lines of a text one by one, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Skips the byte order mark that some editors write.
  void skip_mark() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  // The next line that is neither blank nor a comment.
  std::optional<std::string_view> next() {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      std::string_view line = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
      ++number_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (const auto text = trim(line); !text.empty() && text.front() != '#') return line;
    }
    return std::nullopt;
  }

  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Calls use(field) for every field of the line.
template <class Use>
void for_each_field(std::string_view line, char separator, Use use) {
  line = trim(line).empty() || separator == '\t' ? line : trim(line);
  for (;;) {
    const std::size_t end = separator == ' ' ? line.find_first_of(kBlanks) : line.find(separator);
    use(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trim(line);
  }
}

std::errc parse_number(std::string_view field, double& value) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  const char* end = field.data() + field.size();
  const auto result = std::from_chars(field.data(), end, value);
  if (result.ec == std::errc{} && result.ptr != end) return std::errc::invalid_argument;
  return result.ec;
}

// Where rows of a text begin: every so many, so that the index stays small beside the text.
constexpr std::size_t kIndexedRows = 64;

struct CsvLayout {
  char separator = ' ';
  std::vector<std::size_t> starts;  // of rows 0, kIndexedRows, ...
};

std::string_view text_of(const ByteSource& bytes) {
  const auto content = bytes.in_memory();
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

// Keeps the text and turns it into numbers when they are asked for: as numbers it can take several times the room.
class CsvMatrixFile final : public MatrixFile {
 public:
  CsvMatrixFile(std::shared_ptr<const ByteSource> bytes, const MatrixInfo& info, CsvLayout layout,
                std::vector<std::string> notes)
      : MatrixFile(bytes->name(), info), bytes_(std::move(bytes)), layout_(std::move(layout)) {
    set_notes(std::move(notes));
  }

  void read(std::size_t first, MatrixView<float> out) const override { read_rows(first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { read_rows(first, out); }

 private:
  // Every field was checked when the file was opened.
  template <class T>
  void read_rows(std::size_t first, MatrixView<T> out) const {
    check_range(first, out.rows, out.cols);
    if (out.rows == 0) return;
    Lines lines(text_of(*bytes_).substr(layout_.starts[first / kIndexedRows]));
    for (std::size_t skip = first % kIndexedRows; skip > 0; --skip) lines.next();
    for (std::size_t i = 0; i < out.rows; ++i) {
      T* to = out.row(i);
      for_each_field(*lines.next(), layout_.separator, [&](std::string_view field) {
        double value = 0;
        parse_number(field, value);
        *to++ = static_cast<T>(value);
      });
    }
  }

  std::shared_ptr<const ByteSource> bytes_;
  CsvLayout layout_;
};

class CsvParser {
 public:
  explicit CsvParser(std::shared_ptr<const ByteSource> bytes)
      : bytes_(std::move(bytes)), name_(bytes_->name()), text_(text_of(*bytes_)), lines_(text_) {}

  std::unique_ptr<MatrixFile> parse() {
    bool seen_first_line = false;
    lines_.skip_mark();
    while (const auto line = lines_.next()) {
      // A header need not be separated as the numbers are.
      if (n_rows_ == 0) layout_.separator = find_separator(*line);
      if (!std::exchange(seen_first_line, true) && is_header(*line))
        add_header(*line);
      else
        add_row(*line);
    }
    if (n_rows_ == 0) fail_input(name_, "holds no row of numbers");
    MatrixInfo info;
    info.rows = n_rows_;
    info.cols = n_cols_;
    info.type = ElementType::kFloat64;
    return std::make_unique<CsvMatrixFile>(std::move(bytes_), info, std::move(layout_), notes());
  }

 private:
  bool is_header(std::string_view line) const {
    bool any_number = false;
    for_each_field(line, layout_.separator, [&](std::string_view field) {
      double value = 0;
      any_number = any_number || parse_number(field, value) == std::errc{};
    });
    return !any_number;
  }

  void add_header(std::string_view line) {
    header_line_ = lines_.number();
    std::size_t column = 0;
    for_each_field(line, layout_.separator, [&](std::string_view field) {
      if (++column == 1) first_name_is_empty_ = field.empty() || field == "\"\"";
    });
  }

  // The first column of tables often numbers the rows.
  void look_for_index(double value) {
    if (n_rows_ == 0) first_number_ = value;
    counts_rows_ = counts_rows_ && value == first_number_ + static_cast<double>(n_rows_);
  }

  std::vector<std::string> notes() const {
    constexpr std::size_t kFewestRows = 3;
    std::vector<std::string> notes;
    if (header_line_ > 0) notes.push_back("line " + std::to_string(header_line_) + " is a header and was skipped");
    const bool is_index = n_cols_ > 1 && ((counts_rows_ && n_rows_ >= kFewestRows) || first_name_is_empty_);
    if (is_index)
      notes.push_back(std::string("column 1 ") + (counts_rows_ ? "counts the rows" : "has no name") +
                      ", as an index does, and was taken as a feature; leave it out of the file if it is one (pandas: "
                      "to_csv(..., index=False))");
    return notes;
  }

  void add_row(std::string_view line) {
    std::size_t column = 0;
    for_each_field(line, layout_.separator, [&](std::string_view field) {
      double value = 0;
      const std::errc error = parse_number(field, value);
      if (error != std::errc{}) fail_field(column + 1, field, error);
      if (++column == 1) look_for_index(value);
    });
    if (n_rows_ == 0) n_cols_ = column;
    if (column != n_cols_)
      fail_input(name_, "line " + std::to_string(lines_.number()) + " has " + std::to_string(column) +
                            " columns, the rows before it have " + std::to_string(n_cols_));
    if (n_rows_ % kIndexedRows == 0) layout_.starts.push_back(static_cast<std::size_t>(line.data() - text_.data()));
    ++n_rows_;
  }

  [[noreturn]] void fail_field(std::size_t column, std::string_view field, std::errc error) const {
    std::string what = "line " + std::to_string(lines_.number()) + ", column " + std::to_string(column) + ": ";
    if (field.empty()) {
      what += "is empty; every field must be a number";
    } else if (error == std::errc::result_out_of_range) {
      what += in_quotes(field) + " is out of the range of a double";
    } else {
      what += in_quotes(field) + " is not a number";
      if (n_rows_ == 0) what += " (a header line must hold no numbers)";
    }
    fail_input(name_, what);
  }

  std::shared_ptr<const ByteSource> bytes_;
  std::string name_;
  std::string_view text_;
  Lines lines_;
  CsvLayout layout_;
  std::size_t n_rows_ = 0;
  std::size_t n_cols_ = 0;
  std::size_t header_line_ = 0;  // 0: none
  bool first_name_is_empty_ = false;
  bool counts_rows_ = true;
  double first_number_ = 0;
};

}  // namespace

std::unique_ptr<MatrixFile> read_csv(std::shared_ptr<const ByteSource> bytes) {
  return CsvParser(load_into_memory(std::move(bytes))).parse();
}

}  // namespace dualdict
