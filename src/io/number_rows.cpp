// Rows and lists of numbers, of numbers.hpp. This file is compiled once per instruction set by
// Highway's foreach_target.
//
// First the separators are found, 64 characters at a time. Then the start and end of every number
// are known, and the processor works on several numbers at once instead of waiting for the end of
// one before the next. Most numbers ("-0.1234567") are read in pairs without branches.
// read_number() reads those with an exponent or more digits, and rejects text that is not a number.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

#include "io/numbers.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/number_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PACO_DATA_NUMBER_ROWS
#define PACO_DATA_NUMBER_ROWS
namespace paco::io::number_rows {

constexpr std::size_t kVector = 16, kStrip = 2048;  // characters
// How many characters of the row are needed to read a number with vectors: kBefore before its end,
// and kBehind from its start on.
constexpr std::ptrdiff_t kBefore = kVector, kBehind = 4;

// The vector at kLast + n has n bytes set, at its end.
constexpr std::array<std::uint8_t, 2 * kVector> kLastBytes = [] {
  std::array<std::uint8_t, 2 * kVector> bytes{};
  for (std::size_t i = kVector; i < bytes.size(); ++i) bytes[i] = 0xFF;
  return bytes;
}();
constexpr const std::uint8_t* kLast = kLastBytes.data();

// The value of a character as a digit; NaN if it is not a digit.
constexpr std::array<double, 256> kDigit = [] {
  std::array<double, 256> digits{};
  digits.fill(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < 10; ++i) digits['0' + i] = static_cast<double>(i);
  return digits;
}();

// 10 ^ i at [0][i], -10 ^ i at [1][i].
constexpr std::size_t kMostPlaces = 14;  // with a digit before the point still less than 2 ^ 52
constexpr std::array<std::array<double, kMostPlaces + 2>, 2> kSignedPowers = [] {
  std::array<std::array<double, kMostPlaces + 2>, 2> powers{};
  double power = 1;  // every one of them is a double
  for (std::size_t i = 0; i < powers[0].size(); ++i, power *= 10) {
    powers[0][i] = power;
    powers[1][i] = -power;
  }
  return powers;
}();

// Constants of the loops, stored as vectors in memory. If the compiler knew their values, it would
// rebuild each of them for every number, with three instructions; so they are passed with the task.
struct Factors {
  std::uint8_t zero[16];
  std::uint8_t nine[16];
  std::uint16_t tens[8];
  std::uint32_t hundreds[4], myriads[4], crores[4];
  double implicit_bit[2];
};

// The text to read, and the destination.
struct Task {
  std::string_view text;
  char separator;
  std::string_view blanks;       // that may stand around a number
  std::span<double> values;      // or ...
  std::vector<double>* growing;  // ... as many as there are
  const Factors* factors;

  // For `count` numbers behind the first `done`, or null.
  double* room(std::size_t done, std::size_t count) const {
    if (growing == nullptr) return count <= values.size() - done ? values.data() + done : nullptr;
    if (growing->size() < done + count) growing->resize(std::max(done + count, 2 * done));
    return growing->data() + done;
  }
};

// Reads a number of any form; false if it is not a number or not in the range of a double.
inline bool read_any(const Task& task, const char* begin, const char* end, double& value) {
  if (begin > end) return false;
  std::string_view part(begin, static_cast<std::size_t>(end - begin));
  const auto blank = [&](char c) { return task.blanks.find(c) != task.blanks.npos; };
  while (!part.empty() && blank(part.front())) part.remove_prefix(1);
  while (!part.empty() && blank(part.back())) part.remove_suffix(1);
  return !part.empty() && read_number(part, value) == part.size();
}

// The parts of a strip of the text: they end at `strip + at[i]`.
struct Parts {
  const char *strip, *end;  // of the text
  const char* first;        // of part 0, which may begin before the strip
  const std::uint32_t* at;

