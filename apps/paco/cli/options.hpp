// How a verb declares its options, so that every verb refuses what makes no sense with exit code 2
// and in the same words, before anything is read. No third-party type: parse.cpp alone knows the
// library that parses.
//
//   verb.add_text("--out", r->out, "the file to write").required();   // shows its default by
//   itself verb.add_flag("--strict", r->strict, "stop at the first bad image"); add_count(verb,
//   "--replays", r->replays, 1, 10'000, "passes of the replay"); add_choice<Tie>(verb, "--tie",
//   r->tie, {{"mid", Tie::mid}, {"low", Tie::low}}, "...");
//
// A name without dashes is a positional argument. The value that a variable has when it is declared
// is the default.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/threads.hpp"
#include "paco/result.hpp"

namespace paco {

// The upper limit of a count without one; help and messages then show only the lower limit.
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// More known classes than any data set has; a report lists every class.
inline constexpr std::int64_t kMostKnown = 10'000'000;

// One option, flag or positional argument: its help, its allowed values, and the variable that it
// sets. The functions change the option and return it.
struct Option {
  using Check = std::function<std::string(const std::string&)>;  // "", or what is wrong
  using Take = std::function<void(const std::vector<std::string>&)>;

  Option() = default;
  Option(Option&&) = default;  // not copied: changes to a copy would be lost
  Option& operator=(Option&&) = default;

  Option& required();
  Option& type(std::string word);           // shown in the help instead of a value
  Option& shown_default(std::string text);  // instead of the variable's value
  Option& one_of(std::vector<std::string> words);
  Option& checked(Check check);
  Option& needs(std::string other);           // allowed only with that option
  Option& environment(std::string variable);  // used if the option is not given
  Option& one_each();  // an option with many values takes one each time it is given

  bool positional() const { return names.front() != '-'; }
  std::string long_name() const;  // without dashes, the longest one

  std::string names;  // "--list,--ssb"
  std::string text;
  std::string value_type = "TEXT";
  std::string range;   // "1 to 100"
  std::string preset;  // the default as shown
  std::string variable, companion;
  bool is_required = false;
  bool many = false, many_at_once = false;  // several values in all; several each time
  bool* flag = nullptr;                     // the variable of a flag, which takes no value
  Check check;
  Take take;
  std::vector<std::string> given;  // set by parsing
};

// The options of a verb or of a part of it ("journal verify"), and what it does.
class Options {
 public:
  explicit Options(std::string name, std::string about = "");

  // The first line is for the list of verbs; further lines are for the verb's own help.
  void about(std::string text) { about_ = std::move(text); }

  Option& add_text(std::string names, std::string& value, std::string text);
  Option& add_text(std::string names, std::optional<std::string>& value, std::string text);
  Option& add_texts(std::string names, std::vector<std::string>& values, std::string text);
  Option& add_flag(std::string names, bool& value, std::string text);
  Option& add(Option option);  // for any other kind

  // A verb has either parts or options of its own.
  Options& add_part(const std::string& name, std::string about);

  // The function that runs the verb, and a function that tells whether it needs torch with the
  // given options. Most verbs never do.
  void set_body(std::function<Result<void>()> body) { body_ = std::move(body); }
  void set_needs_torch(std::function<bool()> needs) { needs_torch_ = std::move(needs); }

  // For a verb whose output should stand alone: its settings are not printed first.
  void set_silent() { silent_ = true; }

  const std::string& name() const { return name_; }  // "journal verify"
  const std::string& about() const { return about_; }
  const std::vector<std::unique_ptr<Option>>& list() const { return list_; }
  const std::vector<std::unique_ptr<Options>>& parts() const { return parts_; }
  const std::function<Result<void>()>& body() const { return body_; }
  bool needs_torch() const { return needs_torch_ && needs_torch_(); }
  bool silent() const { return silent_; }

 private:
  std::string name_, about_;
  std::vector<std::unique_ptr<Option>> list_;  // verbs hold references to them
  std::vector<std::unique_ptr<Options>> parts_;
  std::function<Result<void>()> body_;
  std::function<bool()> needs_torch_;
  bool silent_ = false;
};

// Creates the options of the functions below, without a variable to set.
Option text_option(std::string names, std::string text);
Option any_number(std::string names, std::string text);

// The option of add_count and add_counts: whole numbers from low to high.
Option whole_number(std::string names, std::int64_t low, std::int64_t high, std::string text);
std::int64_t number_of(const std::string& checked);  // converts a text that passed that check

// Any finite number.
Option& add_number(Options& verb, std::string names, double& value, std::string text);
Option& add_number(Options& verb, std::string names, double& value, double low, double high,
                   std::string text);

// A whole number within a range; `value` has any integer type that can represent the range, or is
// an optional of one.
template <class T>
Option& add_count(Options& verb, std::string names, T& value, std::int64_t low, std::int64_t high,
                  std::string text) {
  Option option = whole_number(std::move(names), low, high, std::move(text));
  if constexpr (std::is_integral_v<T>) {
    option.preset = std::to_string(value);
    option.take = [&value](const auto& given) { value = static_cast<T>(number_of(given.back())); };
  } else {
    using Number = typename T::value_type;
    if (value) option.preset = std::to_string(*value);
    option.take = [&value](const auto& given) {
      value = static_cast<Number>(number_of(given.back()));
    };
  }
  return verb.add(std::move(option));
}

// One or more whole numbers from 0 on.
template <class T>
Option& add_counts(Options& verb, std::string names, std::vector<T>& values, std::string text) {
  Option option = whole_number(std::move(names), 0, kNoLimit, std::move(text));
  option.many = option.many_at_once = true;
  option.take = [&values](const auto& given) {
    values.clear();
    for (const std::string& one : given) values.push_back(static_cast<T>(number_of(one)));
  };
  return verb.add(std::move(option));
}

// --threads: 0 means all cores, for every verb.
template <class T>
Option& add_threads(Options& verb, T& value, const std::string& text) {
  return add_count(verb, "--threads", value, 0, core::kMostThreads, text + "; 0: all cores");
}

// A seed: any value that its generator accepts.
template <class T>
Option& add_seed(Options& verb, const std::string& name, T& value, const std::string& text) {
  constexpr bool fits = sizeof(T) < sizeof(std::int64_t);
  return add_count(verb, name, value, 0,
                   fits ? static_cast<std::int64_t>(std::numeric_limits<T>::max()) : kNoLimit,
                   text);
}

// One of a few words, each of which is mapped to a value.
template <class T>
Option& add_choice(Options& verb, std::string names, T& value,
                   const std::vector<std::pair<std::string, T>>& choices, std::string text) {
  Option option = text_option(std::move(names), std::move(text));
  std::vector<std::string> words;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) option.preset = word;
  }
  option.one_of(std::move(words));
  option.take = [&value, choices](const std::vector<std::string>& given) {
    for (const auto& [word, meaning] : choices) {
      if (word == given.back()) value = meaning;
    }
  };
  return verb.add(std::move(option));
}

}  // namespace paco
