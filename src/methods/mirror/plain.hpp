// The rule in plain loops over everything, in double: slow, and the judge of the engine. It works
// on a MirrorState and keeps nothing else.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "methods/mirror/decider.hpp"

namespace paco::methods {

class MirrorPlain final : public MirrorDecider {
 public:
  explicit MirrorPlain(std::shared_ptr<const MirrorModel> model);

  Result<void> decide_block(Rows<const double> embeddings, std::span<MirrorDecision> decisions,
                            std::vector<MirrorBirth>& births) override;
  Result<math::Matrix<float>> embed(Rows<const double> embeddings) override;

  std::uint64_t samples() const override { return state_.samples; }
  std::int64_t next_prototype() const override { return state_.next_prototype; }
  std::size_t candidates() const override;
  MirrorState save() const override { return state_; }
  Result<void> restore(const MirrorState& state) override;

  std::optional<Facts> facts(std::int64_t prototype) const override;
  std::vector<std::int64_t> take_changed() override;
  double cosine(std::int64_t prototype, std::span<const float> v) const override;
  std::vector<float> direction(std::int64_t prototype) const override;
  std::vector<float> row(std::int64_t prototype) const override;
  std::optional<MirrorPlace> place(std::uint64_t sequence) const override;
  Result<void> set_competing(std::int64_t prototype, bool competing) override;
  Result<void> set_category(std::int64_t prototype, std::int64_t category) override;
  Result<void> move(std::uint64_t sequence, std::span<const float> v, const MirrorPlace& from,
                    const MirrorPlace& to, const Home& home) override;
  Result<void> fix(std::int64_t prototype, std::span<const float> row, const Home& home) override;
  Result<void> loosen(std::int64_t prototype) override;
  void reserve(std::int64_t next_prototype, std::int64_t next_category) override;

 private:
  MirrorDecision decide(std::span<const float> v, std::vector<MirrorBirth>& births);
  void rehearse(std::size_t stored, double threshold, std::vector<MirrorBirth>& births);
  void join(MirrorPrototype& prototype, std::span<const float> v, std::vector<MirrorBirth>& births);
  void leave(std::int64_t number, std::span<const float> v);
  void count(std::int64_t number, std::int64_t more);
  void remember(std::span<const float> v, const MirrorPlace& place);
  MirrorPrototype* find(std::int64_t number);
  const MirrorPrototype* find(std::int64_t number) const;
  MirrorPrototype& insert(MirrorPrototype prototype);
  void forget_if_gone(std::int64_t number);
  bool is_support(std::int64_t number) const;
  bool is_fixed(std::int64_t number) const;
  std::int64_t category_of(std::int64_t number) const;

  std::shared_ptr<const MirrorModel> model_;
  MirrorState state_;
};

}  // namespace paco::methods