  // The position after a separator and after the blank that often follows it.
  const char* behind(const char* separator) const {
    return separator + 1 + (separator + 1 < end && separator[1] == ' ' ? 1 : 0);
  }
  const char* begin_of(std::size_t i) const { return i == 0 ? first : behind(end_of(i - 1)); }
  const char* end_of(std::size_t i) const { return strip + at[i]; }
};

}  // namespace paco::io::number_rows
#endif

HWY_BEFORE_NAMESPACE();
namespace paco::io::number_rows {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// On targets with emulated vectors or another byte order, read_number() reads all numbers.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_IS_BIG_ENDIAN

HWY_INLINE std::size_t FindAll(const char* text, std::size_t size, char c, std::uint32_t* at) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (text[i] == c) at[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

HWY_INLINE std::size_t ReadMost(const Parts&, std::size_t first, std::size_t last, const Factors&,
                                double*, std::uint32_t* left) {
  std::iota(left, left + (last - first), static_cast<std::uint32_t>(first));
  return last - first;
}

#else

using Bytes = hn::FixedTag<std::uint8_t, kVector>;
using Words = hn::FixedTag<std::uint16_t, kVector / 2>;
using Ints = hn::FixedTag<std::uint32_t, kVector / 4>;
using Longs = hn::FixedTag<std::uint64_t, kVector / 8>;
using Doubles = hn::FixedTag<double, kVector / 8>;
using VecBytes = hn::Vec<Bytes>;

HWY_INLINE VecBytes Load(const void* at) {
  return hn::LoadU(Bytes(), static_cast<const std::uint8_t*>(at));
}

// Which of the 16 characters are `c`, a bit each.
HWY_INLINE std::uint32_t Where(VecBytes text, char c) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Bytes(), hn::Eq(text, hn::Set(Bytes(), static_cast<std::uint8_t>(c))), bits);
  return bits[0] | static_cast<std::uint32_t>(bits[1]) << 8;
}

// Writes the places of `c` in text[0, size) and says how many they are. `at` has room for eight
// more than there are characters.
HWY_INLINE std::size_t FindAll(const char* text, std::size_t size, char c, std::uint32_t* at) {
  constexpr std::size_t kBlock = 64;
  std::size_t count = 0;
  for (std::size_t block = 0; block < size; block += kBlock) {
    const char* from = text + block;
    char rest[kBlock];
    if (size - block < kBlock) {
      std::memset(rest, ~c, kBlock);
      std::memcpy(rest, from, size - block);
      from = rest;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kBlock; i += kVector)
      bits |= static_cast<std::uint64_t>(Where(Load(from + i), c)) << i;
    // Writes eight places at once, and the rest in a loop, because their number is hard to predict.
    std::uint32_t* to = at + count;
    count += static_cast<std::size_t>(std::popcount(bits));
    do {
      for (std::size_t i = 0; i < 8; ++i, bits &= bits - 1) {
        const int place = std::countr_zero(bits | std::uint64_t{1} << 63);
        *to++ = static_cast<std::uint32_t>(block) + static_cast<std::uint32_t>(place);
      }
    } while (bits != 0);
  }
  return count;
}

// The value of eight digits, for two groups: first pairs of digits, then pairs of pairs, then pairs
// of those.
HWY_INLINE hn::Vec<Longs> Eights(VecBytes digits, const Factors& f) {
  const auto two =
      hn::ShiftRight<8>(hn::Mul(hn::BitCast(Words(), digits), hn::LoadU(Words(), f.tens)));
  const auto four =
      hn::ShiftRight<16>(hn::Mul(hn::BitCast(Ints(), two), hn::LoadU(Ints(), f.hundreds)));
  return hn::Add(hn::MulEven(four, hn::LoadU(Ints(), f.myriads)),
                 hn::ShiftRight<32>(hn::BitCast(Longs(), four)));
}

HWY_INLINE bool AreDigits(VecBytes digits, const Factors& f) {
  const VecBytes excess = hn::SaturatedSub(digits, Load(f.nine));
  return hn::AllTrue(Bytes(), hn::Eq(excess, hn::Zero(Bytes())));
}

