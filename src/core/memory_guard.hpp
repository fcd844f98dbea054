// Where memory runs out: the one place that turns std::bad_alloc into an Error. Every public
// function that allocates has its body inside, so that nothing is thrown across the API. What the
// body was building is gone; what was there before is as good as the body left it. Not for causes
// that have an error of their own.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "paco/result.hpp"

namespace paco::core {

// What `body` returns, a Result; or out_of_memory. `doing` completes "not enough memory to ...".
template <class Body>
auto guard_memory(const char* doing, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // more elements than any vector can have
  }
  return Error{ErrorCode::out_of_memory, std::string("not enough memory to ") + doing,
               "free some, or raise the limit that this process was given"};
}

}  // namespace paco::core
