// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdio>

// jpeglib.h uses FILE and size_t without declaring them.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <utility>
#include <vector>

#include "io/image/exif.h"
#include "io/image/image_decode.h"

namespace dualdict {
namespace {

// A Huffman-coded block of 64 pixels has at least one bit.
constexpr std::uint64_t kMaxJpegPixelsPerByte = 64 * 8;
// A progressive image has about ten scans. Each may be a few bytes that cost a pass over the whole image.
constexpr int kMaxScans = 100;

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kMaxMarker = 0xffff;

// What the callbacks of libjpeg see; `manager` comes first, because they are given its address.
struct JpegState {
  jpeg_error_mgr manager;
  jpeg_progress_mgr progress;
  std::array<char, JMSG_LENGTH_MAX> message;
  std::jmp_buf jump;
};

[[noreturn]] void fail(JpegState* state) {
  std::longjmp(state->jump, 1);
}

void on_error(j_common_ptr info) {
  auto* state = reinterpret_cast<JpegState*>(info->err);
  state->manager.format_message(info, state->message.data());
  fail(state);
}

// libjpeg only warns about data that it had to make up. For us that is damage, apart from two that lose nothing.
void on_message(j_common_ptr info, int level) {
  if (level >= 0 || info->err->msg_code == JWRN_EXTRANEOUS_DATA || info->err->msg_code == JWRN_JFIF_MAJOR) return;
  on_error(info);
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* state = reinterpret_cast<JpegState*>(info->err);
  std::snprintf(state->message.data(), state->message.size(), "more than %d scans", kMaxScans);
  fail(state);
}

// libjpeg reports an error by longjmp to the last setjmp. Each function that calls it therefore holds nothing with a
// destructor, returns false after an error, and the message waits in the state.
class JpegDecoder {
 public:
  JpegDecoder(ImageBytes bytes, const std::string& name, bool grey) : bytes_(bytes), name_(name), grey_(grey) {}
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  Image decode() {
    require(read_header());
    check_kind();
    check_image_size(name_, info_.image_width, info_.image_height, bytes_.size(), kMaxJpegPixelsPerByte);
    const unsigned orientation = find_orientation();
    require(start());
    Image image{.channels = static_cast<std::size_t>(info_.output_components),
                .stored_channels = info_.jpeg_color_space == JCS_GRAYSCALE ? 1U : 3U};
    image.pixels = Matrix<float>(info_.output_height, info_.output_width * image.channels);
    row_.resize(image.pixels.cols());
    for (std::size_t y = 0; y < image.height(); ++y) {
      require(read_row());
      std::copy(row_.begin(), row_.end(), image.pixels.row(y));
    }
    require(finish());
    return upright(std::move(image), orientation);
  }

 private:
  void require(bool ok) {
    if (!ok) throw_bad_image(name_, std::string("damaged JPEG: ") + state_.message.data());
  }

  void check_kind() {
    if (info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK)
      throw_bad_image(name_, "is a CMYK JPEG, which has no grey values of its own; convert it to RGB or grey");
    if (info_.jpeg_color_space != JCS_GRAYSCALE && info_.jpeg_color_space != JCS_YCbCr &&
        info_.jpeg_color_space != JCS_RGB)
      throw_bad_image(name_, "is a JPEG of " + std::to_string(info_.num_components) +
                                 " components of unknown colour; convert it to RGB or grey");
    // Its compression has no bound, and hardly any other program reads it.
    if (info_.arith_code) throw_bad_image(name_, "is an arithmetic-coded JPEG; save it with Huffman coding");
  }

  bool read_header() {
    info_.err = jpeg_std_error(&state_.manager);
    state_.manager.error_exit = on_error;
    state_.manager.emit_message = on_message;
    state_.manager.output_message = on_output;
    if (setjmp(state_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    state_.progress.progress_monitor = on_progress;
    info_.progress = &state_.progress;
    jpeg_mem_src(&info_, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
    jpeg_save_markers(&info_, kExifMarker, kMaxMarker);
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  unsigned find_orientation() const {
    for (jpeg_saved_marker_ptr marker = info_.marker_list; marker != nullptr; marker = marker->next)
      if (marker->marker == kExifMarker) return exif_orientation(ImageBytes(marker->data, marker->data_length));
    return kUpright;
  }

  bool start() {
    if (setjmp(state_.jump) != 0) return false;
    // Of YCbCr this is Y, the luma itself, without a way through RGB that would clip and round it.
    const bool is_grey = grey_ || info_.jpeg_color_space == JCS_GRAYSCALE;
    info_.out_color_space = is_grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&info_);
    return true;
  }

  bool read_row() {
    if (setjmp(state_.jump) != 0) return false;
    JSAMPROW row = row_.data();
    jpeg_read_scanlines(&info_, &row, 1);
    return true;
  }

  bool finish() {
    if (setjmp(state_.jump) != 0) return false;
    jpeg_finish_decompress(&info_);
    return true;
  }

  ImageBytes bytes_;
  const std::string& name_;
  bool grey_;
  JpegState state_{};
  jpeg_decompress_struct info_{};
  std::vector<JSAMPLE> row_;
};

}  // namespace

Image decode_jpeg(ImageBytes bytes, const std::string& name, bool grey) {
  return JpegDecoder(bytes, name, grey).decode();
}

}  // namespace dualdict
