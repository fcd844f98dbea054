// The session class of Python. Long calls release the GIL, check for Ctrl-C between groups of
// samples, and always leave an exact state.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "core/files.hpp"
#include "core/try.hpp"
#include "decisions.hpp"
#include "handle.hpp"
#include "insight/insight.hpp"
#include "module.hpp"
#include "samples.hpp"
#include "session/export.hpp"
#include "session/operations/operation_json.hpp"
#include "session/replay.hpp"
#include "session/summary.hpp"

namespace paco::python {
namespace {

using Json = nlohmann::ordered_json;

// Number of samples decided between checks for Ctrl-C. In memory: as many as fit into the
// processor's cache with their results. With a journal: more, because a group is written to the
// disk together.
constexpr std::size_t kGroup = 128, kJournalGroup = 1024;

// __new__ creates an empty session, which raises an error if it is used before _start().
py::object new_session(const py::type& type, const py::args&, const py::kwargs&) {
  const auto wanted = py::type::of<PySession>();
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()),
                       reinterpret_cast<PyTypeObject*>(wanted.ptr())) == 0)
    throw py::type_error("this is no kind of Session");
  auto made = py::reinterpret_steal<py::object>(
      py::detail::make_new_instance(reinterpret_cast<PyTypeObject*>(type.ptr())));
  auto* instance = reinterpret_cast<py::detail::instance*>(made.ptr());
  py::detail::value_and_holder place =
      instance->get_value_and_holder(py::detail::get_type_info(typeid(PySession)));
  place.value_ptr() = new PySession;
  place.type->init_instance(instance, nullptr);
  return made;
}

std::vector<std::string> texts(const py::object& given, std::size_t rows, const char* what) {
  std::vector<std::string> out;
  if (given.is_none()) return out;
  if (py::isinstance<py::str>(given)) {
    raise({ErrorCode::bad_argument, fmt::format("{} is one text", what),
           "give one for every sample, e.g. a list"});
  }
  for (const py::handle item : py::iter(given))
    out.push_back(item.is_none() ? std::string() : bytes_of(item));
  if (out.size() != rows) {
    raise({ErrorCode::bad_shape, fmt::format("{} {} for {} samples", out.size(), what, rows),
           "give one for every sample, or none"});
  }
  return out;
}

void check_columns(const Session& session, const Samples& samples) {
  const std::size_t wanted = session.model().dimension;
  if (samples.columns() == wanted) return;
  // The wording of scikit-learn, so that its users find help.
  raise({ErrorCode::bad_shape,
         fmt::format("X has {} features, but the model is expecting {} features as input",
                     samples.columns(), wanted),
         "embed support set and stream with the same backbone"});
}

// The data stored with samples in a journal for display. A text is stored as an attribute.
struct Extras {
  std::vector<std::string> attributes, pictures;

  Extras(const py::object& given_texts, const py::object& given_attributes,
         const py::object& given_pictures, std::size_t rows) {
    if (given_texts.is_none() && given_attributes.is_none() && given_pictures.is_none()) return;
    const py::tuple parts = py::module_::import("pacodiscovery._samples")
                                .attr("extras")(given_texts, given_attributes, given_pictures, rows);
    attributes = parts[0].cast<std::vector<std::string>>();
    pictures = parts[1].cast<std::vector<std::string>>();
  }
  void check(const Session& session) const {
    if (session.has_journal() || (attributes.empty() && pictures.empty())) return;
    raise({ErrorCode::unsupported, "a session in memory keeps no texts, attributes or pictures",
           "keep the stream in a journal: Session.create(path, model)"});
  }
};

