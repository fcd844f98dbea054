#include "journal/embedding_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "journal/settings.hpp"

namespace paco::journal {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Converts and compares without a branch in the inner loop, so that it is vectorised. Returns false
// at the first block with a number that float cannot represent.
bool to_float(std::span<const double> numbers, std::byte* out) {
  constexpr std::size_t kBlock = 256;
  std::array<float, kBlock> block;
  for (std::size_t begin = 0; begin < numbers.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, numbers.size() - begin);
    const double* in = numbers.data() + begin;
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = static_cast<float>(in[i]);
      different |= std::bit_cast<std::uint64_t>(static_cast<double>(block[i])) ^
                   std::bit_cast<std::uint64_t>(in[i]);
    }
    if (different != 0) return false;
    std::memcpy(out + begin * sizeof(float), block.data(), count * sizeof(float));
  }
  return true;
}

bool fits_half(std::span<const double> numbers) {
  for (const double number : numbers) {
    // Do not store a NaN as float16: its conversion depends on the processor.
    if (std::isnan(number) || !same_bits(io::half_to_double(io::double_to_half(number)), number))
      return false;
  }
  return true;
}

}  // namespace

io::ElementType encode_run(std::span<const double> numbers, std::vector<std::byte>& bytes) {
  bytes.resize(numbers.size() * sizeof(float));
  io::ElementType type = io::ElementType::f32;
  if (!to_float(numbers, bytes.data())) {
    type = io::ElementType::f64;
  } else if (fits_half(numbers)) {
    type = io::ElementType::f16;
  } else {
    return type;
  }
  bytes.resize(numbers.size() * io::element_size(type));
  io::from_doubles(type, numbers, bytes.data());
  return type;
}

Result<io::ElementType> run_type(const std::string& path, std::string_view name) {
  for (const io::ElementType type :
       {io::ElementType::f16, io::ElementType::f32, io::ElementType::f64}) {
    if (name == io::element_name(type)) return type;
  }
  return damaged(path, fmt::format("embeddings of type '{}'", name));
}

}  // namespace paco::journal
