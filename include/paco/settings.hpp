// The options of a method: the declarations, and the given values.
//
// A method declares its options once (MethodOption), bound to the fields of its own struct. The
// command line, the model file, the server and the library all refer to options by name, so a new
// option needs one line.
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
  // When an option can be given: only to `calibrate`, or also later, when a stream begins.
  enum class Stage : std::uint8_t { calibrating, deciding };

  std::string_view name;
  Kind kind = Kind::number;
  Stage stage = Stage::calibrating;
  std::string_view preset;  // the default, as text
  std::string_view meaning;
  double low = 0, high = 0;               // range of a number, both ends included
  std::vector<std::string_view> choices;  // allowed values of a choice; empty: any text
};

// All options with valid values: the given ones, and defaults for the rest. Returns an error for an
// unknown name, a value outside its range and an option of another stage.
Result<Settings> complete_settings(std::span<const MethodOption> options, const Settings& given,
                                   MethodOption::Stage stage, std::string_view method);

// The shortest text that reads back as the same number, for Settings.
std::string setting_text(double value);

}  // namespace paco
