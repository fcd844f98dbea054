#include "io/numbers.hpp"

#include <algorithm>
#include <charconv>

namespace paco::io {
namespace {

bool is_digit(const char* at, const char* end) { return at < end && *at >= '0' && *at <= '9'; }

}  // namespace

std::size_t read_number(std::string_view text, double& value) {
  const char *const begin = text.data(), *const end = begin + text.size();
  const char* const first = begin + (text.starts_with('-') ? 1 : 0);
  // The standard library would also take "inf", ".5", "01", "5." and "1e" without the "e".
  if (!is_digit(first, end) || (*first == '0' && is_digit(first + 1, end))) return 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || (stop < end && (*stop == 'e' || *stop == 'E'))) return 0;
  const char* const point = std::find(first, stop, '.');
  if (point < stop && !is_digit(point + 1, stop)) return 0;
  return static_cast<std::size_t>(stop - begin);
}

}  // namespace paco::io
