// Operations: changes that people make to categories, the outcome of such a change, and how to undo
// it.
//
// An operation is an event of the stream, like a sample. It is checked, split into edits (the
// smallest reversible changes), and applied. Its inverse is the same edits in reverse order, each
// inverted. So undo and redo need no code of their own, and the edits of an operation show which
// earlier operations it depends on.
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
  demote,    // the inverse of promote; for promoted categories only
  retire,    // its prototypes no longer compete and are left out of all statistics
  revive,    // back again
  verify,    // a person confirmed that samples are in the right place
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
  std::string key;                      // of the request, chosen by its sender; may be empty
};

// The smallest change: one cell changes from one value to another.
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
  // Identifies the cell: two edits with the same key change the same cell.
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
  std::vector<std::uint64_t> builds;  // keys of further cells it depends on, see cell_key()
  std::string text;                   // what it did, in words
  CategoryId category = -1;           // the category that it left behind: destination or new one
  double time = 0;                    // seconds since 1970
};

// The source of embeddings and memberships of past samples: a journal, or memory for the last ones.
class MemberSource {
 public:
  struct Member {
    std::uint64_t sequence = 0;
    bool counted = false;
  };
  virtual ~MemberSource() = default;
  // True if it has every member of every prototype.
  virtual bool knows_all() const { return true; }
  // Present members of a prototype, in stream order.
  virtual Result<std::vector<Member>> members(PrototypeId prototype) = 0;
  // The prototype that a sample belongs to now.
  virtual Result<std::pair<PrototypeId, bool>> membership(std::uint64_t sequence) = 0;
  virtual Result<std::vector<double>> embedding(std::uint64_t sequence) = 0;
  // The prototype that a sample is shown in, even if the method has moved the sample since.
  virtual Result<PrototypeId> shown(std::uint64_t sequence) {
    const auto where = membership(sequence);
    if (!where.ok()) return where.error();
    return where->first;
  }
  // The prototype for which a person confirmed a sample; -1: the sample is not confirmed.
  virtual PrototypeId verified(std::uint64_t sequence) const {
    static_cast<void>(sequence);
    return -1;
  }
};

// The properties of a prototype that operations need.
struct PrototypeRole {
  CategoryId owner = -1;
  bool exists = false;
  bool support = false;   // a reference that came with the model
  bool promoted = false;  // a reference by promotion
  bool competing = false;
  std::int64_t members = 0, counted = 0;
};

// The interface through which operations change a method. Only the session calls it.
class Editor {
 public:
  virtual ~Editor() = default;
  // Applies edits in order. On an error nothing is changed.
  virtual Result<void> apply(std::span<const Edit> edits, MemberSource* members) = 0;
  virtual PrototypeRole role(PrototypeId prototype) const = 0;
  // Cosine of an embedding with a prototype; used to find the nearest prototype of a category.
  virtual Result<double> cosine(PrototypeId prototype, std::span<const double> embedding) const = 0;
  // The present direction of a prototype; a promotion would fix this direction.
  virtual std::vector<float> direction(PrototypeId prototype) const = 0;
  // The fixed direction of a promoted prototype; empty for all others.
  virtual std::vector<float> reference_row(PrototypeId prototype) const = 0;
  // The present place of a sample, from its place in the journal. A method that moves members by
  // itself returns its own place, or an error if it does not store it.
  virtual Result<std::pair<PrototypeId, bool>> place(std::uint64_t sequence, PrototypeId prototype,
                                                     bool counted) const {
    static_cast<void>(sequence);
    return std::pair{prototype, counted};
  }
};

}  // namespace paco
