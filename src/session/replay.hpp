// Decides a recorded stream again: to prove that the record is right, to get the state at an
// earlier moment, or to see the decisions of another method or model. Used by `paco replay` and
// Python.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "session/fold.hpp"

namespace paco::session {

struct ReplayRequest {
  std::string journal;                 // is not changed
  std::string method;                  // empty: the recorded one; with another model, that model's
  std::shared_ptr<const Model> model;  // another one, or null
  std::string model_name;              // for error texts about it
  int threads = 1;
  FoldOptions fold;  // `foreign` and `stop_at_difference` are set here
};

struct Replayed {
  std::unique_ptr<Method> method;  // in the final state
  FoldOutcome fold;
  bool foreign = false;  // another method or model: operations were left out
  bool equal = false;    // all decisions are, and so are the snapshots of that moment
  std::string digest;
};

Result<Replayed> replay_journal(const ReplayRequest& request);
// The keys are a promised interface of `paco replay --json`.
nlohmann::ordered_json replay_json(const Replayed& replayed);

}  // namespace paco::session
