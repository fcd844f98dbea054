// Method `mirror`: a decider of src/mirror with the categories that people see, behind the
// interface of all methods. How it decides and what it shows is in mirror_method.cpp, what
// operations change in mirror_edits.cpp, its state as a file in mirror_state_file.cpp.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "methods/mirror/decider.hpp"
#include "paco/method.hpp"

namespace paco::methods {

class MirrorMethod final : public Method, private Editor {
 public:
  MirrorMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
               std::shared_ptr<const MirrorModel> mirror, std::unique_ptr<MirrorDecider> decider,
               Settings settings);

  const MethodInfo& info() const override { return info_; }
  const Model& model() const override { return *model_; }
  const Settings& settings() const override { return settings_; }
  std::uint64_t samples() const override { return decider_->samples(); }
  const Categories& categories() const override { return categories_; }
  PrototypeId next_prototype() const override { return decider_->next_prototype(); }
  bool is_reference(PrototypeId id) const override {
    const auto facts = decider_->facts(id);
    return facts && facts->fixed;
  }
  Editor& editor() override { return *this; }

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) override;
  std::optional<Error> check(std::span<const double> embedding) const override;
  Prototype prototype(PrototypeId id) const override;
  std::shared_ptr<const MemoryView> view() override;
  std::vector<Statistic> statistics() const override;
  std::string explain(const Decision& decision) const override;

  using Method::restore;
  Result<std::vector<std::byte>> save(const std::string& note) const override;
  Result<std::string> digest() const override;
  Result<void> restore(std::vector<std::byte> bytes, const std::string& name) override;

 private:
  PrototypeId known() const { return static_cast<PrototypeId>(model_->known_classes()); }
  bool is_known(CategoryId id) const { return known_[static_cast<std::size_t>(id)] != 0; }
  Decision told(const MirrorDecision& from, bool born);
  Result<std::vector<std::byte>> to_bytes(const MirrorState& state, bool with_next,
                                          const std::string& note) const;

  // Editor.
  Result<void> apply(std::span<const Edit> edits, MemberSource* members) override;
  PrototypeRole role(PrototypeId id) const override;
  Result<double> cosine(PrototypeId prototype, std::span<const double> embedding) const override;
  std::vector<float> direction(PrototypeId prototype) const override;
  std::vector<float> reference_row(PrototypeId prototype) const override;
  // Its own: standardised samples go through the whitening first.
  bool shares_space() const override { return false; }
  Result<std::pair<PrototypeId, bool>> place(std::uint64_t sequence, PrototypeId prototype,
                                             bool counted) const override;
  Result<std::vector<float>> embedded(std::span<const double> embedding) const;
  Result<void> apply(const Edit& edit, std::span<const float> moved);
  // Who owns a prototype, also one that is gone.
  CategoryId owner(PrototypeId id) const;
  MirrorDecider::Home home(PrototypeId id) const;
  void recount();

  const MethodInfo& info_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const MirrorModel> mirror_;
  Settings settings_;
  std::unique_ptr<MirrorDecider> decider_;
  Categories categories_;
  std::vector<std::uint8_t> known_;   // by category: it owns a fixed reference
  std::size_t discovered_ = 0;        // live categories that own none
  std::size_t promoted_ = 0;          // live ones beyond the support classes that own one
  PersistentArray<Prototype> shown_;  // what the last view showed
  std::set<PrototypeId> taken_back_;  // numbers of prototypes whose making was undone
  std::array<std::uint64_t, 4> verdicts_{};
  double length_ = 1;
  std::vector<MirrorDecision> decided_;
  std::vector<MirrorBirth> births_;
};

}  // namespace paco::methods
