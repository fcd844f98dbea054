#include "paco/result.hpp"

namespace paco {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_argument:
      return "bad_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::io:
      return "io";
    case ErrorCode::bad_format:
      return "bad_format";
    case ErrorCode::bad_shape:
      return "bad_shape";
    case ErrorCode::bad_value:
      return "bad_value";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::mismatch:
      return "mismatch";
    case ErrorCode::interrupted:
      return "interrupted";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
  }
  return "unknown";
}

}  // namespace paco
