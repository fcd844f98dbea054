// Models and the list of methods in Python.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "methods/common/option_names.hpp"
#include "methods/common/section_evidence.hpp"
#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "paco/method.hpp"
#include "samples.hpp"
#include "session/summary.hpp"

namespace paco::python {
namespace {

// Calls a Python function with the progress, at most ten times a second. An exception from it ends
// the call and is raised again.
class Progress {
 public:
  explicit Progress(const py::object& call) : call_(call) {}
  explicit operator bool() const { return !call_.is_none(); }
  std::stop_token token() const { return stop_.get_token(); }
  void stop() { stop_.request_stop(); }
  void operator()(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (raised_ || is_left_behind() ||
        (done < total && now - last_ < std::chrono::milliseconds(100)))
      return;
    last_ = now;
    const py::gil_scoped_acquire acquire;
    try {
      call_(done, total);
    } catch (py::error_already_set&) {
      raised_ = std::current_exception();
      stop();
    }
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const py::object& call_;
  std::stop_source stop_;
  std::exception_ptr raised_;
  std::chrono::steady_clock::time_point last_{};
};

ModelPointer calibrate_model(const py::object& x, const py::array_t<std::int64_t>& labels,
                             const std::vector<std::string>& names, const py::object& classifier,
                             const std::string& method, const Settings& settings, double epsilon,
                             const std::string& reference, int threads,
                             const py::object& progress) {
  CalibrationOptions options;
  options.method = method;
  options.settings = settings;
  options.epsilon = epsilon;
  options.threads = threads;
  const auto choice = methods::kReferenceChoices.value(reference);
  if (!choice) {
    raise({ErrorCode::bad_argument, "there is no reference '" + reference + "'",
           "auto, prototype or classifier"});
  }
  options.reference = *choice;
  const Samples samples = Samples::matrix(x);
  std::vector<double> scratch, classifier_scratch;
  SupportSet support;
  support.labels = {labels.data(), static_cast<std::size_t>(labels.size())};
  support.class_names = names;
  std::optional<Samples> weights;
  if (!classifier.is_none()) weights = Samples::matrix(classifier);
  Progress shown(progress);
  if (shown) options.progress = [&](std::uint64_t done, std::uint64_t total) { shown(done, total); };
  auto made = interruptible([&](std::stop_token stop) {
    const std::stop_callback ended(stop, [&] { shown.stop(); });
    const std::stop_token either = shown.token();
    support.embeddings = samples.block(0, samples.rows(), scratch);
    if (weights) support.classifier = weights->block(0, weights->rows(), classifier_scratch);
    return calibrate(support, options, either);
  });
  shown.rethrow();
  return std::make_shared<Model>(take(std::move(made)));
}

// All contents of a section: settings, numbers, and thresholds with their evidence.
py::dict section_of(const Model& model, const std::string& method) {
  const MethodInfo* info = take(method_info(method));
  const Section* section = take(model.section(info->section));
  py::dict numbers, thresholds;
  for (const auto& [name, value] : section->numbers) {
    if (section->numbers.contains(name + ".balanced_accuracy")) {
      thresholds[py::str(name)] = threshold_tuple(take(methods::get_threshold(*section, name)));
    } else if (name.find('.') == std::string::npos) {
      numbers[py::str(name)] = value;
    }
  }
  py::dict out;
  out["settings"] = section->settings;
  out["numbers"] = numbers;
  out["thresholds"] = thresholds;
  return out;
}

template <class T>
py::array_t<T> rows_of(const std::vector<T>& values, std::size_t columns) {
  return py::array_t<T>({values.size() / columns, columns}, values.data());
}

py::dict describe(const MethodInfo& info) {
  static constexpr std::array<const char*, 4> kinds{"number", "whole", "flag", "choice"};
  py::list options, evidence, operations;
  for (const MethodOption& o : info.options) {
    py::dict option;
    option["name"] = o.name;
    option["kind"] = kinds.at(static_cast<std::size_t>(o.kind));
    option["when"] = o.stage == MethodOption::Stage::calibrating ? "calibrating" : "deciding";
    option["default"] = o.preset;
    option["meaning"] = o.meaning;
    option["choices"] = o.choices;
    options.append(option);
  }
  for (const EvidenceField& f : info.evidence) {
    py::dict field;
    field["name"] = f.name;
    field["unit"] = f.unit;
    field["meaning"] = f.meaning;
    field["choices"] = f.choices;
    field["after"] = f.after;
    evidence.append(field);
  }
  for (const OperationKind kind : info.operations) operations.append(operation_name(kind));
  py::dict out;
  out["name"] = info.name;
  out["summary"] = info.summary;
  out["needs"] = info.needs;
  out["options"] = options;
  out["evidence"] = evidence;
  out["operations"] = operations;
  return out;
}

py::bytes model_bytes(const Model& model) {
  const std::vector<std::byte> bytes = take(model_to_bytes(model));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ModelPointer from_bytes(const py::bytes& data) {
  const auto text = static_cast<std::string_view>(data);
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<Model>(take(model_from_bytes({first, first + text.size()}, "a model")));
}

}  // namespace

void add_models(py::module_& module) {
  py::class_<Model, ModelPointer> models(
      module, "Model",
      "What a support set taught: made by calibrate(), never changed, shared by many sessions.");
  forbid_new(models, "calibrate() and load_model()");
  models
      .def_property_readonly(
          "class_names", [](const Model& m) { return text_list(m.class_names); },
          "names of the known classes, by id")
      .def_readonly("class_sizes", &Model::class_sizes, "support samples of each known class")
      .def_readonly("dimension", &Model::dimension, "numbers in an embedding")
      .def_readonly("method", &Model::method, "the method that it was made for")
      .def_readonly("epsilon", &Model::epsilon, "added to each coordinate's variance")
      .def_property_readonly(
          "reference", [](const Model& m) { return reference_choice_name(m.reference); },
          "which references stand for the classes: 'prototype' or 'classifier'")
      .def_property_readonly(
          "references",
          [](const Model& m) { return rows_of(m.references, std::max<std::size_t>(1, m.dimension)); },
          "(K, d) unit rows of float32")
      .def_property_readonly(
          "mean", [](const Model& m) { return array_of(std::span<const double>(m.mean)); },
          "(d) of the support set")
      .def_property_readonly(
          "deviation",
          [](const Model& m) { return array_of(std::span<const double>(m.deviation)); },
          "(d) of the support set")
      .def_property_readonly("fingerprint", &Model::fingerprint, "equal for equal content")
      .def("_section", &section_of)
      .def("_summary", [](const Model& m) { return session::calibration_json(m).dump(); })
      .def(
          "save",
          [](const Model& m, const py::object& path) {
            const auto name = py::module_::import("os").attr("fspath")(path).cast<std::string>();
            const auto done = [&] {
              const ReleaseGil release;
              return save_model(m, name);
            }();
            take(done);
          },
          py::arg("path"), "Writes it as a file, which load_model() and the program read.")
      .def_property_readonly(
          "thresholds",
          [](const py::object& self) {
            return py::module_::import("pacodiscovery._views").attr("model_thresholds")(self);
          },
          "the calibrated thresholds of its method by name, each a Threshold with its evidence")
      .def_property_readonly(
          "summary",
          [](const py::object& self) {
            return py::module_::import("pacodiscovery._views").attr("model_summary")(self);
          },
          "what was learned, in figures, as a dict")
      .def("__repr__",
           [](const Model& m) {
             return "<Model of " + m.method + ": " + std::to_string(m.known_classes()) +
                    " classes, dimension " + std::to_string(m.dimension) + ">";
           })
      .def("__str__", &session::calibration_text)
      .def("_repr_html_",
           [](const py::object& self) {
             return py::module_::import("pacodiscovery._views").attr("model_html")(self);
           })
      .def("_bytes", &model_bytes)
      .def("__reduce__", [](const Model& m) {
        return py::make_tuple(py::module_::import("pacodiscovery.calibration").attr("_model_of"),
                              py::make_tuple(model_bytes(m)));
      });
  module.def("model_of", &from_bytes);
  module.def("calibrate", &calibrate_model);
  module.def("load_model", [](const std::string& path) {
    const auto model = [&] {
      const ReleaseGil release;
      return load_model(path);
    }();
    return std::make_shared<Model>(take(model));
  });
  module.def("method_names", &method_names);
  module.def("method_info",
             [](const std::string& name) { return describe(*take(method_info(name))); });
}

}  // namespace paco::python
