// The common ground of all methods with directions: samples decided, categories, the table of
// prototypes, states, views, and what operations change. A method adds how it decides
// (decide_block) and keeps the sums.
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
  // `space` is what samples go through; `references` (K, d) are the support classes' unit rows
  // there, and have to stay.
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
  // The gate's answers are the same for every method; of all others the method speaks itself.
  std::string explain(const Decision& decision) const final;
  const PrototypeDirections* directions() const override { return this; }
  Editor& editor() final { return *this; }

 protected:
  virtual std::string explain_rule(const Decision& decision) const = 0;

  // The false-new gate: a sample whose best known cosine passes it is of that class, and nothing
  // is born or joined. `nearest` names the known class and the closest prototype of another one.
  double gate() const { return gate_; }
  bool has_gate() const { return gate_ <= 1; }
  bool passes_gate(const BestTwo& nearest) const {
    return nearest.first != kNoId && nearest.score >= gate_;
  }
  void answer_by_gate(const BestTwo& nearest, Decision& decision) const {
    answer_by_gate(nearest, gate_, decision);
  }
  // The same with a gate of the method's own.
  void answer_by_gate(const BestTwo& nearest, double gate, Decision& decision) const;

  const StandardTransform& space() const { return *space_; }
  Rows<const float> references() const { return references_; }
  const PrototypeTable& table() const { return table_; }
  bool is_known(CategoryId id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  std::size_t discovered() const { return discovered_; }

  // Completes a decision whose `prototype`, or that there is none yet (kNoId), is set, and whose
  // `runner_up` names a prototype: category, verdict, counts. The caller then moves the sums.
  void complete(Decision& decision);
  // The same in steps, for a method that does more with a sample than this. A prototype of the
  // sample being decided, which has no category yet; a category of its own.
  PrototypeId begin_prototype();
  CategoryId open_category(PrototypeId id);
  // A sample joins a prototype, as a member or, of a fixed one, counted; or leaves it.
  void join(PrototypeId id) { table_.joined(id, table_[id].reference()); }
  void leave(PrototypeId id, bool counted) { table_.left(id, counted); }
  // The answer is given: category, verdict and everything else but `runner_up` stand.
  void conclude(Decision& decision);

  // What a method says of itself. Sums are the same whatever order members came and left in, so
  // that an operation that moves samples adds and takes away; else sums are added up anew.
  virtual bool exact_sums() const { return false; }
  // There may be prototypes without a category (PrototypeRecord::candidate).
  virtual bool keeps_candidates() const { return false; }
  // An operation has moved a sample; `edit` is of Cell::member.
  virtual void sample_moved(const Edit& edit) { static_cast<void>(edit); }

  // The engine's side. |R| of a prototype, or not computed for a support class.
  virtual double resultant(PrototypeId id) const = 0;
  // A copy of the sum of a discovered prototype.
  virtual std::vector<double> sum(PrototypeId id) const = 0;
  // What stands in a state besides categories and prototypes: sums, and what a method adds.
  virtual void save_own(Section& own) const;
  // The table has been restored already. On an error the engine is as it was.
  virtual Result<void> restore_own(const Section& own, const std::string& name);
  // The table has changed: prototypes compete or not, are fixed or not; those in `sums` have a new
  // sum. Everything that is derived from them is to be made anew.
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
  double gate_;  // of the false-new promise; above every cosine where there is none
  std::size_t gate_field_;
  std::uint64_t samples_ = 0;
  Categories categories_;
  PrototypeTable table_;
  std::vector<std::uint8_t> known_;  // by category: it owns a fixed reference
  std::size_t discovered_ = 0;       // live categories that own none
  std::size_t promoted_ = 0;         // live ones beyond the support classes that own one
  std::map<PrototypeId, std::vector<float>> rows_;
  PersistentArray<Prototype> shown_;  // what the last view showed
};

}  // namespace paco::methods
