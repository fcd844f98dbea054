// Decisions as Python sees them: one with its name and explanation, and many as columns.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "handle.hpp"

namespace paco::python {

// One decision. Its name is what the category was called when it was answered.
struct OneDecision {
  Decision decision;
  std::string name;
  std::shared_ptr<Handle> handle;
};

// The decisions of one call. Columns are views of the rows here, not copies.
class ManyDecisions {
 public:
  ManyDecisions(std::shared_ptr<Handle> handle, std::size_t rows);

  std::vector<Decision>& rows() { return *rows_; }
  const std::vector<Decision>& rows() const { return *rows_; }
  const std::shared_ptr<Handle>& handle() const { return handle_; }
  std::size_t repeated = 0;  // answered by their key

  // When the last has been decided: remembers the names of all that were answered.
  void remember_names(const Categories& categories);
  const std::string& name(CategoryId id) const;

  OneDecision operator[](std::size_t i) const;
  ManyDecisions some(std::size_t first, std::ptrdiff_t step, std::size_t count) const;

 private:
  std::shared_ptr<Handle> handle_;
  std::shared_ptr<std::vector<Decision>> rows_;
  std::vector<std::pair<CategoryId, std::string>> names_;  // ascending
};

void add_decisions(py::module_& module);

}  // namespace paco::python
