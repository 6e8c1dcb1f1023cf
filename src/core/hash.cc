// SPDX-License-Identifier: BSD-3-Clause
#include "core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <new>

namespace dualdict {

struct Hasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() {
    if (xxh == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(xxh);
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(const void* bytes, std::size_t size) {
  XXH3_128bits_update(state_->xxh, bytes, size);
}

void Hasher::add_field(std::string_view text) {
  const std::uint64_t size = text.size();
  add(&size, sizeof size);
  add(text.data(), text.size());
}

std::string Hasher::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  static const char* const digits = "0123456789abcdef";
  std::string text = "xxh3-128:";
  for (const std::uint64_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 15];
  return text;
}

}  // namespace dualdict
