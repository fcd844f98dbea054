// From the library's Result to Python's exceptions, and from Ctrl-C to the library's stop token.
//
// The exception classes themselves are Python (pacodiscovery/errors.py): each is a PacoError with a hint and
// one of Python's own kinds besides, so that `except ValueError` catches what it should.
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

// Names are the bytes that came in: those that are no UTF-8 become what Python's own file names
// become.
py::str text(std::string_view bytes);
std::string bytes_of(const py::handle& text);  // and back
py::list text_list(const std::vector<std::string>& names);

// An exception of the class that fits the code; the GIL must be held.
py::object exception_of(const Error& error);
[[noreturn]] void raise(const py::object& exception);
[[noreturn]] void raise(const Error& error);

template <class T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// A class that only calls make: __new__ alone would give an object without content.
void forbid_new(const py::object& type, const char* makers);

// Runs work(stop_token) on a thread of its own without the GIL. Ctrl-C sets the token, and when the
// work has come to its end, KeyboardInterrupt is raised. Signals are seen a few times a second.
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
