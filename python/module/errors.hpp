// Converts the library's Result to Python's exceptions, and Ctrl-C to the library's stop token.
//
// The exception classes are defined in Python (pacodiscovery/errors.py): each is a PacoError with a
// hint and also derives from a built-in exception, so that `except ValueError` works as expected.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gil.hpp"
#include "paco/result.hpp"

namespace paco::python {

namespace py = pybind11;

// Converts the bytes of a name. Invalid UTF-8 is converted as Python converts file names.
py::str text(std::string_view bytes);
std::string bytes_of(const py::handle& text);  // the inverse of text()
py::list text_list(const std::vector<std::string>& names);

// The exception for an error; the GIL must be held.
py::object exception_of(const Error& error);
[[noreturn]] void raise(const py::object& exception);
[[noreturn]] void raise(const Error& error);

template <class T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// Forbids __new__ for a class whose objects only functions create: it would give an object without
// content.
void forbid_new(const py::object& type, const char* makers);

// Runs work(stop_token) on a separate thread without the GIL. Ctrl-C sets the token;
// KeyboardInterrupt is raised when the work has ended. Signals are checked a few times a second.
template <class Work>
auto interruptible(Work work) {
  std::stop_source stop;
  const ReleaseGil release;
  auto outcome = std::async(std::launch::async, [&] { return work(stop.get_token()); });
  while (outcome.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    std::optional<py::error_already_set> pressed;
    {
      const py::gil_scoped_acquire acquire;
      if (!is_left_behind()) {
        if (PyErr_CheckSignals() == 0) continue;
        pressed.emplace();
      }
    }
    stop.request_stop();
    outcome.wait();
    if (pressed) throw *pressed;
  }
  return outcome.get();
}

}  // namespace paco::python
