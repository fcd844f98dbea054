// Values and gradients of L_cls and L_stat. Nothing here loops over samples on the device: an
// episode is four small matrix products, so it costs next to nothing beside the backbone.
#include "train/losses.hpp"

#include <torch/nn/functional/loss.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "train/torch_compat.hpp"

namespace paco::train {
namespace {

// Keeps acos and the square root of 1 - cos^2 away from their infinite slopes; far below any effect
// on the values.
constexpr double kCosineGuard = 1e-12;
constexpr double kNormGuard = 1e-12;

torch::Tensor unit_rows(const torch::Tensor& rows) {
  return rows / rows.norm(2, -1, /*keepdim=*/true).clamp_min(kNormGuard);
}

// Mean over all pairs of softplus(b - a): small when every a lies above every b.
torch::Tensor ranking_loss(const torch::Tensor& above, const torch::Tensor& below) {
  return torch::softplus(below.unsqueeze(0) - above.unsqueeze(1)).mean();
}

}  // namespace

torch::Tensor classification_loss(const torch::Tensor& features, const torch::Tensor& labels,
                                  const torch::Tensor& classifier, const MarginOptions& options) {
  if (!options.enabled) {
    return torch::nn::functional::cross_entropy(features.matmul(classifier.t()), labels);
  }
  const auto cosines = unit_rows(features).matmul(unit_rows(classifier).t());  // (B, K)
  const auto own = cosines.gather(1, labels.unsqueeze(1));                     // (B, 1)
  const auto sine = (1.0 - own * own).clamp_min(kCosineGuard).sqrt();
  const double m = options.margin;
  // cos(theta + m) written out, so that no arc cosine is needed; theta + m <= pi is cos(theta) >=
  // cos(pi - m).
  const auto shifted = own * std::cos(m) - sine * std::sin(m);
  const auto penalised = torch::where(own > -std::cos(m), shifted, own - m * std::sin(m));
  return torch::nn::functional::cross_entropy(
      options.scale * cosines.scatter(1, labels.unsqueeze(1), penalised), labels);
}

Episode draw_episode(const std::vector<std::int64_t>& labels, core::Random& random) {
  std::vector<std::int64_t> classes(labels);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.size() < 3) return {};
  random.shuffle(std::span(classes));
  classes.resize(std::max<std::size_t>(2, classes.size() / 2));
  std::sort(classes.begin(), classes.end());
  return {classes};
}

StatLoss statistical_loss(const torch::Tensor& view1, const torch::Tensor& view2,
                          const std::vector<std::int64_t>& labels, const Episode& episode,
                          double compact_weight) {
  const auto zero = torch::zeros({}, view1.options());
  const StatLoss nothing{zero, zero, zero, zero};
  std::map<std::int64_t, std::int64_t> column;  // class id -> place in the bank
  for (const auto id : episode.visible)
    column.emplace(id, static_cast<std::int64_t>(column.size()));
  std::vector<std::int64_t> size(column.size(), 0);
  for (const auto label : labels) {
    if (const auto at = column.find(label); at != column.end()) ++size[at->second];
  }
  std::vector<std::int64_t> member, member_column, scored, scored_column, hidden;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const auto at = column.find(labels[i]);
    if (at == column.end()) {
      hidden.push_back(row);
      continue;
    }
    member.push_back(row);
    member_column.push_back(at->second);
    if (size[at->second] > 1) {
      scored.push_back(row);
      scored_column.push_back(at->second);
    }
  }
  if (column.size() < 2 || scored.empty() || hidden.empty()) return nothing;

  const auto device = view1.device();
  const auto unit1 = unit_rows(view1);
  const auto unit2 = unit_rows(view2);
  const auto sums =
      torch::zeros({static_cast<std::int64_t>(column.size()), view1.size(1)}, view1.options())
          .index_add(0, upload(member_column, device),
                     unit1.index_select(0, upload(member, device)));
  const auto bank = unit_rows(sums);  // (C, d)
  const auto rows = upload(scored, device);
  const auto columns = upload(scored_column, device);
  const auto scored_view2 = unit2.index_select(0, rows);  // (V, d)
  const auto rebuilt = unit_rows(sums.index_select(0, columns) - unit1.index_select(0, rows));
  const auto own = (scored_view2 * rebuilt).sum(1);  // (V)
  const auto visible_top = std::get<0>(
      scored_view2.matmul(bank.t()).scatter(1, columns.unsqueeze(1), own.unsqueeze(1)).topk(2, 1));
  const auto hidden_top =
      std::get<0>(unit2.index_select(0, upload(hidden, device)).matmul(bank.t()).topk(2, 1));

  StatLoss loss;
  loss.cos = ranking_loss(visible_top.select(1, 0), hidden_top.select(1, 0));
  loss.margin = ranking_loss(visible_top.select(1, 0) - visible_top.select(1, 1),
                             hidden_top.select(1, 0) - hidden_top.select(1, 1));
  loss.compact = (1.0 - own).mean();
  loss.total = loss.cos + loss.margin + compact_weight * loss.compact;
  return loss;
}

}  // namespace paco::train