// Numbers `i` and `i + 1`, if both have the usual form of an embedding: one digit, a point and up
// to 14 further digits. `gap`: the distance from the end of one number to the start of the next.
template <std::size_t gap>
HWY_INLINE bool ReadTwo(const char* a, const char* end_a, const char* end_b, const Factors& f,
                        double* values) {
  const char* const b = end_a + gap;
  if (gap == 2 && (a[-1] != ' ' || b[-1] != ' ')) return false;
  const std::size_t minus_a = *a == '-' ? 1 : 0, minus_b = *b == '-' ? 1 : 0;
  const char *const first_a = a + minus_a, *const first_b = b + minus_b;
  const std::size_t places_a = static_cast<std::size_t>(end_a - first_a) - 2;
  const std::size_t places_b = static_cast<std::size_t>(end_b - first_b) - 2;
  if (first_a[1] != '.' || first_b[1] != '.' || places_a - 1 >= kMostPlaces ||
      places_b - 1 >= kMostPlaces) {
    return false;
  }
  const Doubles d;
  const auto both = [&](double x, double y)
                        HWY_ATTR { return hn::InterleaveLower(hn::Set(d, x), hn::Set(d, y)); };
  const VecBytes digits_a =
      hn::And(hn::Sub(Load(end_a - kVector), Load(f.zero)), Load(kLast + places_a));
  const VecBytes digits_b =
      hn::And(hn::Sub(Load(end_b - kVector), Load(f.zero)), Load(kLast + places_b));
  const auto eights_a = Eights(digits_a, f), eights_b = Eights(digits_b, f);
  const auto upper = hn::BitCast(Ints(), hn::InterleaveLower(eights_a, eights_b));
  const auto behind = hn::Add(hn::MulEven(upper, hn::LoadU(Ints(), f.crores)),
                              hn::InterleaveUpper(Longs(), eights_a, eights_b));
  // An integer below 2 ^ 52 is converted by placing its bits in the fraction of a double.
  const auto bit = hn::LoadU(d, f.implicit_bit);
  const auto fraction = hn::Sub(hn::BitCast(d, hn::Or(behind, hn::BitCast(Longs(), bit))), bit);
  const auto whole = both(kDigit[static_cast<unsigned char>(*first_a)],
                          kDigit[static_cast<unsigned char>(*first_b)]);
  const auto power = both(kSignedPowers[minus_a][places_a], kSignedPowers[minus_b][places_b]);
  // Everything before the division is exact.
  hn::StoreU(hn::Div(hn::Add(hn::Mul(whole, hn::Abs(power)), fraction), power), d, values);
  return AreDigits(hn::Max(digits_a, digits_b), f) && hn::AllTrue(d, hn::Eq(whole, whole));
}

// Reads numbers [first, last) in pairs; writes the indices of those with another form to `left`.
template <std::size_t gap>
HWY_NOINLINE std::size_t ReadPairs(const Parts parts, std::size_t first, std::size_t last,
                                   const Factors& f, double* values, std::uint32_t* left) {
  std::size_t count = 0, i = first;
  const char* part = parts.begin_of(first);
  // Stops trying if most numbers have another form.
  for (; i + 2 <= last && 2 * count <= i - first + 8; i += 2) {
    const char *const end_a = parts.end_of(i), *const end_b = parts.end_of(i + 1);
    if (!ReadTwo<gap>(part, end_a, end_b, f, values + i)) {
      left[count++] = static_cast<std::uint32_t>(i);
      left[count++] = static_cast<std::uint32_t>(i + 1);
    }
    part = end_b + gap;
  }
  for (; i < last; ++i) left[count++] = static_cast<std::uint32_t>(i);
  return count;
}

