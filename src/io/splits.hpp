// Which classes are known, which samples are the support set, and in which order the rest is
// streamed.
//
// The rules of the literature by name, and two general ones. The support set is half of the samples
// of all known classes, drawn from them together (not class by class) with numpy's legacy
// generator; the other half and all samples of novel classes are the stream. Sample numbers follow
// the data set. The same labels, rule and seeds give the same split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/labels.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct SplitRule {
  // cifar10, cifar100, imagenet100, cub, cars, pets, food101, fashion-mnist; or first, list
  std::string name;
  std::string list_file;                   // for list; for cub and cars instead of the SSB list
  std::optional<std::size_t> known_count;  // for first
  // A rule of the literature refuses data with other counts than the literature's, unless this says
  // that they are known to differ.
  bool unchecked = false;
};

// Class numbers of the data set, in the order in which they are numbered again. Samples of other
// classes are left out.
struct ClassSplit {
  std::vector<std::int64_t> known, novel;
};

// A list file is JSON, {"known": [...], "novel": [...]} of class numbers or names, or text with one
// known class a line (then all others are novel).
Result<ClassSplit> choose_classes(const SplitRule& rule,
                                  const std::vector<std::string>& class_names);

// "cifar10, cifar100, ...", for help and error texts.
std::string split_rule_names();

struct SplitOptions {
  std::uint32_t support_seed = 0;  // of the draw of the support set
  std::uint32_t order_seed = 0;    // of the order of the stream
  bool shuffle = true;             // otherwise the stream keeps the order of the data set
};

struct Split {
  std::vector<std::int64_t> support, stream;  // sample numbers; support ascending, stream in order
  std::vector<std::int64_t> support_labels, stream_labels;  // renumbered: known classes first
  std::vector<std::string> class_names;                     // of the new numbers
  std::size_t known_classes = 0;
};

Result<Split> make_split(const Labels& labels, const ClassSplit& classes,
                         const SplitOptions& options);

// Refuses a split by a rule of the literature whose parts are not as large as the literature's.
Result<void> check_counts(const SplitRule& rule, const Split& split);

// Which samples are in which part, whatever the order of the stream: the SHA-256, in 64 hexadecimal
// digits, of one line for each sample in ascending order, "NUMBER support" or "NUMBER stream".
std::string split_digest(const Split& split);

// What write_split() writes.
std::vector<std::string> split_files();

// Writes support_index.npy, stream_index.npy, support_labels.npy, stream_labels.npy (int64),
// classes.txt, known_classes.txt (the first of them) and digest.txt into a folder, which is made
// if it is missing. If one cannot be written, none is left.
Result<void> write_split(const Split& split, const std::string& folder);

}  // namespace paco::io
