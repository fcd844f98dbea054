// The parts of the module `pacodiscovery._paco`. Users import the package `pacodiscovery`
// (python/pacodiscovery); names that begin with an underscore here are only for that package.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "paco/model.hpp"
#include "paco/thresholds.hpp"

namespace paco::python {

namespace py = pybind11;

using ModelPointer = std::shared_ptr<Model>;

void add_encoder(py::module_& module);
void add_models(py::module_& module);
void add_sessions(py::module_& module);
void add_studies(py::module_& module);

// (value, balanced accuracy, low, high, positives, negatives)
py::tuple threshold_tuple(const ThresholdEvidence& threshold);

}  // namespace paco::python
