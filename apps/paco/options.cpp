#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace paco {

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end && number >= low && number <= high) return "";
    return high == kNoLimit ? fmt::format("'{}' is no whole number from {} on", text, low)
                            : fmt::format("'{}' is no whole number from {} to {}", text, low, high);
  };
  return {check, high == kNoLimit ? "" : fmt::format("INT in [{} - {}]", low, high)};
}

CLI::Validator any_number() {
  const auto check = [](const std::string& given) -> std::string {
    double number = 0;
    const char* const end = given.data() + given.size();
    const auto parsed = std::from_chars(given.data(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(number)) return "";
    return fmt::format("'{}' is no number", given);
  };
  return {check, ""};
}

CLI::Option* add_number(CLI::App& verb, const std::string& name, double& value,
                        const std::string& text) {
  return verb.add_option(name, value, text)->check(any_number())->type_name("NUMBER");
}

}  // namespace paco
