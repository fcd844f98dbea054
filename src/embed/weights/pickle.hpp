// The part of Python's pickle format that holds a PyTorch state dict, or numpy arrays with lists of
// numbers, read as data.
//
// A pickle is a program for a small stack machine that can call any Python function. Here nothing
// is called: the machine only builds numbers, texts, tuples, lists and dictionaries, and the few
// globals in pickle.cpp; any other opcode or global is an error that names it. Memory is bounded by
// the length of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paco/result.hpp"

namespace paco::embed {

using PickleId = std::uint32_t;  // index into Pickle::values

struct PickleTensor {
  PickleId storage = 0;  // a value of kind storage
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, stride;  // in elements
};

struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,
    list,
    dictionary,
    global,
    storage,
    tensor,
    array,
    opaque
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  // also of a boolean
  double real = 0;
  std::string text;  // text; the full name of a global
  // Of a list or tuple; the five parts of a storage; shape and bytes of an array, whose text is the
  // type of its numbers ("u1") and whose integer is 1 if it is column-major.
  std::vector<PickleId> items;
  std::vector<std::pair<PickleId, PickleId>> entries;  // dictionary, in order of insertion
  PickleTensor tensor;
};

struct Pickle {
  std::vector<PickleValue> values;
  PickleId root = 0;
  std::size_t length = 0;  // bytes of the input that belong to this pickle

  const PickleValue& operator[](PickleId id) const { return values[id]; }
  // The value under a text key of a dictionary, or null.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;
};

// The kinds of data that a pickle may contain.
enum class PickleUse : std::uint8_t { state_dict, arrays };

// Values may contain each other through the memo, even in circles: a caller that walks them bounds
// the depth.
Result<Pickle> read_pickle(std::span<const std::byte> bytes, const std::string& origin,
                           PickleUse use = PickleUse::state_dict);

}  // namespace paco::embed
