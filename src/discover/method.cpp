// What every method shares, their names, and how a decision reads as a sentence.
#include <fmt/format.h>

#include <algorithm>

#include "discover/methods.hpp"
#include "sphere/von_mises_fisher.hpp"

namespace paco {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::known:
      return "known";
    case Verdict::existing:
      return "existing";
    case Verdict::created:
      return "created";
  }
  return "unknown";
}

std::string_view branch_name(Branch branch) {
  switch (branch) {
    case Branch::known_only:
      return "known_only";
    case Branch::explained:
      return "explained";
    case Branch::attach:
      return "attach";
    case Branch::create:
      return "create";
  }
  return "unknown";
}

std::string_view route_name(Route route) {
  switch (route) {
    case Route::known_only:
      return "known_only";
    case Route::categories_only:
      return "categories_only";
    case Route::all:
      return "all";
  }
  return "unknown";
}

Result<Decision> Method::decide(std::span<const float> embedding) {
  const std::vector<double> wide(embedding.begin(), embedding.end());
  return decide(std::span<const double>(wide));
}

Result<void> check_block(Rows<const double> embeddings, std::span<const Decision> decisions,
                         const Model& model) {
  if (embeddings.columns != model.dimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("stream: embeddings have {} columns, the model expects {}",
                             embeddings.columns, model.dimension),
                 "embed support set and stream with the same backbone"};
  }
  if (embeddings.rows != decisions.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("stream: {} embeddings but room for {} decisions", embeddings.rows,
                             decisions.size()),
                 "give one decision for every row"};
  }
  return {};
}

Result<void> check_unused(const MethodStats& stats) {
  if (stats.samples == 0) return {};
  return Error{ErrorCode::bad_argument,
               fmt::format("this method has already decided on {} samples", stats.samples),
               "restore a state into a new method"};
}

void count(MethodStats& stats, const Decision& decision) {
  ++stats.samples;
  ++stats.branches[static_cast<int>(decision.branch)];
  ++stats.routes[static_cast<int>(decision.route)];
  stats.lowest_tau_birth = std::min(stats.lowest_tau_birth, decision.tau_birth_after);
}

MemoryView memory_view(const Model& model, const MethodStats& stats,
                       std::span<const std::int64_t> class_sizes,
                       std::span<const std::int64_t> sizes, std::span<const std::int64_t> births,
                       std::span<const double> resultants, const Boundary& boundary) {
  MemoryView view;
  view.samples = stats.samples;
  view.class_names = model.class_names;
  view.class_sizes.assign(class_sizes.begin(), class_sizes.end());
  view.tau_birth = boundary.tau_birth;
  view.eta = boundary.eta;
  // The cosine at which the birth test stops explaining a sample.
  const double border = model.options.temperature * (boundary.tau_birth + model.log_p0);
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    CategoryInfo info;
    info.id = static_cast<CategoryId>(model.known_classes() + c);
    info.name = category_name(info.id, model);
    info.size = sizes[c];
    info.birth = static_cast<std::uint64_t>(births[c]);
    info.resultant_length = resultants[c] / static_cast<double>(sizes[c]);
    info.concentration = concentration(resultants[c], sizes[c], model.dimension);
    info.mature = sizes[c] >= model.mature_size();
    info.attachable =
        attach_score(border, sizes[c], info.concentration, model.log_p0) >= model.create.value;
    view.categories.push_back(std::move(info));
  }
  return view;
}

std::string category_name(CategoryId id, const Model& model) {
  const auto k = static_cast<std::size_t>(id);
  return k < model.known_classes() ? model.class_names[k] : fmt::format("category {}", id);
}

std::vector<std::string> method_names() { return {"paco", "reference", "closed", "leader", "slc"}; }

Result<std::unique_ptr<Method>> make_method(std::string_view name,
                                            std::shared_ptr<const Model> model,
                                            const MethodOptions& options) {
  if (options.threads < 1) {
    return Error{ErrorCode::bad_argument, fmt::format("threads is {}", options.threads),
                 "it must be at least 1"};
  }
  if (name == "paco") return make_paco_method(std::move(model), options);
  if (name == "reference") return make_reference_method(std::move(model));
  if (name == "closed") return make_closed_method(std::move(model), options);
  if (name == "leader") return make_leader_method(std::move(model), options, true);
  if (name == "slc") return make_leader_method(std::move(model), options, false);
  return Error{ErrorCode::bad_argument, fmt::format("no method is called '{}'", name),
               fmt::format("choose one of: {}", fmt::join(method_names(), ", "))};
}

}  // namespace paco
