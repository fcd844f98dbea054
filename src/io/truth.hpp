// The true classes of a decided stream, from a file that may cover only part of it.
//
// True classes often become known late, or only for some samples. There are two kinds of files: a
// list with one label per decision in stream order (npy, npz, safetensors, csv, text, jsonl), where
// -1 or an empty line means unknown; or a table that says which sample each label is for (csv or
// jsonl with "sequence" or "sample" beside "label"), with one row for each known label.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

// The true class of a sample that has no label (yet).
inline constexpr std::int64_t kNoTruth = -1;

// The stream of decisions that a table of true classes refers to.
struct DecidedStream {
  std::uint64_t first = 0;               // arrival number of its first sample; no gaps behind it
  std::size_t count = 0;                 // n
  std::span<const std::string> samples;  // (n) ids; empty: their arrival numbers
  // By id, the known classes first; needed if labels are names. Names that are not in this list are
  // novel classes and get the ids after it, in the order of their bytes.
  std::span<const std::string> class_names;
};

struct Truth {
  std::vector<std::int64_t> labels;      // (n) kNoTruth if unknown
  std::vector<std::string> class_names;  // by class id; those given if labels are numbers
};

// Class names by id for a DecidedStream: the names of the known classes, or, if `classes` is given,
// those in this file, with one name per line and the known classes first.
Result<std::vector<std::string>> names_of_classes(std::vector<std::string> known,
                                                  const std::string& classes);

Result<Truth> read_truth(const std::string& path, const DecidedStream& stream);
// Bytes in memory instead of a file; for tests of damaged input.
Result<Truth> parse_truth(std::span<const std::byte> bytes, const std::string& name,
                          const DecidedStream& stream);

}  // namespace paco::io
