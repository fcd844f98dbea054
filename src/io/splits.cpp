#include "io/splits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/random.hpp"
#include "core/try.hpp"
#include "io/npy.hpp"
#include "io/split_list.hpp"

namespace paco::io {
namespace {

enum class Kind { first_known, drawn, listed };

struct NamedRule {
  std::string_view name;
  Kind kind;
  std::size_t classes, known, novel;  // classes: of the whole data set
};

constexpr NamedRule kRules[] = {
    {"cifar10", Kind::first_known, 10, 5, 5},    {"cifar100", Kind::first_known, 100, 80, 20},
    {"imagenet100", Kind::drawn, 1000, 50, 50},  {"cub", Kind::listed, 200, 100, 100},
    {"cars", Kind::listed, 196, 98, 98},         {"pets", Kind::first_known, 37, 19, 18},
    {"food101", Kind::first_known, 101, 51, 50}, {"fashion-mnist", Kind::first_known, 10, 5, 5}};

ClassSplit first_known(std::size_t known, std::size_t classes) {
  ClassSplit split;
  for (std::size_t c = 0; c < classes; ++c)
    (c < known ? split.known : split.novel).push_back(static_cast<std::int64_t>(c));
  return split;
}

// ImageNet-100: a hundred of the thousand classes, in ascending order; the first half of them is
// known.
ClassSplit drawn_hundred() {
  const auto order = core::NumpyLegacyRandom(0).permutation(1000);
  std::vector<std::int64_t> hundred(order.begin(), order.begin() + 100);
  std::sort(hundred.begin(), hundred.end());
  return {{hundred.begin(), hundred.begin() + 50}, {hundred.begin() + 50, hundred.end()}};
}

Error missing_list(std::string_view rule) {
  return Error{
      ErrorCode::bad_argument, fmt::format("rule '{}' needs a list of the known classes", rule),
      "give it with --list FILE: JSON with \"known\" and \"novel\", or one known class a line"};
}

}  // namespace

std::string split_rule_names() {
  std::vector<std::string_view> names;
  for (const NamedRule& rule : kRules) names.push_back(rule.name);
  return fmt::format("{}, first, list", fmt::join(names, ", "));
}

Result<ClassSplit> choose_classes(const SplitRule& rule,
                                  const std::vector<std::string>& class_names) {
  const std::size_t classes = class_names.size();
  if (rule.name == "first") {
    if (!rule.known_count || *rule.known_count == 0 || *rule.known_count >= classes) {
      return Error{ErrorCode::bad_argument,
                   fmt::format("rule 'first' needs the number of known classes, between 1 and {}",
                               classes - 1),
                   "give it with --known K"};
    }
    return first_known(*rule.known_count, classes);
  }
  if (rule.name == "list") {
    if (rule.list_file.empty()) return missing_list(rule.name);
    return read_class_split(rule.list_file, class_names);
  }
  const auto* named = std::find_if(std::begin(kRules), std::end(kRules),
                                   [&](const NamedRule& r) { return r.name == rule.name; });
  if (named == std::end(kRules)) {
    return Error{ErrorCode::bad_argument, fmt::format("there is no split rule '{}'", rule.name),
                 "choose one of " + split_rule_names()};
  }
  if (classes != named->classes) {
    return Error{ErrorCode::mismatch,
                 fmt::format("rule '{}' is for {} classes, the data have {}", rule.name,
                             named->classes, classes),
                 "give the whole data set, or use rule 'first' or 'list'"};
  }
  if (named->kind == Kind::drawn) return drawn_hundred();
  if (named->kind == Kind::first_known) return first_known(named->known, classes);
  if (rule.list_file.empty()) return missing_list(rule.name);
  PACO_ASSIGN(auto split, read_class_split(rule.list_file, class_names));
  if (split.known.size() != named->known || split.novel.size() != named->novel) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: lists {} known and {} novel classes, rule '{}' has {} and {}",
                             rule.list_file, split.known.size(), split.novel.size(), rule.name,
                             named->known, named->novel),
                 "check that this is the list of the right data set, or use rule 'list'"};
  }
  return split;
}

