// How a verb declares options that take a number or one of a few words, so that every verb refuses
// what makes no sense, with exit code 2 and in the same words, before anything is read.
//
//   add_count(verb, "--replays", o.replays, 1, 10'000, "passes of the replay");
//   add_threads(verb, o.threads, "speed only; no answer depends on it");
//   add_choice<Tie>(verb, "--tie", o.tie, {{"mid", Tie::mid}, {"low", Tie::low}}, "where to
//   stand");
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.hpp"

namespace paco {

// The upper end of a count that has none of its own; help and messages then name only the lower.
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// More known classes than anybody has; a report lists each.
inline constexpr std::int64_t kMostKnown = 10'000'000;

// Accepts decimal whole numbers from low to high and nothing else.
CLI::Validator whole_number(std::int64_t low, std::int64_t high);

// Accepts any number but an infinite one or NaN.
CLI::Validator any_number();

// A whole number within a range; `value` is any integer type that holds the range, or an optional
// one.
template <class T>
CLI::Option* add_count(CLI::App& verb, const std::string& name, T& value, std::int64_t low,
                       std::int64_t high, const std::string& text) {
  return verb.add_option(name, value, text)->check(whole_number(low, high))->type_name("N");
}

// --threads: 0 means all cores, for every verb.
template <class T>
CLI::Option* add_threads(CLI::App& verb, T& value, const std::string& text) {
  return add_count(verb, "--threads", value, 0, core::kMostThreads, text + "; 0: all cores");
}

// A seed: as large as its generator takes.
template <class T>
CLI::Option* add_seed(CLI::App& verb, const std::string& name, T& value, const std::string& text) {
  constexpr bool fits = sizeof(T) < sizeof(std::int64_t);
  return add_count(verb, name, value, 0,
                   fits ? static_cast<std::int64_t>(std::numeric_limits<T>::max()) : kNoLimit,
                   text);
}

// Any number but an infinite one or NaN; whether it makes sense is for whoever uses it to say.
CLI::Option* add_number(CLI::App& verb, const std::string& name, double& value,
                        const std::string& text);

// One of a few words. The value at the time of the call is the default.
template <class T>
CLI::Option* add_choice(CLI::App& verb, const std::string& name, T& value,
                        const std::vector<std::pair<std::string, T>>& choices,
                        const std::string& text) {
  std::vector<std::string> words;
  std::string chosen;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) chosen = word;
  }
  const auto take = [&value, choices](const std::string& given) {
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&](const auto& choice) { return choice.first == given; });
    if (found != choices.end()) value = found->second;
  };
  return verb.add_option_function<std::string>(name, take, text)
      ->check(CLI::IsMember(words))
      ->default_str(chosen);
}

}  // namespace paco
