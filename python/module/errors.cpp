#include "errors.hpp"

namespace paco::python {

py::str text(std::string_view bytes) {
  PyObject* made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                                        "surrogateescape");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

std::string bytes_of(const py::handle& text) {
  PyObject* made = PyUnicode_AsEncodedString(py::str(text).ptr(), "utf-8", "surrogateescape");
  if (made == nullptr) throw py::error_already_set();
  return std::string(py::reinterpret_steal<py::bytes>(made));
}

py::list text_list(const std::vector<std::string>& names) {
  py::list out;
  for (const std::string& name : names) out.append(text(name));
  return out;
}

py::object exception_of(const Error& error) {
  return py::module_::import("pacodiscovery.errors")
      .attr("exception_of")(error_code_name(error.code), text(error.message), text(error.hint));
}

void raise(const py::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

void raise(const Error& error) { raise(exception_of(error)); }

void forbid_new(const py::object& type, const char* makers) {
  const std::string message =
      py::str(type.attr("__name__")).cast<std::string>() + " is made by " + makers + " alone";
  const py::cpp_function refuse([message](const py::args&, const py::kwargs&) -> py::object {
    throw py::type_error(message);
  });
  type.attr("__new__") = py::module_::import("builtins").attr("staticmethod")(refuse);
}

}  // namespace paco::python
