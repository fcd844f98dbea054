// The options of a method, declared once and bound to the fields of a struct:
//
//   const OptionTable<MirrorOptions> table("mirror", {
//       {"rehearse", &MirrorOptions::rehearse, 0, 64, "stored samples that are looked at again"},
//       {"prior", &MirrorOptions::prior, "draw the threshold to what serves elsewhere"}});
//
// The struct's default values are the option defaults. read() converts the texts given by the user
// or by a file to the struct. No other code parses the texts or checks a range.
#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "core/try.hpp"
#include "paco/settings.hpp"

namespace paco::methods {

// The shortest usual text of a number: 0.5, 2000, 1e6.
std::string preset_text(double value);

template <class T>
class OptionTable {
 public:
  static constexpr auto kLater = MethodOption::Stage::deciding;

  class Row {
   public:
    using Stage = MethodOption::Stage;

    // A number, or a whole number.
    template <class N, class Base>
    requires std::derived_from<T, Base> && std::is_arithmetic_v<N> Row(
        std::string_view name, N Base::*field, double low, double high, std::string_view meaning,
        Stage stage = Stage::calibrating)
        : option_{name,    std::floating_point<N> ? Kind::number : Kind::whole,
                  stage,   "",
                  meaning, low,
                  high,    {}},
          preset_([field](const T& t) { return preset_text(static_cast<double>(t.*field)); }),
          set_([field](T& t, std::string_view text) {
            double value = 0;
            std::from_chars(text.data(), text.data() + text.size(), value);
            t.*field = static_cast<N>(value);
          }) {}
    // A flag.
    template <class Base>
    requires std::derived_from<T, Base> Row(std::string_view name, bool Base::*field,
                                            std::string_view meaning,
                                            Stage stage = Stage::calibrating)
        : option_{name, Kind::flag, stage, "", meaning, 0, 0, {}},
          preset_([field](const T& t) { return std::string(t.*field ? "on" : "off"); }),
          set_([field](T& t, std::string_view text) { t.*field = text == "on"; }) {}
    // A choice.
    template <class Enum, std::size_t N, class Base>
    requires std::derived_from<T, Base> Row(std::string_view name, Enum Base::*field,
                                            const core::EnumNames<Enum, N>& names,
                                            std::string_view meaning,
                                            Stage stage = Stage::calibrating)
        : option_{name, Kind::choice, stage, "", meaning, 0, 0, {}},
          preset_([field, names](const T& t) { return std::string(names.name(t.*field)); }),
          set_([field, names](T& t, std::string_view text) {
            t.*field = names.value(text).value_or(t.*field);
          }) {
      for (const auto& entry : names) option_.choices.push_back(entry.name);
    }
    // Any text.
    template <class Base>
    requires std::derived_from<T, Base> Row(std::string_view name, std::string Base::*field,
                                            std::string_view meaning,
                                            Stage stage = Stage::calibrating)
        : option_{name, Kind::choice, stage, "", meaning, 0, 0, {}},
          preset_([field](const T& t) { return t.*field; }),
          set_([field](T& t, std::string_view text) { t.*field = std::string(text); }) {}

   private:
    friend class OptionTable;
    using Kind = MethodOption::Kind;
    MethodOption option_;
    std::function<std::string(const T&)> preset_;
    std::function<void(T&, std::string_view)> set_;
  };

  // `method` is the prefix of error messages; `presets` are the defaults.
  explicit OptionTable(std::string method, std::vector<Row> rows, T presets = {})
      : method_(std::move(method)), presets_(std::move(presets)), rows_(std::move(rows)) {
    texts_.reserve(rows_.size());
    for (const Row& row : rows_) texts_.push_back(row.preset_(presets_));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      options_.push_back(rows_[i].option_);
      options_.back().preset = texts_[i];
    }
  }
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  const std::vector<MethodOption>& options() const { return options_; }

  // Reads the settings that calibration stored. Those in `changed` (given when a stream starts)
  // replace them.
  Result<T> read(const Settings& stored, const Settings& changed = {}) const {
    PACO_ASSIGN(const Settings wanted, complete_settings(options_, changed, kLater, method_));
    Settings given = stored;
    for (const auto& [name, value] : wanted) given.insert_or_assign(name, value);
    PACO_ASSIGN(const Settings all,
                complete_settings(options_, given, MethodOption::Stage::calibrating, method_));
    T out = presets_;
    for (const Row& row : rows_) row.set_(out, all.find(row.option_.name)->second);
    return out;
  }

 private:
  std::string method_;
  T presets_;
  std::vector<Row> rows_;
  std::vector<std::string> texts_;  // texts of the defaults; options_ points to them
  std::vector<MethodOption> options_;
};

}  // namespace paco::methods
