// The options of a method: what it declares, and the values that were given.
//
// A method declares its options once (MethodOption), bound to the fields of a struct of its own;
// the command line, the model file, the server and the library all speak of them by name, so that a
// new option is one line.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// Values by name, as text: {"temperature": "0.07", "routing": "off"}.
using Settings = std::map<std::string, std::string, std::less<>>;

struct MethodOption {
  enum class Kind : std::uint8_t { number, whole, flag, choice };
  // When it can be given: to `calibrate`, or also later, when a stream begins.
  enum class Stage : std::uint8_t { calibrating, deciding };

  std::string_view name;
  Kind kind = Kind::number;
  Stage stage = Stage::calibrating;
  std::string_view preset;  // the default, as text
  std::string_view meaning;
  double low = 0, high = 0;               // range of a number, both ends allowed
  std::vector<std::string_view> choices;  // of a choice; none: any text
};

// Every option with a proper value: what is given, the defaults for the rest. An unknown name, a
// value outside its range and an option of another stage are refused.
Result<Settings> complete_settings(std::span<const MethodOption> options, const Settings& given,
                                   MethodOption::Stage stage, std::string_view method);

// The shortest text that gives the number back, for Settings.
std::string setting_text(double value);

}  // namespace paco
