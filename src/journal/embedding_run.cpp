#include "journal/embedding_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "journal/settings.hpp"

namespace paco::journal {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Without a branch in the inner loop, so that it is vectorised; most data leaves after one block.
bool fits_float(std::span<const double> numbers) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t begin = 0; begin < numbers.size(); begin += kBlock) {
    const auto block = numbers.subspan(begin, std::min(kBlock, numbers.size() - begin));
    std::uint64_t different = 0;
    for (const double number : block) {
      const auto back = static_cast<double>(static_cast<float>(number));
      different |= std::bit_cast<std::uint64_t>(back) ^ std::bit_cast<std::uint64_t>(number);
    }
    if (different != 0) return false;
  }
  return true;
}

bool fits_half(std::span<const double> numbers) {
  for (const double number : numbers) {
    // What a conversion makes of a NaN depends on the processor.
    if (std::isnan(number) || !same_bits(half_to_double(double_to_half(number)), number))
      return false;
  }
  return true;
}

}  // namespace

ElementType narrowest_type(std::span<const double> numbers) {
  if (!fits_float(numbers)) return ElementType::f64;
  return fits_half(numbers) ? ElementType::f16 : ElementType::f32;
}

void encode_run(ElementType type, std::span<const double> numbers, std::vector<std::byte>& bytes) {
  bytes.resize(numbers.size() * element_size(type));
  from_doubles(type, numbers, bytes.data());
}

Result<ElementType> run_type(const std::string& path, std::string_view name) {
  for (const ElementType type : {ElementType::f16, ElementType::f32, ElementType::f64}) {
    if (name == element_name(type)) return type;
  }
  return damaged(path, fmt::format("embeddings of type '{}'", name));
}

}  // namespace paco::journal
