// Whose decisions some decisions are: the method, its model and settings, and who explains them. A
// session that is there (handle.hpp), or what was written down of one (recorded.hpp).
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
