// A recorded stream decided anew: to prove that it is what it says, to stand at an earlier moment,
// or to see what another method or model would have answered. What `paco replay` and Python share.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "session/fold.hpp"

namespace paco::session {

struct ReplayRequest {
  std::string journal;                 // only read
  std::string method;                  // another one; empty: the recorded one, or the model's
  std::shared_ptr<const Model> model;  // another one, or null
  std::string model_name;              // of that one in error texts
  int threads = 1;
  FoldOptions fold;  // `foreign` and `stop_at_difference` are set here
};

struct Replayed {
  std::unique_ptr<Method> method;  // in the state that was reached
  FoldOutcome fold;
  bool foreign = false;  // by another method or model: operations were left out
  bool equal = false;    // every decision, and the state where a snapshot of that moment tells
  std::string digest;
};

Result<Replayed> replay_journal(const ReplayRequest& request);
// Keys as promised for `paco replay --json`.
nlohmann::ordered_json replay_json(const Replayed& replayed);

}  // namespace paco::session
