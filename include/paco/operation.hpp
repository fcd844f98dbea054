// What people do to categories: operations, what they did, and how they are taken back.
//
// An operation is an event of the stream like a sample. It is checked, broken down into edits (the
// smallest reversible changes), and applied; its inverse is the same edits backwards. So undo and
// redo need no code of their own, and what one operation builds upon can be read off its edits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paco/decision.hpp"
#include "paco/result.hpp"

namespace paco {

enum class OperationKind : std::uint8_t {
  rename,    // the name of a category
  merge,     // all prototypes of some categories go to one of them
  separate,  // named prototypes become a category of their own
  move,      // samples leave their prototype and join another category, or a new one
  promote,   // a category becomes a known class: its directions become fixed references
  demote,    // the inverse, of what was promoted
  retire,    // its prototypes stop competing and leave every statistic
  revive,    // back again
  verify,    // a person confirmed that samples belong where they are
  undo,      // of an earlier operation
};

std::string_view operation_name(OperationKind kind);
std::optional<OperationKind> operation_kind(std::string_view name);

struct Operation {
  OperationKind kind = OperationKind::rename;
  CategoryId category = -1;             // what it is about; of merge and move the destination,
                                        // of move -1 for a new one
  std::vector<CategoryId> categories;   // merge: all of them, the destination may be among them
  std::vector<PrototypeId> prototypes;  // separate
  std::vector<std::uint64_t> samples;   // move, verify: sequence numbers
  std::string name;                     // rename, promote, separate and move to new: may be empty
  std::uint64_t event = 0;              // undo: the operation to take back
  std::string actor;                    // who did it, for the history
  std::string key;                      // of the request, as its sender chose it; may be empty
};

// The smallest change: one cell from one value to another.
struct Edit {
  enum class Cell : std::uint8_t {
    category,   // does it exist? 0 or 1
    prototype,  // does it exist? 0 or 1
    name,       // of a category, in the texts
    forward,    // of a category
    retired,    // of a category, 0 or 1
    owner,      // of a prototype
    reference,  // of a prototype, 0 or 1; the direction in `row`
    member,     // of a sample: its prototype, and whether it is only counted there
    verified,   // of a sample: the prototype where a person confirmed it, or none
  };
  Cell cell = Cell::name;
  std::int64_t id = 0;  // category, prototype or sample
  std::int64_t from = 0, to = 0;
  bool from_counted = false, to_counted = false;  // of a member
  std::string from_text, to_text;                 // of a name
  std::vector<float> row;                         // of a reference: the fixed direction
  std::uint64_t birth = 0;                        // of a category or prototype: samples before it

  Edit inverse() const;
  // Identifies the cell: two edits with one key change the same thing.
  std::uint64_t key() const { return cell_key(cell, id); }
  static std::uint64_t cell_key(Cell cell, std::int64_t id) {
    return static_cast<std::uint64_t>(cell) << 56 | static_cast<std::uint64_t>(id);
  }
};

struct OperationOutcome {
  std::uint64_t event = 0;     // its place in the stream
  std::uint64_t sequence = 0;  // samples before it
  Operation operation;
  std::vector<Edit> edits;            // in the order in which they were applied
  std::vector<std::uint64_t> builds;  // cells it relies on besides, as cell_key() gives them
  std::string text;                   // what it did, in words
  CategoryId category = -1;           // the category that it left behind: destination or new one
  double time = 0;                    // seconds since 1970
};

// Where the embeddings and memberships of past samples are: a journal, or memory for the last ones.
class MemberSource {
 public:
  struct Member {
    std::uint64_t sequence = 0;
    bool counted = false;
  };
  virtual ~MemberSource() = default;
  // Whether it knows every member of every prototype.
  virtual bool knows_all() const { return true; }
  // Present members of a prototype in stream order.
  virtual Result<std::vector<Member>> members(PrototypeId prototype) = 0;
  // Where a sample belongs now.
  virtual Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) = 0;
  virtual Result<std::vector<double>> embedding(std::uint64_t sequence) = 0;
  // Where people see a sample, whatever the method has done with it since.
  virtual Result<PrototypeId> shown(std::uint64_t sequence) {
    const auto where = membership(sequence);
    if (!where.ok()) return where.error();
    return where->first;
  }
  // Where a person confirmed that a sample belongs; -1: nobody did.
  virtual PrototypeId verified(std::uint64_t sequence) const {
    static_cast<void>(sequence);
    return -1;
  }
};

// What operations need to know of a prototype.
struct PrototypeRole {
  CategoryId owner = -1;
  bool exists = false;
  bool support = false;   // a reference that the model brought
  bool promoted = false;  // a reference by promotion
  bool competing = false;
  std::int64_t members = 0, counted = 0;
};

// The side of a method that operations change. Called by the session alone.
class Editor {
 public:
  virtual ~Editor() = default;
  // Applies edits in order. On an error nothing has changed.
  virtual Result<void> apply(std::span<const Edit> edits, MemberSource* members) = 0;
  virtual PrototypeRole role(PrototypeId prototype) const = 0;
  // Cosine of an embedding with a prototype, for choosing the nearest one of a category.
  virtual Result<double> cosine(PrototypeId prototype, std::span<const double> embedding) const = 0;
  // The direction that a prototype has now, as promotion would fix it.
  virtual std::vector<float> direction(PrototypeId prototype) const = 0;
  // The fixed direction of a promoted prototype; empty for all others.
  virtual std::vector<float> reference_row(PrototypeId prototype) const = 0;
  // Where a sample belongs, given where the journal has it. A method that moves members by itself
  // knows better, or says why it does not know.
  virtual Result<std::pair<PrototypeId, bool>> place(std::uint64_t sequence, PrototypeId prototype,
                                                     bool counted) const {
    static_cast<void>(sequence);
    return std::pair{prototype, counted};
  }
};

}  // namespace paco