OneDecision decide(PySession& self, const py::object& x, const std::optional<std::string>& key,
                   const std::optional<std::string>& id, const py::object& text_,
                   const py::object& attributes, const py::object& picture) {
  const Samples sample = Samples::row(x);
  const auto one = [](const py::object& given) -> py::object {
    return given.is_none() ? given : py::object(py::make_tuple(given));
  };
  const Extras extras(one(text_), one(attributes), one(picture), 1);
  const Handle::Use session(*self.handle());
  check_columns(*session, sample);
  extras.check(*session);
  OneDecision out{{}, {}, self.handle(), id.value_or("")};
  const auto outcome = [&] {
    const ReleaseGil release;
    std::vector<double> scratch;
    SampleNames names;
    if (key) names.keys = {&*key, 1};
    if (id) names.ids = {&*id, 1};
    names.attributes = extras.attributes;
    names.pictures = extras.pictures;
    auto decided = session->decide(sample.block(0, 1, scratch), {&out.decision, 1}, names);
    if (decided.ok() && !decided->refused)
      out.name = session->method().categories().name(out.decision.category);
    return decided;
  }();
  if (!outcome.ok()) raise(outcome.error());
  if (outcome->refused) {
    Error error = *outcome->refused;
    error.message = "the sample " + error.message;
    raise(error);
  }
  return out;
}

// Attaches the decisions made so far to the exception that ends a call.
[[noreturn]] void raise_with(const py::object& exception, ManyDecisions&& made, std::size_t rows,
                             const Session& session, std::vector<std::string> samples) {
  made.rows().resize(rows);
  made.remember_names(session.method().categories(), std::move(samples));
  exception.attr("decisions") = py::cast(std::move(made));
  raise(exception);
}

ManyDecisions decide_many(PySession& self, const py::object& x, const py::object& keys,
                          const py::object& ids, const py::object& given_texts,
                          const py::object& attributes, const py::object& pictures,
                          const py::object& progress) {
  const Samples samples = Samples::matrix(x);
  const std::size_t rows = samples.rows();
  const std::vector<std::string> key_list = texts(keys, rows, "keys");
  std::vector<std::string> id_list = texts(ids, rows, "ids");
  const Extras extras(given_texts, attributes, pictures, rows);
  const Handle::Use session(*self.handle());
  check_columns(*session, samples);
  extras.check(*session);
  ManyDecisions out(self.handle(), rows);
  std::vector<double> scratch;
  const std::size_t group = session->has_journal() ? kJournalGroup : kGroup;
  for (std::size_t start = 0; start < rows; start += group) {
    const std::size_t count = std::min(group, rows - start);
    const auto outcome = [&] {
      const ReleaseGil release;
      SampleNames names;
      if (!key_list.empty()) names.keys = std::span(key_list).subspan(start, count);
      if (!id_list.empty()) names.ids = std::span(id_list).subspan(start, count);
      if (!extras.attributes.empty())
        names.attributes = std::span(extras.attributes).subspan(start, count);
      if (!extras.pictures.empty())
        names.pictures = std::span(extras.pictures).subspan(start, count);
      return session->decide(samples.block(start, count, scratch),
                             std::span(out.rows()).subspan(start, count), names);
    }();
    if (!outcome.ok())
      raise_with(exception_of(outcome.error()), std::move(out), start, *session, std::move(id_list));
    out.repeated += outcome->repeated;
    if (outcome->refused) {
      Error error = *outcome->refused;
      const std::size_t row = start + outcome->rows;
      error.message = fmt::format("row {} {}", row, error.message);
      raise_with(exception_of(error), std::move(out), row, *session, std::move(id_list));
    }
    const auto goes_on = [&] {
      if (start + count < rows && PyErr_CheckSignals() != 0) return false;
      if (progress.is_none()) return true;
      const auto called = py::reinterpret_steal<py::object>(PyObject_CallFunction(
          progress.ptr(), "nn", static_cast<Py_ssize_t>(start + count),
          static_cast<Py_ssize_t>(rows)));
      return static_cast<bool>(called);
    };
    if (!goes_on()) {
      const py::error_already_set stopped;
      raise_with(stopped.value(), std::move(out), start + count, *session, std::move(id_list));
    }
  }
  {
    const ReleaseGil release;
    out.remember_names(session->method().categories(), std::move(id_list));
  }
  return out;
}

