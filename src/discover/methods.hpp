// What the methods of this folder share: how they are made, and the small duties all of them have.
#pragma once

#include <memory>

#include "discover/boundary.hpp"
#include "discover/snapshot.hpp"
#include "paco/method.hpp"

namespace paco {

std::unique_ptr<Method> make_reference_method(std::shared_ptr<const Model> model);
std::unique_ptr<Method> make_paco_method(std::shared_ptr<const Model> model,
                                         const MethodOptions& options);
std::unique_ptr<Method> make_closed_method(std::shared_ptr<const Model> model,
                                           const MethodOptions& options);
// `from_known`: the known references are leaders from the start; otherwise the memory starts empty.
std::unique_ptr<Method> make_leader_method(std::shared_ptr<const Model> model,
                                           const MethodOptions& options, bool from_known);

// The embeddings have the model's dimension and there is room for every decision, or an error says
// so.
Result<void> check_block(Rows<const double> embeddings, std::span<const Decision> decisions,
                         const Model& model);

// Nothing has been decided yet, so that a state may be restored.
Result<void> check_unused(const MethodStats& stats);

// Counts one decision.
void count(MethodStats& stats, const Decision& decision);

// The memory as readers see it, from one entry of each span per category.
MemoryView memory_view(const Model& model, const MethodStats& stats,
                       std::span<const std::int64_t> class_sizes,
                       std::span<const std::int64_t> sizes, std::span<const std::int64_t> births,
                       std::span<const double> resultants, const Boundary& boundary);

}  // namespace paco
