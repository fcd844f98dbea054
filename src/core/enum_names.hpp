// The values of an enumeration and their names, both ways, from one table:
//
//   constexpr auto kTies = enum_names<Tie>({{Tie::mid, "mid"}, {Tie::low, "low"}});
//   kTies.name(Tie::low)     // "low"
//   kTies.value("low")       // Tie::low; nothing where no value has that name
//   kTies.names()            // all of them, in the order of the table
//
// The table is checked at compile time: a duplicate or empty name does not compile. Not for
// translation: the names are part of files and options and must not change.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace paco::core {

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

template <class Enum, std::size_t N>
class EnumNames {
 public:
  consteval explicit EnumNames(const EnumName<Enum> (&table)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (table[i].name == table[j].name || table[i].value == table[j].value)
          throw "a name or a value is there twice";
      }
      if (table[i].name.empty()) throw "a value has no name";
      table_[i] = table[i];
    }
  }

  // "unknown" for a number that is not one of the values.
  constexpr std::string_view name(Enum value) const {
    for (const EnumName<Enum>& entry : table_)
      if (entry.value == value) return entry.name;
    return "unknown";
  }
  constexpr std::optional<Enum> value(std::string_view name) const {
    for (const EnumName<Enum>& entry : table_)
      if (entry.name == name) return entry.value;
    return std::nullopt;
  }
  constexpr std::array<std::string_view, N> names() const {
    std::array<std::string_view, N> all;
    for (std::size_t i = 0; i < N; ++i) all[i] = table_[i].name;
    return all;
  }

  constexpr auto begin() const { return table_.begin(); }
  constexpr auto end() const { return table_.end(); }

 private:
  std::array<EnumName<Enum>, N> table_{};
};

template <class Enum, std::size_t N>
consteval EnumNames<Enum, N> enum_names(const EnumName<Enum> (&table)[N]) {
  return EnumNames<Enum, N>(table);
}

}  // namespace paco::core
