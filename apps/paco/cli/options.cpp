#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace paco {
namespace {

template <class T>
std::optional<T> parsed(const std::string& text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::type(std::string word) {
  value_type = std::move(word);
  return *this;
}

Option& Option::shown_default(std::string shown) {
  preset = std::move(shown);
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  value_type = fmt::format("{}", fmt::join(words, "|"));
  return checked([words = std::move(words), list = value_type](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
    return fmt::format("'{}' is none of {}", word, list);
  });
}

Option& Option::checked(Check new_check) {
  check = std::move(new_check);
  return *this;
}

Option& Option::needs(std::string other) {
  companion = std::move(other);
  return *this;
}

Option& Option::environment(std::string name) {
  variable = std::move(name);
  return *this;
}

Option& Option::one_each() {
  many_at_once = false;
  return *this;
}

std::string Option::long_name() const {
  const std::size_t dashes = names.find("--");
  if (dashes == std::string::npos) return names;
  return names.substr(dashes + 2, names.find(',', dashes) - dashes - 2);
}

Options::Options(std::string name, std::string about)
    : name_(std::move(name)), about_(std::move(about)) {}

Option& Options::add(Option option) {
  list_.push_back(std::make_unique<Option>(std::move(option)));
  return *list_.back();
}

Option& Options::add_text(std::string names, std::string& value, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.preset = value;
  option.take = [&value](const std::vector<std::string>& given) { value = given.back(); };
  return add(std::move(option));
}

Option& Options::add_text(std::string names, std::optional<std::string>& value, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.preset = value.value_or("");
  option.take = [&value](const std::vector<std::string>& given) { value = given.back(); };
  return add(std::move(option));
}

Option& Options::add_texts(std::string names, std::vector<std::string>& values, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.many = option.many_at_once = true;
  option.take = [&values](const std::vector<std::string>& given) { values = given; };
  return add(std::move(option));
}

Option& Options::add_flag(std::string names, bool& value, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.flag = &value;
  return add(std::move(option));
}

Options& Options::add_part(const std::string& name, std::string about) {
  parts_.push_back(std::make_unique<Options>(name_ + " " + name, std::move(about)));
  return *parts_.back();
}

Option text_option(std::string names, std::string text) {
  Option option;
  option.names = std::move(names);
  option.text = std::move(text);
  return option;
}

Option any_number(std::string names, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.value_type = "NUMBER";
  option.check = [](const std::string& given) -> std::string {
    const auto number = parsed<double>(given);
    return number && std::isfinite(*number) ? "" : fmt::format("'{}' is no number", given);
  };
  return option;
}

Option whole_number(std::string names, std::int64_t low, std::int64_t high, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  option.value_type = "N";
  if (high != kNoLimit) option.range = fmt::format("{} to {}", low, high);
  option.check = [low, high](const std::string& given) -> std::string {
    const auto number = parsed<std::int64_t>(given);
    if (number && *number >= low && *number <= high) return "";
    return high == kNoLimit
               ? fmt::format("'{}' is no whole number from {} on", given, low)
               : fmt::format("'{}' is no whole number from {} to {}", given, low, high);
  };
  return option;
}

std::int64_t number_of(const std::string& checked) {
  return parsed<std::int64_t>(checked).value_or(0);
}

Option& add_number(Options& verb, std::string names, double& value, std::string text) {
  Option option = any_number(std::move(names), std::move(text));
  option.preset = fmt::format("{:g}", value);
  option.take = [&value](const auto& given) { value = parsed<double>(given.back()).value_or(0); };
  return verb.add(std::move(option));
}

Option& add_number(Options& verb, std::string names, double& value, double low, double high,
                   std::string text) {
  Option& option = add_number(verb, std::move(names), value, std::move(text));
  option.range = fmt::format("{} to {}", low, high);
  return option.checked([low, high](const std::string& given) -> std::string {
    const auto number = parsed<double>(given);
    if (number && *number >= low && *number <= high) return "";
    return fmt::format("'{}' is no number from {} to {}", given, low, high);
  });
}

}  // namespace paco