Result<Split> make_split(const Labels& labels, const ClassSplit& classes,
                         const SplitOptions& options) {
  Split split;
  split.known_classes = classes.known.size();
  std::vector<std::int64_t> renumbered(labels.names.size(), -1);
  for (const auto* part : {&classes.known, &classes.novel}) {
    for (const std::int64_t c : *part) {
      renumbered[static_cast<std::size_t>(c)] = static_cast<std::int64_t>(split.class_names.size());
      split.class_names.push_back(labels.names[static_cast<std::size_t>(c)]);
    }
  }
  const auto label_of = [&](std::size_t sample) {
    return renumbered[static_cast<std::size_t>(labels.ids[sample])];
  };
  const auto is_known = [&](std::size_t sample) {
    return static_cast<std::size_t>(label_of(sample)) < split.known_classes;
  };

  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < labels.ids.size(); ++i) {
    if (label_of(i) >= 0 && is_known(i)) known.push_back(i);
  }
  if (known.size() < 2) {
    return Error{ErrorCode::bad_value,
                 fmt::format("only {} samples belong to known classes", known.size()),
                 "half of them become the support set; check labels and rule"};
  }
  const auto drawn = core::NumpyLegacyRandom(options.support_seed).permutation(known.size());
  std::vector<bool> in_support(labels.ids.size(), false);
  for (std::size_t i = 0; i < known.size() / 2; ++i) in_support[known[drawn[i]]] = true;

  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < labels.ids.size(); ++i) {
    if (label_of(i) < 0) continue;
    if (in_support[i]) {
      split.support.push_back(static_cast<std::int64_t>(i));
      split.support_labels.push_back(label_of(i));
    } else {
      rest.push_back(i);
    }
  }
  std::vector<std::size_t> order(rest.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (options.shuffle) order = core::NumpyLegacyRandom(options.order_seed).permutation(rest.size());
  for (const std::size_t at : order) {
    split.stream.push_back(static_cast<std::int64_t>(rest[at]));
    split.stream_labels.push_back(label_of(rest[at]));
  }
  return split;
}

Result<void> write_split(const Split& split, const std::string& folder) {
  std::string names, known_names;
  for (std::size_t c = 0; c < split.class_names.size(); ++c) {
    const std::string& name = split.class_names[c];
    if (name.find('\n') != name.npos) {
      return Error{ErrorCode::bad_value,
                   fmt::format("the class name '{}' has a line break in it", name),
                   "rename the class: the list of classes has one name a line"};
    }
    names += name + "\n";
    if (c < split.known_classes) known_names += name + "\n";
  }
  PACO_TRY(core::make_folder(folder));
  std::vector<std::string> written;
  const auto write_all = [&]() -> Result<void> {
    const std::pair<const char*, const std::vector<std::int64_t>*> arrays[] = {
        {"support_index.npy", &split.support},
        {"stream_index.npy", &split.stream},
        {"support_labels.npy", &split.support_labels},
        {"stream_labels.npy", &split.stream_labels}};
    for (const auto& [name, values] : arrays) {
      written.push_back(folder + "/" + name);
      const std::uint64_t size = values->size();
      PACO_TRY(write_npy<std::int64_t>(written.back(), {&size, 1}, *values));
    }
    for (const auto& [name, text] :
         {std::pair("classes.txt", &names), std::pair("known_classes.txt", &known_names)}) {
      written.push_back(folder + "/" + name);
      PACO_TRY(core::write_file(written.back(), *text));
    }
    return {};
  };
  const auto result = write_all();
  if (!result.ok()) {
    for (const std::string& path : written) {
      // Removing is an attempt: what is reported is why writing failed.
      if (core::path_kind(path) == core::PathKind::file) (void)core::remove_file(path);
    }
  }
  return result;
}

}  // namespace paco::io
