// mirror's own way to keep a false-new promise: known cosines get a bonus that follows the stream.
//
// Held-out samples of known classes stay in memory. How far each of them is from being kept by its
// best known class now (the threshold or the best category, less its known cosine) says what bonus
// would keep it; the bonus is the one that keeps all but half of the rate of them. The other half
// is for samples that are farther from every known class than nearly all held-out ones: they get
// none.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "methods/mirror/model.hpp"

namespace paco::methods {

class LiveBonus {
 public:
  explicit LiveBonus(std::shared_ptr<const MirrorModel> model);

  bool on() const { return keep_ > 0; }
  // Is a sample with this best known cosine near enough to get the bonus?
  bool applies(double known_cosine) const { return on() && known_cosine >= model_->bonus_from; }

  // A prototype, by its place among those that move, has changed, appeared or gone.
  void touch(std::size_t place);
  void touch_all(std::size_t places);
  // The bonus now. `cosine(place, unit)` is that of a prototype, kOut if it does not compete.
  static constexpr double kOut = -2;
  template <class Cosine>
  double now(double threshold, Cosine cosine) {
    for (const std::size_t place : touched_) {
      for (std::size_t i = 0; i < rows(); ++i)
        fresh_[i] = static_cast<float>(cosine(place, model_->held_out_rows[i].data()));
      take(place);
    }
    touched_.clear();
    return bonus(threshold);
  }

 private:
  std::size_t rows() const { return model_->held_out_rows.rows(); }
  void take(std::size_t place);
  double bonus(double threshold);

  std::shared_ptr<const MirrorModel> model_;
  std::size_t keep_ = 0;               // how many of the held-out samples the bonus keeps
  std::vector<std::size_t> touched_;   // places that are looked at again before the next bonus
  std::vector<std::uint8_t> waiting_;  // by place: it is among them
  std::vector<std::vector<float>> cosines_;  // by place
  std::vector<float> best_, fresh_;          // by held-out sample
  std::vector<std::size_t> at_;              // place of the best
  std::vector<double> needed_;               // scratch
};

}  // namespace paco::methods
