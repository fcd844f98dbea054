// Base class of all methods: the count of decided samples, categories, the table of prototypes,
// states, views, and the changes that operations make. A method adds its decision rule
// (decide_block) and stores the sums.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "methods/common/best_two.hpp"
#include "methods/common/prototype_table.hpp"
#include "methods/common/space_transform.hpp"
#include "methods/common/state_file.hpp"
#include "paco/method.hpp"

namespace paco::methods {

class MethodBase : public Method, protected Editor, protected PrototypeDirections {
 public:
  MethodBase(const MethodInfo& info, std::shared_ptr<const Model> model, Settings settings);
  // `space` transforms the samples. `references` (K, d) are the unit rows of the support classes in
  // that space; they must stay alive.
  MethodBase(const MethodInfo& info, std::shared_ptr<const Model> model, Settings settings,
             std::shared_ptr<const StandardTransform> space, Rows<const float> references);

  const MethodInfo& info() const final { return info_; }
  const Model& model() const final { return *model_; }
  const Settings& settings() const final { return settings_; }
  std::optional<Error> check(std::span<const double> embedding) const final {
    return space_->check(embedding);
  }
  std::uint64_t samples() const final { return samples_; }
  const Categories& categories() const final { return categories_; }
  Prototype prototype(PrototypeId id) const final;
  bool is_reference(PrototypeId id) const final { return table_[id].reference(); }
  PrototypeId next_prototype() const final { return static_cast<PrototypeId>(table_.size()); }
  std::shared_ptr<const MemoryView> view() final;
  using Method::restore;
  Result<std::vector<std::byte>> save(const std::string& note = {}) const final;
  Result<void> restore(std::vector<std::byte> bytes, const std::string& name) final;
  Result<std::string> digest() const final;
  // Decisions of the false-new gate are explained here, the same for every method. All other
  // decisions are explained by the method (explain_rule).
  std::string explain(const Decision& decision) const final;
  const PrototypeDirections* directions() const override { return this; }
  Editor& editor() final { return *this; }

 protected:
  virtual std::string explain_rule(const Decision& decision) const = 0;

  // The false-new gate: a sample whose best known cosine reaches the gate belongs to that known
  // class, and it neither joins nor starts a prototype. `nearest` holds the closest known class and
  // the closest prototype of another class.
  double gate() const { return gate_; }
  bool has_gate() const { return gate_ <= 1; }
  bool passes_gate(const BestTwo& nearest) const {
    return nearest.first != kNoId && nearest.score >= gate_;
  }
  void answer_by_gate(const BestTwo& nearest, Decision& decision) const {
    answer_by_gate(nearest, gate_, decision);
  }
  // The same with a gate that the method computes.
  void answer_by_gate(const BestTwo& nearest, double gate, Decision& decision) const;

  const StandardTransform& space() const { return *space_; }
  Rows<const float> references() const { return references_; }
  const PrototypeTable& table() const { return table_; }
  bool is_known(CategoryId id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  std::size_t discovered() const { return discovered_; }

  // Completes a decision: category, verdict and counts. `prototype` must be set (kNoId: a new one),
  // and `runner_up` must be a prototype or kNoId. The caller then updates the sums.
  void complete(Decision& decision);
  // The same in steps, for methods that do more with a sample. begin_prototype() adds a prototype
  // for the current sample, without a category. open_category() gives a prototype a new category.
  PrototypeId begin_prototype();
  CategoryId open_category(PrototypeId id);
  // A sample joins a prototype: as a member or, if the prototype is fixed, as a counted sample.
  // leave() is the reverse.
  void join(PrototypeId id) { table_.joined(id, table_[id].reference()); }
  void leave(PrototypeId id, bool counted) { table_.left(id, counted); }
  // Called when category, verdict and all other fields except `runner_up` are final.
  void conclude(Decision& decision);

  // Properties of the method. exact_sums: a sum does not depend on the order in which members
  // joined and left. Then an operation that moves samples adds and subtracts them; otherwise it
  // computes the sums anew.
  virtual bool exact_sums() const { return false; }
  // True if there can be prototypes without a category (PrototypeRecord::candidate).
  virtual bool keeps_candidates() const { return false; }
  // Called after an operation has moved a sample; edit.cell is Cell::member.
  virtual void sample_moved(const Edit& edit) { static_cast<void>(edit); }

  // Implemented by the method. Returns |R| of a prototype. Not called for support classes.
  virtual double resultant(PrototypeId id) const = 0;
  // A copy of the sum of a discovered prototype.
  virtual std::vector<double> sum(PrototypeId id) const = 0;
  // Saves what the state contains besides categories and prototypes: the sums, and what the method
  // adds.
  virtual void save_own(Section& own) const;
  // Called after the table has been restored. If an error occurs, the method's data are unchanged.
  virtual Result<void> restore_own(const Section& own, const std::string& name);
  // Called after the table has changed: prototypes start or stop competing, or become fixed or
  // adapting. Those in `sums` have a new sum. The method must recompute everything that it derives
  // from them.
  struct NewSum {
    PrototypeId prototype;
    std::vector<double> sum;
  };
  virtual void edited(std::vector<NewSum> sums) = 0;

  std::vector<float> direction(PrototypeId prototype) const final;
  // Fixed directions of promoted prototypes.
  const std::vector<float>& row(PrototypeId id) const;

 private:
  Result<void> apply(std::span<const Edit> edits, MemberSource* members) final;
  std::shared_ptr<const SpaceTransform> transform() const final { return space_; }
  Result<double> cosine(PrototypeId prototype, std::span<const double> embedding) const final;
  std::vector<float> reference_row(PrototypeId prototype) const final;
  PrototypeRole role(PrototypeId prototype) const final;
  State state() const;
  Result<void> take(State& state, const std::string& name);
  void recount_categories();
  void apply(const Edit& edit);
  struct Regrouped;
  Result<std::vector<Regrouped>> regroup(std::span<const Edit> edits, MemberSource* members) const;
  Result<void> add_up(Regrouped& group, std::span<const std::uint64_t> gone,
                      std::vector<std::uint64_t> here, MemberSource& members) const;
  bool has_sum(PrototypeId id) const;

  const MethodInfo& info_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const StandardTransform> space_;
  Rows<const float> references_;
  Settings settings_;
  double gate_;  // of the false-new promise; above every cosine if there is no promise
  std::size_t gate_field_;
  std::uint64_t samples_ = 0;
  Categories categories_;
  PrototypeTable table_;
  std::vector<std::uint8_t> known_;  // by category: 1 if it owns a fixed reference
  std::size_t discovered_ = 0;       // live categories without a fixed reference
  std::size_t promoted_ = 0;         // other live ones than support classes that own one
  std::map<PrototypeId, std::vector<float>> rows_;
  PersistentArray<Prototype> shown_;  // what the last view contained
};

}  // namespace paco::methods
