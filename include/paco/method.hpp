// The one interface that every method of on-the-fly category discovery implements here: PACO, its
// plain reference, the closed-set row, sequential leader clustering and the peers of the field.
//
// A method is registered with what it is, its options and the evidence it gives; everything around
// it (files, journal, report, command line) reads that description.
//
// Thread rule: one writer. decide, decide_block, restore and the editor need exclusive access;
// view() may be called by the writer at any time and what it returns is immutable, so readers on
// other threads work on it for as long as they like.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/category.hpp"
#include "paco/decision.hpp"
#include "paco/model.hpp"
#include "paco/operation.hpp"

namespace paco {

// One number of a method's evidence.
struct EvidenceField {
  std::string_view name;
  std::string_view unit;  // "cosine", "score", "samples"; empty for a choice
  std::string_view meaning;
  std::vector<std::string_view> choices = {};  // names of the values 0, 1, ... where it is a choice
  bool after = false;  // of the memory just after the sample: in traces, not in decisions
};

struct MethodInfo {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view section;  // of the model it reads; several methods may share one
  std::string_view needs;    // to start with, in words
  std::vector<MethodOption> options;
  std::vector<EvidenceField> evidence;
  std::vector<OperationKind> operations;  // that it supports

  bool supports(OperationKind kind) const;
  // Place of an evidence number, or -1.
  int field(std::string_view name) const;
};

// A number about a method's work so far, for summaries. Dots in the name nest ("branches.create").
struct Statistic {
  std::string name;
  double value = 0;
  bool whole = false;
};

struct MethodOptions {
  int threads = 1;    // speed only, no decision depends on it; 0: all cores
  Settings settings;  // options of the deciding stage, in place of the model's
};

// The space in which a method compares samples: from an embedding to the unit vector that stands
// for it. PACO and the baselines standardise; a method that does more (mirror whitens) does it
// here. Everything that needs directions (operations, maps, neighbours, suggestions) goes through
// it and knows no method. Immutable; any number of threads may use it, for as long as they like.
class SpaceTransform {
 public:
  virtual ~SpaceTransform() = default;
  virtual std::size_t dimension() const = 0;
  // units (rows, dimension) from raw embeddings of the same shape. False if one of them has no
  // direction or is not finite; `units` is meaningless then.
  virtual bool apply(Rows<const double> embeddings, Rows<float> units) const = 0;
  // The unit vector of one embedding. Refuses what Method::check refuses.
  virtual Result<std::vector<float>> apply(std::span<const double> embedding) const = 0;
};

// Where the prototypes of a method point, in the space of its transform. The cosine of two unit
// vectors of that space (embeddings, prototypes, or one of each) is their dot product.
//
// Thread rule: as for Method; the transform alone may be used from other threads.
class PrototypeDirections {
 public:
  virtual ~PrototypeDirections() = default;
  virtual std::shared_ptr<const SpaceTransform> transform() const = 0;
  // The unit vector that samples are compared with: the fixed row of a reference (of the support
  // set or promoted), else the direction of the sum. Empty if there is none: the prototype does not
  // exist, has no members, or they cancel each other.
  virtual std::vector<float> direction(PrototypeId prototype) const = 0;
  // Exact cosine of an embedding with a prototype that has a direction.
  virtual Result<double> cosine(PrototypeId prototype, std::span<const double> embedding) const = 0;
};

class Method {
 public:
  virtual ~Method() = default;

  virtual const MethodInfo& info() const = 0;
  std::string_view name() const { return info().name; }
  virtual const Model& model() const = 0;
  // Options of the deciding stage that were given in place of the model's.
  virtual const Settings& settings() const = 0;

  // Decides on one sample, at once and for good. Refuses a zero or non-finite embedding and one of
  // another dimension; the memory is then as before.
  Result<Decision> decide(std::span<const double> embedding);
  Result<Decision> decide(std::span<const float> embedding);

  // The same decisions as one call of decide per row, faster. A refused row is named and nothing is
  // decided.
  virtual Result<void> decide_block(Rows<const double> embeddings,
                                    std::span<Decision> decisions) = 0;
  // What decide() would refuse an embedding for, or nothing. The message has no row number.
  virtual std::optional<Error> check(std::span<const double> embedding) const = 0;

  virtual std::uint64_t samples() const = 0;
  virtual const Categories& categories() const = 0;
  virtual Prototype prototype(PrototypeId id) const = 0;
  virtual bool is_reference(PrototypeId id) const = 0;  // fixed, of a known class
  virtual PrototypeId next_prototype() const = 0;
  virtual std::vector<Statistic> statistics() const = 0;
  // One plain sentence on how a decision came about.
  virtual std::string explain(const Decision& decision) const = 0;
  // The memory now. Costs what has changed since the last call, not what there is.
  virtual std::shared_ptr<const MemoryView> view() = 0;

  // The whole state as a file (safetensors, extension .paco), and back into a method that has
  // decided nothing yet. Equal states have equal bytes. A state of another model, method or
  // settings is refused.
  // `note`: words that travel with it and change nothing, see state_note().
  virtual Result<std::vector<std::byte>> save(const std::string& note = {}) const = 0;
  virtual Result<void> restore(std::vector<std::byte> bytes, const std::string& name) = 0;
  Result<void> restore(const std::string& path);
  // Equal for equal states, but for ids that were given and taken back.
  virtual Result<std::string> digest() const = 0;

  // Where its prototypes point; null for a method without directions (hash codes, densities).
  virtual const PrototypeDirections* directions() const { return nullptr; }

  // What operations change; see operation.hpp.
  virtual Editor& editor() = 0;
};

// The note that a state was saved with.
Result<std::string> state_note(std::span<const std::byte> state, const std::string& name);

// Methods by name, as on the command line, the default first.
std::vector<std::string> method_names();
Result<const MethodInfo*> method_info(std::string_view name);
// An empty name is the method that the model was made for.
Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options = {});

}  // namespace paco
