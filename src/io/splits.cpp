#include "io/splits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/random.hpp"
#include "core/try.hpp"
#include "io/literature_sets.hpp"
#include "io/npy.hpp"
#include "io/split_list.hpp"

namespace paco::io {
namespace {

ClassSplit first_known(std::size_t known, std::size_t classes) {
  ClassSplit split;
  for (std::size_t c = 0; c < classes; ++c)
    (c < known ? split.known : split.novel).push_back(static_cast<std::int64_t>(c));
  return split;
}

constexpr std::size_t kImageNetClasses = 1000;

// ImageNet-100: a hundred of the thousand classes, in ascending order; the first half of them is
// known.
ClassSplit drawn_hundred() {
  const auto order = core::NumpyLegacyRandom(0).permutation(kImageNetClasses);
  std::vector<std::int64_t> hundred(order.begin(), order.begin() + 100);
  std::sort(hundred.begin(), hundred.end());
  return {{hundred.begin(), hundred.begin() + 50}, {hundred.begin() + 50, hundred.end()}};
}

bool is_number(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Class ids of Pets and Cars do not follow the order of folder names. Class names show a wrong
// order; plain numbers are not checked.
Result<void> check_class_order(const LiteratureSet& set, const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_number)) return {};
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::mismatch,
                 fmt::format("the classes are not numbered as {} numbers them: {}", set.title, why),
                 fmt::format("give the data set as it is published: --data {}:PATH", set.name)};
  };
  if (set.name == "pets") {
    for (std::size_t c = 1; c < names.size(); ++c) {
      if (lower_case(names[c - 1]) <= lower_case(names[c])) continue;
      return refuse(
          fmt::format("'{}' comes before '{}', but cats and dogs are sorted together, "
                      "without regard to case",
                      names[c - 1], names[c]));
    }
  }
  if (set.name == "cars" && std::is_sorted(names.begin(), names.end()))
    return refuse("they are sorted by name, the devkit's are not");
  return {};
}

// The known classes of a rule among the first `classes` ids. There are fewer than in the literature
// only if the check is switched off.
ClassSplit named_classes(const LiteratureSet& set, std::size_t classes) {
  if (set.kind != KnownClasses::listed) return first_known(std::min(set.known, classes), classes);
  ClassSplit split;
  for (std::size_t c = 0; c < classes; ++c) {
    const bool known = std::find(set.ssb_known.begin(), set.ssb_known.end(),
                                 static_cast<std::int16_t>(c)) != set.ssb_known.end();
    (known ? split.known : split.novel).push_back(static_cast<std::int64_t>(c));
  }
  return split;
}

Error missing_list(std::string_view rule) {
  return Error{
      ErrorCode::bad_argument, fmt::format("rule '{}' needs a list of the known classes", rule),
      "give it with --list FILE: JSON with \"known\" and \"novel\", or one known class a line"};
}

}  // namespace

std::string split_rule_names() {
  std::vector<std::string_view> names;
  for (const LiteratureSet& set : literature_sets()) names.push_back(set.name);
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
  const LiteratureSet* set = literature_set(rule.name);
  if (set == nullptr) {
    return Error{ErrorCode::bad_argument, fmt::format("there is no split rule '{}'", rule.name),
                 "choose one of " + split_rule_names()};
  }
  if (set->kind == KnownClasses::drawn && classes == kImageNetClasses) return drawn_hundred();
  if (classes != set->classes && !rule.unchecked) {
    return Error{ErrorCode::mismatch,
                 fmt::format("rule '{}' is for {} classes, the data have {}", rule.name,
                             set->classes, classes),
                 "give the whole data set, or use rule 'first' or 'list'; --unchecked goes on"};
  }
  if (!rule.unchecked) PACO_TRY(check_class_order(*set, class_names));
  if (rule.list_file.empty()) return named_classes(*set, classes);
  PACO_ASSIGN(auto split, read_class_split(rule.list_file, class_names));
  if (!rule.unchecked && (split.known.size() != set->known || split.novel.size() != set->novel)) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: lists {} known and {} novel classes, rule '{}' has {} and {}",
                             rule.list_file, split.known.size(), split.novel.size(), rule.name,
                             set->known, set->novel),
                 "check that this is the list of the right data set, or use rule 'list'"};
  }
  return split;
}

Result<void> check_counts(const SplitRule& rule, const Split& split) {
  const LiteratureSet* set = literature_set(rule.name);
  if (set == nullptr || rule.unchecked ||
      (split.support.size() == set->support && split.stream.size() == set->stream))
    return {};
  return Error{
      ErrorCode::mismatch,
      fmt::format("this is not {} as the literature uses it: the split has {} support and "
                  "{} stream samples, the literature's has {} and {}",
                  set->title, split.support.size(), split.stream.size(), set->support, set->stream),
      fmt::format("give its training images as they are published ('paco data check {} "
                  "PATH' says what is missing), or go on with --unchecked",
                  set->name)};
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

std::string split_digest(const Split& split) {
  std::vector<std::pair<std::int64_t, bool>> samples;  // and whether it is in the support set
  for (const std::int64_t sample : split.support) samples.emplace_back(sample, true);
  for (const std::int64_t sample : split.stream) samples.emplace_back(sample, false);
  std::sort(samples.begin(), samples.end());
  std::string text;
  for (const auto& [sample, support] : samples)
    text += fmt::format("{} {}\n", sample, support ? "support" : "stream");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  std::string digits;
  for (unsigned i = 0; i < size; ++i) digits += fmt::format("{:02x}", digest[i]);
  return digits;
}

std::vector<std::string> split_files() {
  return {"support_index.npy", "stream_index.npy",  "support_labels.npy", "stream_labels.npy",
          "classes.txt",       "known_classes.txt", "digest.txt"};
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
    const std::pair<const char*, std::string> texts[] = {
        {"classes.txt", names},
        {"known_classes.txt", known_names},
        {"digest.txt", split_digest(split) + "\n"}};
    for (const auto& [name, text] : texts) {
      written.push_back(folder + "/" + name);
      PACO_TRY(core::write_file(written.back(), std::string_view(text)));
    }
    return {};
  };
  const auto result = write_all();
  if (!result.ok()) {
    for (const std::string& path : written) {
      // Best effort: the error that is reported is the reason why writing failed.
      if (core::path_kind(path) == core::PathKind::file) (void)core::remove_file(path);
    }
  }
  return result;
}

}  // namespace paco::io
