// SPDX-License-Identifier: BSD-3-Clause
#include "io/bytes/element.h"

#include <bit>
#include <cstdint>

#include "io/bytes/endian.h"
#include "io/bytes/half.h"

namespace dualdict {
namespace {

// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};

// The upper half of a float.
struct Bfloat {
  std::uint16_t bits;
};

// Any byte but 0 is true, whatever a file says a bool may be.
struct Bool {
  std::uint8_t bits;
};

template <class To, class From>
To convert_one(From value) {
  return static_cast<To>(value);
}
template <class To>
To convert_one(Half value) {
  return static_cast<To>(half_to_float(value.bits));
}
template <class To>
To convert_one(Bfloat value) {
  return static_cast<To>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16));
}
template <class To>
To convert_one(Bool value) {
  return value.bits != 0 ? To{1} : To{0};
}

template <class From, class To>
void convert_run(bool big_endian, const std::byte* from, std::size_t n, To* to) {
  if (big_endian) {
    for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(load_be<From>(from + i * sizeof(From)));
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(load_le<From>(from + i * sizeof(From)));
  }
}

// Calls use.template operator()<T>() with the stored type.
template <class Use>
auto with_type(Scalar scalar, Use use) {
  switch (scalar) {
    case Scalar::kBool:
      return use.template operator()<Bool>();
    case Scalar::kInt8:
      return use.template operator()<std::int8_t>();
    case Scalar::kUint8:
      return use.template operator()<std::uint8_t>();
    case Scalar::kInt16:
      return use.template operator()<std::int16_t>();
    case Scalar::kUint16:
      return use.template operator()<std::uint16_t>();
    case Scalar::kInt32:
      return use.template operator()<std::int32_t>();
    case Scalar::kUint32:
      return use.template operator()<std::uint32_t>();
    case Scalar::kInt64:
      return use.template operator()<std::int64_t>();
    case Scalar::kUint64:
      return use.template operator()<std::uint64_t>();
    case Scalar::kFloat16:
      return use.template operator()<Half>();
    case Scalar::kBfloat16:
      return use.template operator()<Bfloat>();
    case Scalar::kFloat32:
      return use.template operator()<float>();
    case Scalar::kFloat64:
      break;
  }
  return use.template operator()<double>();
}

}  // namespace

std::size_t element_size(Scalar scalar) {
  return with_type(scalar, []<class T>() { return sizeof(T); });
}

ElementType element_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::kBool:
    case Scalar::kUint8:
      return ElementType::kUint8;
    case Scalar::kInt8:
    case Scalar::kInt16:
    case Scalar::kUint16:
    case Scalar::kFloat16:
    case Scalar::kBfloat16:
    case Scalar::kFloat32:
      return ElementType::kFloat32;
    default:
      return ElementType::kFloat64;
  }
}

void convert_elements(ElementFormat format, const std::byte* from, std::size_t n, float* to) {
  with_type(format.scalar, [&]<class T>() { convert_run<T>(format.big_endian, from, n, to); });
}

void convert_elements(ElementFormat format, const std::byte* from, std::size_t n, double* to) {
  with_type(format.scalar, [&]<class T>() { convert_run<T>(format.big_endian, from, n, to); });
}

template <>
bool is_native<float>(ElementFormat format) {
  return format.scalar == Scalar::kFloat32 && !format.big_endian;
}
template <>
bool is_native<double>(ElementFormat format) {
  return format.scalar == Scalar::kFloat64 && !format.big_endian;
}

}  // namespace dualdict
