#include "module.hpp"

#include "decisions.hpp"

PYBIND11_MODULE(_paco, module) {
  module.doc() = "The engine behind the package pacodiscovery; use that.";
  paco::python::watch_forks();
  paco::python::add_models(module);
  paco::python::add_decisions(module);
  paco::python::add_sessions(module);
  paco::python::add_studies(module);
}
