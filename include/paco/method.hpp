// The one interface that every method of on-the-fly category discovery implements here: PACO, its
// plain reference, the closed-set row, sequential leader clustering and the peers of the field.
//
// A method is registered with its description, its options and its evidence. Everything around it
// (files, journal, report, command line) reads this registration.
//
// Thread rule: one writer. decide, decide_block, restore and the editor need exclusive access;
// view() may be called by the writer at any time and its result is immutable, so readers on other
// threads can use it for any length of time.
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
  std::vector<std::string_view> choices = {};  // names of the values 0, 1, ... of a choice
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
  // Index of an evidence number, or -1.
  int field(std::string_view name) const;
};

// A number about a method's work so far, for summaries. Dots in the name nest ("branches.create").
struct Statistic {
  std::string name;
  double value = 0;
  bool whole = false;
};

struct MethodOptions {
  int threads = 1;    // changes the speed only, never a decision; 0: all cores
  Settings settings;  // options of the deciding stage; they replace those of the model
};

// The space in which a method compares samples: it maps an embedding to a unit vector. PACO and the
// baselines standardise the embedding; a method that needs more (mirror whitens) does it here. All
// code that needs directions (operations, maps, neighbours, suggestions) uses this class and does
// not depend on the method. Immutable; any number of threads may use it, for any length of time.
class SpaceTransform {
 public:
  virtual ~SpaceTransform() = default;
  virtual std::size_t dimension() const = 0;
  // Computes units (rows, dimension) from raw embeddings of the same shape. Returns false if one of
  // them has no direction or is not finite; the contents of `units` are then unspecified.
  virtual bool apply(Rows<const double> embeddings, Rows<float> units) const = 0;
  // The unit vector of one embedding. Returns an error for the embeddings that Method::check
  // rejects.
  virtual Result<std::vector<float>> apply(std::span<const double> embedding) const = 0;
};

// The directions of a method's prototypes, in the space of its transform. The cosine of two unit
// vectors of that space (embeddings, prototypes, or one of each) is their dot product.
//
// Thread rule: as for Method; the transform alone may be used from other threads.
class PrototypeDirections {
 public:
  virtual ~PrototypeDirections() = default;
  virtual std::shared_ptr<const SpaceTransform> transform() const = 0;
  // The unit vector that samples are compared with: the fixed row of a reference (from the support
  // set or promoted), otherwise the direction of the sum. Empty if the prototype has no direction:
  // it does not exist, has no members, or its members cancel each other.
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
  // Options of the deciding stage that replace those of the model.
  virtual const Settings& settings() const = 0;

  // Decides on one sample; the decision is final. Returns an error for an embedding that is zero,
  // not finite or of another dimension; the memory is then unchanged.
  Result<Decision> decide(std::span<const double> embedding);
  Result<Decision> decide(std::span<const float> embedding);

  // Makes the same decisions as one call of decide per row, but faster. If a row is rejected, the
  // error names it and no row is decided.
  virtual Result<void> decide_block(Rows<const double> embeddings,
                                    std::span<Decision> decisions) = 0;
  // The reason why decide() would reject an embedding, or nothing. The message has no row number.
  virtual std::optional<Error> check(std::span<const double> embedding) const = 0;

  virtual std::uint64_t samples() const = 0;
  virtual const Categories& categories() const = 0;
  virtual Prototype prototype(PrototypeId id) const = 0;
  virtual bool is_reference(PrototypeId id) const = 0;  // fixed, of a known class
  virtual PrototypeId next_prototype() const = 0;
  virtual std::vector<Statistic> statistics() const = 0;
  // One plain sentence on how a decision came about.
  virtual std::string explain(const Decision& decision) const = 0;
  // The memory now. The cost depends on what has changed since the last call, not on the total
  // size.
  virtual std::shared_ptr<const MemoryView> view() = 0;

  // save() returns the whole state as a file (safetensors, extension .paco); restore() loads it
  // into a method that has decided nothing yet. Equal states have equal bytes. A state of another
  // model, method or settings is rejected. `note` is text that is stored with the state and changes
  // nothing, see state_note().
  virtual Result<std::vector<std::byte>> save(const std::string& note = {}) const = 0;
  virtual Result<void> restore(std::vector<std::byte> bytes, const std::string& name) = 0;
  Result<void> restore(const std::string& path);
  // Equal for equal states, except for ids that were given and then withdrawn.
  virtual Result<std::string> digest() const = 0;

  // The directions of its prototypes; null for a method without directions (hash codes, densities).
  virtual const PrototypeDirections* directions() const { return nullptr; }

  // The interface through which operations change the method; see operation.hpp.
  virtual Editor& editor() = 0;
};

// The note that a state was saved with.
Result<std::string> state_note(std::span<const std::byte> state, const std::string& name);

// Methods by name, as on the command line, the default first.
std::vector<std::string> method_names();
Result<const MethodInfo*> method_info(std::string_view name);
// An empty name means the method that the model was made for.
Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options = {});

}  // namespace paco
