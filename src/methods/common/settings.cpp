// Options of methods: checking what was given and filling in defaults.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/option_table.hpp"

namespace paco {
namespace {

bool parse(std::string_view text, double& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

std::string wanted(const MethodOption& option) {
  switch (option.kind) {
    case MethodOption::Kind::flag:
      return "it is on or off";
    case MethodOption::Kind::choice:
      if (option.choices.empty()) return "it is a text";
      return fmt::format("it is one of {}", fmt::join(option.choices, ", "));
    case MethodOption::Kind::number:
      return fmt::format("it is a number between {} and {}", option.low, option.high);
    case MethodOption::Kind::whole:
      break;
  }
  return fmt::format("it is a whole number between {:.0f} and {:.0f}", option.low, option.high);
}

// The value in its stored form, or an empty string if it is not valid.
std::string proper(const MethodOption& option, std::string_view text) {
  double value = 0;
  switch (option.kind) {
    case MethodOption::Kind::flag:
      if (text == "on" || text == "true" || text == "1" || text == "yes") return "on";
      if (text == "off" || text == "false" || text == "0" || text == "no") return "off";
      return "";
    case MethodOption::Kind::choice:
      if (option.choices.empty()) return std::string(text);
      return std::count(option.choices.begin(), option.choices.end(), text) > 0 ? std::string(text)
                                                                                : "";
    case MethodOption::Kind::whole:
    case MethodOption::Kind::number:
      break;
  }
  if (!parse(text, value) || !(value >= option.low && value <= option.high)) return "";
  if (option.kind == MethodOption::Kind::whole) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : "";
  }
  return setting_text(value);
}

}  // namespace

Result<Settings> complete_settings(std::span<const MethodOption> options, const Settings& given,
                                   MethodOption::Stage stage, std::string_view method) {
  Settings complete;
  for (const MethodOption& option : options) {
    if (stage == MethodOption::Stage::calibrating)
      complete.emplace(std::string(option.name), proper(option, option.preset));
  }
  for (const auto& [name, text] : given) {
    const auto option =
        std::find_if(options.begin(), options.end(),
                     [&name = name](const MethodOption& o) { return o.name == name; });
    if (option == options.end()) {
      std::vector<std::string_view> names;
      for (const MethodOption& o : options) names.push_back(o.name);
      return Error{
          ErrorCode::bad_argument, fmt::format("method '{}' has no option '{}'", method, name),
          names.empty() ? "it has no options" : fmt::format("it has: {}", fmt::join(names, ", "))};
    }
    if (stage == MethodOption::Stage::deciding && option->stage != stage) {
      return Error{ErrorCode::bad_argument,
                   fmt::format("option '{}' of method '{}' belongs to calibration", name, method),
                   "give it to 'paco calibrate' and use that model"};
    }
    const std::string value = proper(*option, text);
    if (value.empty()) {
      return Error{ErrorCode::bad_argument, fmt::format("{} is '{}'", name, text), wanted(*option)};
    }
    complete.insert_or_assign(name, value);
  }
  return complete;
}

std::string methods::preset_text(double value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  std::string out(text, end);
  const std::size_t exponent = out.find("e+");
  if (exponent == std::string::npos) return out;
  const std::size_t digits = out.find_first_not_of('0', exponent + 2);
  return out.substr(0, exponent + 1) + out.substr(digits);
}

std::string setting_text(double value) { return fmt::format("{}", value); }

}  // namespace paco
