// How the library reports what went wrong.
//
// Causes outside the program (files, input, the disk, the user) come back as a Result holding an
// Error. Mistakes of the library itself are assertions. Nothing is thrown across the public API,
// nothing is printed. An Error carries a message that names the file, row or value at fault, and a
// hint that says what to do.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace paco {

enum class ErrorCode {
  bad_argument,  // an option or parameter outside its range
  not_found,     // a file, tensor or class that should be there is not
  io,            // the operating system refused: permission, full disk, broken pipe
  bad_format,    // the bytes do not match their format
  bad_shape,     // sizes that do not fit together
  bad_value,     // NaN, infinity, a zero vector, an unknown label
  unsupported,   // valid, but nothing here can read or do it
  mismatch,      // two artifacts that do not belong together
  interrupted,   // the stop token was set
  out_of_memory,
};

// A short stable name, e.g. "bad_shape".
std::string_view error_code_name(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;  // what is wrong, with file, row and value
  std::string hint;     // what to do about it; may be empty
};

// Either a value or an Error. Test with ok(), then take value() or error().
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace paco