std::string apply(PySession& self, const std::string& request) {
  const Json json = Json::parse(request, nullptr, false);
  if (json.is_discarded()) {
    raise({ErrorCode::bad_argument, "an operation is made of numbers and text in UTF-8", ""});
  }
  const Operation operation = take(session::operation_from(json));
  const Handle::Use session(*self.handle());
  const auto outcome = [&] {
    const ReleaseGil release;
    return session->apply(operation);
  }();
  return session::outcome_json(take(outcome)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string history(PySession& self) {
  const Handle::Use session(*self.handle());
  Json out = Json::array();
  for (const OperationOutcome& past : take(session->history())) out.push_back(session::outcome_json(past));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string suggestions(PySession& self) {
  const Handle::Use session(*self.handle());
  const auto found = [&] {
    const ReleaseGil release;
    return insight::insight_of(*session);
  }();
  return insight::insight_json(take(found), *session->view())
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string categories(PySession& self, bool all) {
  const auto view = self.handle()->view();
  Json out = Json::array();
  for (CategoryId id = 0; id < view->categories.next(); ++id) {
    if (!view->categories.has(id) || (!all && !view->categories.is_live(id))) continue;
    out.push_back(session::category_json(*view, id));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

py::object past_decision(PySession& self, std::uint64_t sequence) {
  const Handle::Use session(*self.handle());
  const auto found = take(session->decision(sequence));
  if (!found) return py::none();
  return py::cast(OneDecision{
      *found, session->method().categories().name(found->category), self.handle(), {}});
}

std::vector<std::byte> state_of(PySession& self) {
  const Handle::Use session(*self.handle());
  const auto bytes = [&] {
    const ReleaseGil release;
    return session->save();
  }();
  return take(bytes);
}

Session make(const std::string& how, const std::string& path, const ModelPointer& model,
             const std::string& method, const Settings& settings, int threads, bool durable,
             std::optional<std::uint64_t> embeddings, std::uint64_t snapshot_samples) {
  const auto durability =
      durable ? JournalOptions::Durability::full : JournalOptions::Durability::relaxed;
  const MethodOptions options{threads, settings};
  return take(interruptible([&](std::stop_token stop) -> Result<Session> {
    if (how == "open") return Session::open(path, threads, durability, stop);
    if (how == "look") return Session::open_read_only(path, threads, stop);
    if (how == "create")
      return Session::create(path, model, method, options, {durability, embeddings,
                                                            snapshot_samples});
    PACO_ASSIGN(Session session, Session::start(model, method, options));
    PACO_TRY(session.keep(embeddings.value_or(0)));
    return session;
  }));
}

std::string replayed(const std::string& path, const std::string& method, const ModelPointer& model,
                     std::optional<std::uint64_t> until, int threads) {
  session::ReplayRequest request;
  request.journal = path;
  request.method = method;
  request.model = model;
  if (until) request.fold.until = *until;
  request.threads = threads;
  const session::Replayed outcome = take(interruptible([&](std::stop_token stop) {
    request.fold.stop = stop;
    return session::replay_journal(request);
  }));
  return session::replay_json(outcome).dump();
}

}  // namespace

void add_sessions(py::module_& module) {
  py::class_<PySession> sessions(module, "Session");
  sessions.attr("__new__") =
      py::module_::import("builtins").attr("staticmethod")(py::cpp_function(&new_session));
  sessions
      .def("_start",
           [](PySession& self, const std::string& how, const std::string& path,
              const ModelPointer& model, const std::string& method, const Settings& settings,
              int threads, bool durable, std::optional<std::uint64_t> embeddings,
              std::uint64_t snapshot_samples) {
             self.start(std::make_shared<Handle>(
                 make(how, path, model, method, settings, threads, durable, embeddings,
                      snapshot_samples),
                 threads));
           })
      .def("decide", &decide, py::arg("x"), py::arg("key") = py::none(),
           py::arg("id") = py::none(), py::arg("text") = py::none(),
           py::arg("attributes") = py::none(), py::arg("picture") = py::none(),
           "Decides on one sample, at once and for good.\n\n"
           "key: text that is unique in the stream; the same again is answered with the decision\n"
           "it had. id: what the sample is called in files. text, attributes (a dict) and picture\n"
           "(bytes of a small JPEG, PNG or WebP) are kept by a journal for people to see.")
      .def("decide_many", &decide_many, py::arg("X"), py::arg("keys") = py::none(),
           py::arg("ids") = py::none(), py::arg("texts") = py::none(),
           py::arg("attributes") = py::none(), py::arg("pictures") = py::none(),
           py::arg("progress") = py::none(),
           "Decides on every row in order: the same decisions as one by one, faster.\n\n"
           "A row that cannot be decided ends it with an exception whose `decisions` are those\n"
           "before it; they stand. So it is with Ctrl-C. progress(done, rows) is called now and then.")
      .def("_apply", &apply)
      .def("_history", &history)
      .def("_suggestions", &suggestions)
      .def("_categories", &categories)
      .def("_decision", &past_decision)
      .def("_state", [](PySession& self) {
        const auto bytes = state_of(self);
        return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      })
      .def("_restore",
           [](PySession& self, const py::bytes& state, const std::string& name) {
             const auto text = static_cast<std::string_view>(state);
             const auto* first = reinterpret_cast<const std::byte*>(text.data());
             const Handle::Use session(*self.handle());
             take(session->restore({first, first + text.size()}, name));
           })
      .def("_settings", [](PySession& self) { return self.handle()->settings(); })
      .def("_save",
           [](PySession& self, const std::string& path) {
             const std::vector<std::byte> bytes = state_of(self);
             take(core::write_file(path, bytes));
           })
      .def("_restore_file",
           [](PySession& self, const std::string& path) {
             const Handle::Use session(*self.handle());
             take(session->restore(path));
           })
      .def("_summary",
           [](PySession& self) {
             const Handle::Use session(*self.handle());
             Json json = session::stream_summary_json(*session, {});
             // Statistics of a run over a file, which do not apply here.
             for (const char* key : {"samples", "repeated", "skipped", "interrupted", "seconds",
                                     "deciding_seconds", "samples_per_second"})
               json.erase(key);
             return json.dump();
           })
      .def("_export",
           [](PySession& self, const std::string& path) {
             const Handle::Use session(*self.handle());
             const auto done = [&] {
               const ReleaseGil release;
               return session::export_decisions(*session, path);
             }();
             take(done);
           })
      .def("_name",
           [](PySession& self, CategoryId id) { return text(self.handle()->view()->categories.name(id)); })
      .def("_is_named",
           [](PySession& self, CategoryId id) {
             const auto view = self.handle()->view();
             return view->categories.has(id) && !view->categories[id].name.empty();
           })
      .def("_keep",
           [](PySession& self, std::uint64_t samples) {
             const Handle::Use session(*self.handle());
             take(session->keep(samples));
           })
      .def("checkpoint",
           [](PySession& self) {
             const Handle::Use session(*self.handle());
             const auto done = [&] {
               const ReleaseGil release;
               return session->checkpoint();
             }();
             take(done);
           },
           "Writes a snapshot, so that opening the journal needs no replay.")
      .def("close", [](PySession& self) { self.handle()->close(); },
           "Ends the session; its journal then is one file. Twice does nothing.")
      .def("digest",
           [](PySession& self) {
             const Handle::Use session(*self.handle());
             return take(session->digest());
           },
           "Equal for equal states.")
      .def_property_readonly("closed", [](PySession& self) { return self.handle()->closed(); },
                             "whether it has been closed")
      .def_property_readonly("samples",
                             [](PySession& self) { return self.handle()->samples(); },
                             "how many samples have been decided")
      .def_property_readonly("events",
                             [](PySession& self) {
                               const Handle::Use session(*self.handle());
                               return session->events();
                             },
                             "samples and operations so far")
      .def_property_readonly("path", [](PySession& self) { return self.handle()->path(); },
                             "of the journal; empty without one")
      .def_property_readonly("threads", [](PySession& self) { return self.handle()->threads(); },
                             "for speed; no decision depends on it")
      .def_property_readonly("method",
                             [](PySession& self) { return self.handle()->info().name; },
                             "name of the method that decides")
      .def_property_readonly("model", [](PySession& self) {
        const Handle::Use session(*self.handle());
        return std::make_shared<Model>(session->model());
      });
  add_past(sessions);
  module.def("replay", &replayed);
}

}  // namespace paco::python
