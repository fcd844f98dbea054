#include "module.hpp"

#include "decisions.hpp"
#include "gil.hpp"

PYBIND11_MODULE(_paco, module) {
  module.doc() = "The engine behind the package pacodiscovery; use that.";
  module.attr("__version__") = PACO_VERSION;
  paco::python::watch_forks();
  paco::python::add_models(module);
  paco::python::add_decisions(module);
  paco::python::add_sessions(module);
  paco::python::add_studies(module);
  paco::python::add_encoder(module);
  pybind11::module_::import("atexit").attr("register")(
      pybind11::cpp_function(&paco::python::end_calls));
}
