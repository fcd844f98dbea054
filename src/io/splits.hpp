// The split of a data set: known classes, the samples of the support set, and the order of the
// stream.
//
// The rules of the literature are available by name, and two general rules. The support set is half
// of the samples of all known classes, drawn from them together (not class by class) with numpy's
// legacy generator; the other half and all samples of novel classes are the stream. Sample numbers
// follow the data set. The same labels, rule and seeds give the same split.
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
  // A rule of the literature gives an error for data with other counts than the literature's,
  // unless this is set because the counts are known to differ.
  bool unchecked = false;
};

// Class numbers of the data set, in the order of their new numbers. Samples of other classes are
// left out.
struct ClassSplit {
  std::vector<std::int64_t> known, novel;
};

// A list file is JSON, {"known": [...], "novel": [...]} of class numbers or names, or text with one
// known class a line (then all others are novel).
Result<ClassSplit> choose_classes(const SplitRule& rule,
                                  const std::vector<std::string>& class_names);

// "cifar10, cifar100, ...", for help and error messages.
std::string split_rule_names();

struct SplitOptions {
  std::uint32_t support_seed = 0;  // of the draw of the support set
  std::uint32_t order_seed = 0;    // of the order of the stream
  bool shuffle = true;             // false: the stream keeps the order of the data set
};

struct Split {
  std::vector<std::int64_t> support, stream;  // sample numbers; support ascending, stream in order
  std::vector<std::int64_t> support_labels, stream_labels;  // renumbered: known classes first
  std::vector<std::string> class_names;                     // of the new numbers
  std::size_t known_classes = 0;
};

Result<Split> make_split(const Labels& labels, const ClassSplit& classes,
                         const SplitOptions& options);

// Returns an error for a split by a rule of the literature if the sizes of its parts differ from
// the literature.
Result<void> check_counts(const SplitRule& rule, const Split& split);

// Identifies which samples are in which part, independent of the order of the stream: the SHA-256,
// in 64 hexadecimal digits, of one line for each sample in ascending order, "NUMBER support" or
// "NUMBER stream".
std::string split_digest(const Split& split);

// The names of the files that write_split() writes.
std::vector<std::string> split_files();

// Writes support_index.npy, stream_index.npy, support_labels.npy, stream_labels.npy (int64),
// classes.txt, known_classes.txt (the first lines of classes.txt) and digest.txt into a folder,
// which is created if it does not exist. If one file cannot be written, all are removed.
Result<void> write_split(const Split& split, const std::string& folder);

}  // namespace paco::io
