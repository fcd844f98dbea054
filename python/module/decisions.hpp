// Decisions as Python objects: a single one with its name and explanation, and many as columns.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "origin.hpp"

namespace paco::python {

using OriginPointer = std::shared_ptr<Origin>;

// One decision. Its name is that of the category when the sample was answered.
struct OneDecision {
  Decision decision;
  std::string name;
  OriginPointer origin;
  std::string sample;  // name of the sample; empty: its number is used

  std::string sample_name() const;
};

// Names of categories by id, ascending.
using Names = std::vector<std::pair<CategoryId, std::string>>;

// Decisions of one or more calls. Columns are views of these rows, not copies.
class ManyDecisions {
 public:
  ManyDecisions(OriginPointer origin, std::size_t rows);
  // From decisions with known names and origin. `samples`: empty, or one per row.
  ManyDecisions(OriginPointer origin, std::vector<Decision> rows, Names names,
                std::vector<std::string> samples);

  std::vector<Decision>& rows() { return *rows_; }
  const std::vector<Decision>& rows() const { return *rows_; }
  const OriginPointer& origin() const { return origin_; }
  const Names& names() const { return names_; }
  const std::vector<std::string>& samples() const { return samples_; }
  std::size_t repeated = 0;  // samples that repeat an earlier answer

  // Called after the last decision: stores the category names of all answers, and the names of the
  // samples.
  void remember_names(const Categories& categories, std::vector<std::string> samples);
  const std::string& name(CategoryId id) const;
  std::string sample_name(std::size_t i) const;

  OneDecision operator[](std::size_t i) const;
  ManyDecisions some(const std::vector<std::size_t>& places) const;

 private:
  OriginPointer origin_;
  std::shared_ptr<std::vector<Decision>> rows_;
  Names names_;
  std::vector<std::string> samples_;
};

void add_decisions(py::module_& module);
// Converts decisions to columns and back: for pickles, files and concatenation.
void add_recorded(py::module_& module, py::class_<OneDecision>& one,
                  py::class_<ManyDecisions>& many);

}  // namespace paco::python
