// The number types that files hold, and exact conversion between them and the types that the
// program computes with.
//
// Shared by npy, npz and safetensors. It converts flat runs of numbers only; it is not a tensor
// library. All functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace paco::io {

enum class ElementType { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

std::size_t element_size(ElementType type);       // in bytes
std::string_view element_name(ElementType type);  // numpy's word for it, e.g. "float16"
bool is_floating(ElementType type);
// The narrowest of f16, f32 and f64 that holds every number of a type (64-bit integers as far as
// f64 can).
ElementType floating_type_for(ElementType type);

// The ElementType that a C++ type is stored as.
template <class T>
constexpr ElementType element_type_of();
template <>
constexpr ElementType element_type_of<std::uint8_t>() {
  return ElementType::u8;
}
template <>
constexpr ElementType element_type_of<std::int32_t>() {
  return ElementType::i32;
}
template <>
constexpr ElementType element_type_of<std::int64_t>() {
  return ElementType::i64;
}
template <>
constexpr ElementType element_type_of<float>() {
  return ElementType::f32;
}
template <>
constexpr ElementType element_type_of<double>() {
  return ElementType::f64;
}

// Reads out.size() numbers that start at `in` (any alignment). `swapped`: their byte order is not
// that of this machine. Every type converts exactly, except 64-bit integers beyond 2^53, which are
// rounded.
void to_doubles(ElementType type, bool swapped, const std::byte* in, std::span<double> out);
// The same to float; double and large integers round to nearest.
void to_floats(ElementType type, bool swapped, const std::byte* in, std::span<float> out);
// Integers and booleans only. Returns false if the type is floating or a value does not fit.
bool to_integers(ElementType type, bool swapped, const std::byte* in, std::span<std::int64_t> out);

// Writes numbers as a floating type, rounded to nearest even. Returns false if a finite value
// became infinite.
bool from_doubles(ElementType type, std::span<const double> in, std::byte* out);

// Index of the first NaN or infinity.
std::optional<std::size_t> first_not_finite(std::span<const double> values);

// The product of the sizes, or nothing if it does not fit 63 bits.
std::optional<std::uint64_t> count_elements(std::span<const std::uint64_t> shape);

// Plain conversion of one half precision number, and its inverse. They stay as the reference for
// the fast path.
double half_to_double(std::uint16_t half);
std::uint16_t double_to_half(double value);

}  // namespace paco::io
