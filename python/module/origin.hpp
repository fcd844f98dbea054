// The source of some decisions: the method, its model and settings, and a way to explain them.
// Either an existing session (handle.hpp), or a stored description of one (recorded.cpp).
#pragma once

#include <string>
#include <vector>

#include "paco/method.hpp"

namespace paco::python {

class Origin {
 public:
  virtual ~Origin() = default;
  virtual const MethodInfo& info() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  virtual const Settings& settings() const = 0;
  virtual const std::string& fingerprint() = 0;  // of the model
  virtual std::string explain(const Decision& decision) = 0;
};

}  // namespace paco::python