// Reads numbers [first, last) except some, whose indices it writes to `left`; returns how many
// those are. It calls only inlined functions, so that vectors stay in registers.
HWY_INLINE std::size_t ReadMost(const Parts& parts, std::size_t first, std::size_t last,
                                const Factors& f, double* values, std::uint32_t* left) {
  if (first == last) return 0;
  const bool blank = parts.begin_of(first)[-1] == ' ';
  return (blank ? ReadPairs<2> : ReadPairs<1>)(parts, first, last, f, values, left);
}

#endif

// The number of values in `task.text`; nothing if the text has anything but numbers, or more than
// there is room for.
std::optional<std::size_t> ReadAll(const Task& task) {
  const char *const begin = task.text.data(), *const end = begin + task.text.size();
  std::uint32_t at[kStrip + 8], left[kStrip + 1];
  std::size_t count = 0;
  Parts parts{begin, end, begin, at};
  for (; parts.strip <= end; parts.strip += kStrip) {
    const std::size_t size = std::min(kStrip, static_cast<std::size_t>(end - parts.strip));
    std::size_t found = FindAll(parts.strip, size, task.separator, at);
    if (size < kStrip) at[found++] = static_cast<std::uint32_t>(size);  // the last part
    double* const values = task.room(count, found);
    if (values == nullptr) return std::nullopt;
    // The numbers for which whole vectors can be loaded, with one character before them.
    std::size_t first = count == 0 ? std::min<std::size_t>(1, found) : 0, last = found;
    while (first < last && parts.end_of(first) - begin < kBefore) ++first;
    while (last > first && end - parts.begin_of(last - 1) < kBehind) --last;
    std::size_t more = ReadMost(parts, first, last, *task.factors, values, left);
    for (std::size_t i = 0; i < first; ++i) left[more++] = static_cast<std::uint32_t>(i);
    for (std::size_t i = last; i < found; ++i) left[more++] = static_cast<std::uint32_t>(i);
    for (std::size_t j = 0; j < more; ++j) {
      const std::size_t i = left[j];
      if (!read_any(task, parts.begin_of(i), parts.end_of(i), values[i])) return std::nullopt;
    }
    if (found > 0) parts.first = parts.begin_of(found);
    count += found;
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::io::number_rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::io {
namespace number_rows {

HWY_EXPORT(ReadAll);

std::optional<std::size_t> read_all(Task task) {
  static const Factors factors = [] {
    Factors f;
    std::fill(std::begin(f.zero), std::end(f.zero), '0');
    std::fill(std::begin(f.nine), std::end(f.nine), 9);
    // Multiplying by n * 2 ^ k + 1 and shifting right by k turns two neighbours of k bits into n
    // times the first plus the second.
    std::fill(std::begin(f.tens), std::end(f.tens), 10 * 0x100 + 1);
    std::fill(std::begin(f.hundreds), std::end(f.hundreds), 100 * 0x10000 + 1);
    std::fill(std::begin(f.myriads), std::end(f.myriads), 10'000);
    std::fill(std::begin(f.crores), std::end(f.crores), 100'000'000);
    std::fill(std::begin(f.implicit_bit), std::end(f.implicit_bit), 4503599627370496.0);
    return f;
  }();
  task.factors = &factors;
  return HWY_DYNAMIC_DISPATCH(ReadAll)(task);
}

}  // namespace number_rows

bool read_number_row(std::string_view text, char separator, std::span<double> values) {
  return number_rows::read_all({text, separator, "", values, nullptr, nullptr}) == values.size();
}

std::optional<std::size_t> read_number_list(std::string_view text, std::vector<double>& values) {
  constexpr std::string_view kSpaces = " \t\r\n";  // JSON's
  const std::size_t close = text.find(']');
  if (close == text.npos || text[0] != '[') return std::nullopt;
  const std::string_view inside = text.substr(1, close - 1);
  std::optional<std::size_t> count = 0;
  if (inside.find_first_not_of(kSpaces) != inside.npos)
    count = number_rows::read_all({inside, ',', kSpaces, {}, &values, nullptr});
  if (!count) return std::nullopt;
  values.resize(*count);
  return close + 1;
}

}  // namespace paco::io
#endif  // HWY_ONCE
