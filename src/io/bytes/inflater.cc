// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "io/bytes/input_error.h"

namespace dualdict {

struct Inflater::State {
  const ByteSource& source;
  std::uint64_t offset;
  std::uint64_t remaining;
  bool gzip;
  bool ended = false;
  z_stream stream{};
  std::array<std::byte, 65536> input{};

  [[noreturn]] void fail(const std::string& what) const {
    fail_input(source.name(), "compressed data " + what + " near byte " + std::to_string(offset - stream.avail_in));
  }

  void refill() {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(remaining, input.size()));
    source.read(offset, std::span(input).first(count));
    offset += count;
    remaining -= count;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(count);
  }

  // One call of inflate; false at the end of the stream.
  bool step() {
    if (stream.avail_in == 0 && remaining > 0) refill();
    const bool starved = stream.avail_in == 0;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      // A gzip file may be several such streams one after the other.
      if (!gzip || (stream.avail_in == 0 && remaining == 0)) return false;
      inflateReset(&stream);
      return true;
    }
    if (status == Z_BUF_ERROR && starved) fail("end too early");
    if (status != Z_OK && status != Z_BUF_ERROR) fail("are damaged");
    return true;
  }
};

Inflater::Inflater(const ByteSource& source, std::uint64_t offset, std::uint64_t size, Wrapping wrapping)
    : state_(new State{source, offset, size, wrapping == Wrapping::kGzip}) {
  require_bytes(source, offset, size, "compressed bytes");
  constexpr int kGzipWindow = 15 + 16;
  constexpr int kRawWindow = -15;
  if (inflateInit2(&state_->stream, state_->gzip ? kGzipWindow : kRawWindow) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
  inflateEnd(&state_->stream);
}

std::size_t Inflater::read(std::span<std::byte> out) {
  constexpr std::size_t kMaxStep = std::size_t{1} << 30;
  std::size_t produced = 0;
  while (produced < out.size() && !state_->ended) {
    const std::size_t wanted = std::min(out.size() - produced, kMaxStep);
    state_->stream.next_out = reinterpret_cast<Bytef*>(out.data() + produced);
    state_->stream.avail_out = static_cast<uInt>(wanted);
    state_->ended = !state_->step();
    produced += wanted - state_->stream.avail_out;
  }
  return produced;
}

void Inflater::read_rest(std::uint64_t size, std::vector<std::byte>& out) {
  constexpr std::uint64_t kFirstStep = std::uint64_t{1} << 20;
  const std::uint64_t final_size = out.size() + size;
  while (out.size() < final_size) {
    const std::size_t before = out.size();
    const std::uint64_t step = std::max<std::uint64_t>(before, kFirstStep);
    out.resize(static_cast<std::size_t>(std::min(final_size, before + step)));
    if (read(std::span(out).subspan(before)) < out.size() - before) state_->fail("hold less than declared");
  }
  std::byte extra{};
  if (read(std::span(&extra, 1)) != 0) state_->fail("hold more than declared");
}

}  // namespace dualdict
