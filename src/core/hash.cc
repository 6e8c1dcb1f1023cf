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
  return "xxh3-128:" + hex64(hash.high64) + hex64(hash.low64);
}

std::uint64_t hash64(const void* bytes, std::size_t size) {
  return XXH3_64bits(bytes, size);
}

std::uint64_t mix64(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::string hex64(std::uint64_t value) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(value >> shift) & 15];
  return text;
}

}  // namespace dualdict
