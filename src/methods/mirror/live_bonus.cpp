#include "methods/mirror/live_bonus.hpp"

#include <algorithm>
#include <numeric>

#include "methods/common/false_new.hpp"

namespace paco::methods {

LiveBonus::LiveBonus(std::shared_ptr<const MirrorModel> model)
    : model_(std::move(model)),
      best_(rows(), static_cast<float>(kOut)),
      fresh_(rows()),
      at_(rows(), 0),
      needed_(rows()) {
  if (rows() == 0) return;
  keep_ = rows() + 1 - share_below(model_->false_new / 2, rows());
}

void LiveBonus::touch(std::size_t place) {
  if (!on()) return;
  if (place >= waiting_.size()) waiting_.resize(place + 1, 0);
  if (waiting_[place] != 0) return;
  waiting_[place] = 1;
  touched_.push_back(place);
}

void LiveBonus::touch_all(std::size_t places) {
  if (!on()) return;
  touched_.resize(places);
  std::iota(touched_.begin(), touched_.end(), std::size_t{0});
  waiting_.assign(places, 1);
  cosines_.clear();
  std::fill(best_.begin(), best_.end(), static_cast<float>(kOut));
}

// The fresh cosines of a place take the place of those before.
void LiveBonus::take(std::size_t place) {
  waiting_[place] = 0;
  if (place >= cosines_.size()) cosines_.resize(place + 1);
  cosines_[place] = fresh_;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (fresh_[i] >= best_[i]) {
      best_[i] = fresh_[i];
      at_[i] = place;
    } else if (at_[i] == place) {
      best_[i] = static_cast<float>(kOut);
      for (std::size_t p = 0; p < cosines_.size(); ++p) {
        if (cosines_[p].empty() || cosines_[p][i] <= best_[i]) continue;
        best_[i] = cosines_[p][i];
        at_[i] = p;
      }
    }
  }
}

double LiveBonus::bonus(double threshold) {
  for (std::size_t i = 0; i < rows(); ++i)
    needed_[i] = std::max(threshold, static_cast<double>(best_[i])) - model_->held_out_known[i];
  const auto last = needed_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
  std::nth_element(needed_.begin(), last, needed_.end());
  return std::max(0.0, *last);
}

}  // namespace paco::methods
