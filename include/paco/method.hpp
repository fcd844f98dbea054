// The one interface that every method of on-the-fly category discovery implements here: PACO, its
// plain reference, the closed-set row, sequential leader clustering and the peers of the field.
//
// Thread rule: one writer. decide, decide_block and restore need exclusive access; published() may
// be called by the writer at any time and what it returns is immutable, so readers on other threads
// work on it for as long as they like.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/decision.hpp"
#include "paco/model.hpp"

namespace paco {

// The life of one category.
struct CategoryInfo {
  CategoryId id = 0;
  std::string name;             // "category 7" unless somebody named it
  std::int64_t size = 0;        // samples it holds
  std::uint64_t birth = 0;      // sequence number of the sample that created it
  double resultant_length = 0;  // |R| / n: 1 when all samples point the same way
  double concentration = 0;     // kappa of the attach score
  bool mature = false;
  bool attachable = false;  // a sample just short of being explained by it could still attach
};

// The memory at one moment. Immutable.
struct MemoryView {
  std::uint64_t samples = 0;              // decided so far
  std::vector<std::string> class_names;   // known classes
  std::vector<std::int64_t> class_sizes;  // support and stream samples per known class
  std::vector<CategoryInfo> categories;   // in order of birth
  double tau_birth = 0;
  double eta = 0;  // weight of the stream in the birth boundary
};

// Counted over the samples a method has decided.
struct MethodStats {
  std::uint64_t samples = 0;
  std::uint64_t branches[4] = {};  // by Branch
  std::uint64_t routes[3] = {};    // by Route
  double lowest_tau_birth = 0;
  // Samples whose winner led the runner-up by less than float32 can tell apart, so that double was
  // needed. Of this process, not of the state.
  std::uint64_t settled = 0;
};

struct MethodOptions {
  int threads = 1;  // speed only; no decision depends on it
};

class Method {
 public:
  virtual ~Method() = default;

  virtual std::string_view name() const = 0;
  virtual const Model& model() const = 0;

  // Decides on one sample, at once and for good. Refuses a zero or non-finite embedding and one of
  // another dimension; the memory is then as before.
  virtual Result<Decision> decide(std::span<const double> embedding) = 0;

  // The same decisions as one call of decide per row, faster. A refused row is named and nothing is
  // decided.
  virtual Result<void> decide_block(Rows<const double> embeddings,
                                    std::span<Decision> decisions) = 0;

  virtual MethodStats stats() const = 0;
  virtual std::shared_ptr<const MemoryView> published() const = 0;
  // The whole state as a file (safetensors, extension .paco), and back into a method that has
  // decided nothing yet. Equal states have equal bytes. A state of another model or method is
  // refused.
  virtual Result<std::vector<std::byte>> save() const = 0;
  virtual Result<void> restore(const std::string& path) = 0;

  // decide for float32 embeddings.
  Result<Decision> decide(std::span<const float> embedding);
};

// Methods by name, as on the command line: "paco"; "reference", the same in plain loops; "closed",
// which never discovers; "leader", sequential leader clustering that starts from the known classes;
// "slc", the same from nothing.
std::vector<std::string> method_names();
Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options = {});

// Name of a known class, or "category 107".
std::string category_name(CategoryId id, const Model& model);

// One plain sentence on how a decision came about.
std::string explain(const Decision& decision, const Model& model);

}  // namespace paco
