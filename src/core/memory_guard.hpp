// The one place that turns std::bad_alloc into an Error. Every public function that allocates runs
// its body in this guard, so that no exception passes through the API. After a failure the object
// under construction is destroyed; existing objects are in the state in which the body left them.
// Not for causes that have their own error.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "paco/result.hpp"

namespace paco::core {

// Returns the Result of `body`, or out_of_memory. `doing` completes "not enough memory to ...".
template <class Body>
auto guard_memory(const char* doing, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // more elements than a vector can have
  }
  return Error{ErrorCode::out_of_memory, std::string("not enough memory to ") + doing,
               "free some, or raise the limit that this process was given"};
}

}  // namespace paco::core
