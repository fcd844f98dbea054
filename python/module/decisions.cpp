#include "decisions.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

namespace paco::python {
namespace {

py::object number_or_none(double value) {
  return std::isnan(value) ? py::object(py::none()) : py::object(py::float_(value));
}

// The value of an evidence field; a choice is given by its name.
py::object evidence_value(const EvidenceField& field, double value) {
  if (std::isnan(value)) return py::none();
  if (field.choices.empty()) return py::float_(value);
  return py::str(field.choices.at(static_cast<std::size_t>(value)));
}

// A view of the numbers at `offset` bytes into every decision, as a read-only array that keeps the
// decisions alive.
template <class T>
py::array column(const py::object& self, std::size_t offset) {
  const auto& many = self.cast<const ManyDecisions&>();
  const auto* first = reinterpret_cast<const std::byte*>(many.rows().data());
  py::array view(py::dtype::of<T>(), {static_cast<py::ssize_t>(many.rows().size())},
                 {static_cast<py::ssize_t>(sizeof(Decision))}, first + offset, self);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

// An array of names selected by small numbers: names[numbers].
py::object pick(const std::vector<std::string_view>& names, const py::object& numbers) {
  py::list list;
  for (const std::string_view name : names) list.append(py::str(name));
  return py::module_::import("numpy").attr("asarray")(list)[numbers];
}

py::object evidence_column(const py::object& self, const EvidenceField& field, std::size_t place) {
  const py::array values =
      column<double>(self, offsetof(Decision, evidence) + place * sizeof(double));
  if (field.choices.empty()) return values;
  // Fields that were not computed have no name.
  std::vector<std::string_view> names(field.choices.begin(), field.choices.end());
  names.push_back("");
  const py::module_ numpy = py::module_::import("numpy");
  const py::object places = numpy.attr("where")(numpy.attr("isnan")(values), names.size() - 1,
                                                values);
  return pick(names, places.attr("astype")("int64"));
}

py::object verdict_column(const py::object& self) {
  std::vector<std::string_view> names;
  for (const Verdict v : {Verdict::known, Verdict::existing, Verdict::created, Verdict::tentative})
    names.push_back(verdict_name(v));
  return pick(names, column<std::uint8_t>(self, offsetof(Decision, verdict)));
}

py::list name_list(const ManyDecisions& many) {
  py::list names(many.rows().size());
  for (std::size_t i = 0; i < many.rows().size(); ++i)
    names[i] = text(many.name(many.rows()[i].category));
  return names;
}

std::vector<std::size_t> places_of(const py::object& key, py::ssize_t size) {
  std::vector<std::size_t> places;
  const auto add = [&](py::ssize_t i) {
    if (i < -size || i >= size) throw py::index_error(fmt::format("decision {} of {}", i, size));
    places.push_back(static_cast<std::size_t>(i < 0 ? i + size : i));
  };
  if (py::isinstance<py::slice>(key)) {
    py::ssize_t start = 0, stop = 0, step = 0, count = 0;
    if (!key.cast<py::slice>().compute(size, &start, &stop, &step, &count))
      throw py::error_already_set();
    for (py::ssize_t i = 0; i < count; ++i) add(start + i * step);
    return places;
  }
  const py::array given = py::module_::import("numpy").attr("asarray")(key);
  const char kind = given.dtype().kind();
  if (given.ndim() != 1 || py::isinstance<py::tuple>(key) ||
      (kind != 'b' && kind != 'i' && kind != 'u' && given.size() > 0)) {
    throw py::index_error("decisions are picked by a number, a slice, a mask or a list of numbers");
  }
  if (kind == 'b') {
    if (given.size() != size) {
      throw py::index_error(fmt::format("a mask of {} for {} decisions", given.size(), size));
    }
    const auto mask = given.cast<py::array_t<bool, py::array::forcecast>>();
    for (py::ssize_t i = 0; i < size; ++i) {
      if (mask.at(i)) add(i);
    }
    return places;
  }
  const auto numbers = given.cast<py::array_t<std::int64_t, py::array::forcecast>>();
  for (py::ssize_t i = 0; i < numbers.size(); ++i) add(static_cast<py::ssize_t>(numbers.at(i)));
  return places;
}

py::object take_rows(const ManyDecisions& many, const py::object& key) {
  const auto size = static_cast<py::ssize_t>(many.rows().size());
  if (!PyIndex_Check(key.ptr()) || py::isinstance<py::array>(key))
    return py::cast(many.some(places_of(key, size)));
  py::ssize_t i = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) throw py::error_already_set();
  if (i < -size || i >= size) throw py::index_error(fmt::format("decision {} of {}", i, size));
  return py::cast(many[static_cast<std::size_t>(i < 0 ? i + size : i)]);
}

py::class_<OneDecision> add_one(py::module_& module) {
  py::class_<OneDecision> one(module, "Decision",
                              "What was decided about one sample, and why. It never changes.");
  one.def_property_readonly(
          "sequence", [](const OneDecision& d) { return d.decision.sequence; },
          "arrival number in the stream, from 0")
      .def_property_readonly(
          "sample", [](const OneDecision& d) { return text(d.sample_name()); },
          "what the sample is called: its id, or its arrival number as text")
      .def_property_readonly(
          "category", [](const OneDecision& d) { return d.decision.category; },
          "id: known classes first, then categories in order of birth")
      .def_property_readonly(
          "name", [](const OneDecision& d) { return text(d.name); },
          "what the category was called when answered")
      .def_property_readonly(
          "verdict", [](const OneDecision& d) { return verdict_name(d.decision.verdict); },
          "'known', 'existing', 'created' or 'tentative'")
      .def_property_readonly(
          "score", [](const OneDecision& d) { return number_or_none(d.decision.score); },
          "what was compared, None where nothing was")
      .def_property_readonly(
          "threshold", [](const OneDecision& d) { return number_or_none(d.decision.threshold); },
          "with what it was compared, None where nothing was")
      .def_property_readonly(
          "runner_up", [](const OneDecision& d) { return d.decision.runner_up; },
          "category of the next best; the category itself when there is none")
      .def_property_readonly(
          "prototype", [](const OneDecision& d) { return d.decision.prototype; },
          "number of the prototype it joined or started")
      .def_property_readonly(
          "counted", [](const OneDecision& d) { return d.decision.counted; },
          "it joined a fixed reference, which it does not move")
      .def_property_readonly(
          "categories_after", [](const OneDecision& d) { return d.decision.categories_after; },
          "discovered categories just after it")
      .def_property_readonly(
          "evidence",
          [](const OneDecision& d) {
            py::dict out;
            const auto& fields = d.origin->info().evidence;
            for (std::size_t i = 0; i < fields.size(); ++i)
              out[py::str(fields[i].name)] = evidence_value(fields[i], d.decision.evidence[i]);
            return out;
          },
          "the method's own numbers by name; None where one was not needed")
      .def(
          "explain", [](const OneDecision& d) { return text(d.origin->explain(d.decision)); },
          "How it came about, in a sentence.")
      .def("__repr__", [](const OneDecision& d) {
        return text(fmt::format("<Decision {}: {} {} '{}'>", d.decision.sequence,
                                verdict_name(d.decision.verdict), d.decision.category, d.name));
      });
  forbid_new(one, "decide() and decide_many()");
  return one;
}

}  // namespace

std::string OneDecision::sample_name() const {
  return sample.empty() ? std::to_string(decision.sequence) : sample;
}

ManyDecisions::ManyDecisions(OriginPointer origin, std::size_t rows)
    : origin_(std::move(origin)), rows_(std::make_shared<std::vector<Decision>>(rows)) {}

ManyDecisions::ManyDecisions(OriginPointer origin, std::vector<Decision> rows, Names names,
                             std::vector<std::string> samples)
    : origin_(std::move(origin)),
      rows_(std::make_shared<std::vector<Decision>>(std::move(rows))),
      names_(std::move(names)),
      samples_(std::move(samples)) {}

void ManyDecisions::remember_names(const Categories& categories,
                                   std::vector<std::string> samples) {
  std::vector<CategoryId> ids;
  ids.reserve(rows_->size());
  for (const Decision& d : *rows_) ids.push_back(d.category);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  names_.clear();
  for (const CategoryId id : ids) names_.emplace_back(id, categories.name(id));
  samples_ = std::move(samples);
  if (!samples_.empty()) samples_.resize(rows_->size());
}

const std::string& ManyDecisions::name(CategoryId id) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), id,
                                      [](const auto& entry, CategoryId wanted) {
                                        return entry.first < wanted;
                                      });
  return found->second;
}

std::string ManyDecisions::sample_name(std::size_t i) const {
  return samples_.empty() || samples_[i].empty() ? std::to_string((*rows_)[i].sequence)
                                                 : samples_[i];
}

OneDecision ManyDecisions::operator[](std::size_t i) const {
  return {(*rows_)[i], name((*rows_)[i].category), origin_, samples_.empty() ? "" : samples_[i]};
}

ManyDecisions ManyDecisions::some(const std::vector<std::size_t>& places) const {
  std::vector<Decision> rows;
  std::vector<std::string> samples;
  rows.reserve(places.size());
  for (const std::size_t i : places) rows.push_back((*rows_)[i]);
  if (!samples_.empty()) {
    for (const std::size_t i : places) samples.push_back(samples_[i]);
  }
  return {origin_, std::move(rows), names_, std::move(samples)};
}

void add_decisions(py::module_& module) {
  py::class_<OneDecision> one = add_one(module);
  py::class_<ManyDecisions> many(
      module, "Decisions",
      "Decisions in stream order: a sequence of Decision, and every field as an array.");
  const auto field = [&](const char* name, auto type, std::size_t offset, const char* meaning) {
    using T = decltype(type);
    many.def_property_readonly(
        name, [offset](const py::object& self) { return column<T>(self, offset); }, meaning);
  };
  field("sequence", std::uint64_t{}, offsetof(Decision, sequence), "arrival numbers");
  field("category", std::int64_t{}, offsetof(Decision, category), "ids of classes and categories");
  field("prototype", std::int64_t{}, offsetof(Decision, prototype), "numbers of prototypes");
  field("counted", bool{}, offsetof(Decision, counted), "joined a fixed reference");
  field("score", double{}, offsetof(Decision, score), "what was compared; nan where nothing was");
  field("threshold", double{}, offsetof(Decision, threshold), "with what; nan where nothing was");
  field("runner_up", std::int64_t{}, offsetof(Decision, runner_up), "ids of the next best");
  field("categories_after", std::uint64_t{}, offsetof(Decision, categories_after),
        "discovered categories just after each sample");
  many.def_property_readonly(
      "sample",
      [](const ManyDecisions& self) {
        py::list out;
        for (std::size_t i = 0; i < self.rows().size(); ++i) out.append(text(self.sample_name(i)));
        return py::module_::import("numpy").attr("asarray")(out, "str");
      },
      "what the samples are called: their ids, or their arrival numbers as text");
  many.def_property_readonly("verdict", &verdict_column,
                             "'known', 'existing', 'created' or 'tentative'")
      .def_property_readonly(
          "name",
          [](const ManyDecisions& self) {
            return py::module_::import("numpy").attr("asarray")(name_list(self), "str");
          },
          "what the categories were called when the last of these was answered")
      .def_property_readonly(
          "evidence",
          [](const py::object& self) {
            py::dict out;
            const auto& fields = self.cast<const ManyDecisions&>().origin()->info().evidence;
            for (std::size_t i = 0; i < fields.size(); ++i)
              out[py::str(fields[i].name)] = evidence_column(self, fields[i], i);
            return out;
          },
          "the method's own numbers by name; nan, or '' of a choice, where one was not needed")
      .def_property_readonly(
          "classes", [](const ManyDecisions& self) { return text_list(self.origin()->class_names()); },
          "names of the known classes, by id")
      .def_property_readonly(
          "method", [](const ManyDecisions& self) { return self.origin()->info().name; },
          "name of the method that decided")
      .def_property_readonly(
          "fingerprint", [](const ManyDecisions& self) { return self.origin()->fingerprint(); },
          "of the model that decided")
      .def_property_readonly(
          "settings", [](const ManyDecisions& self) { return self.origin()->settings(); },
          "options of the deciding stage that were given in place of the model's")
      .def_readonly("repeated", &ManyDecisions::repeated, "how many were answered by their key")
      .def(
          "explain",
          [](const ManyDecisions& self) {
            py::list out;
            for (const Decision& d : self.rows()) out.append(text(self.origin()->explain(d)));
            return out;
          },
          "How each came about, in sentences.")
      .def("__len__", [](const ManyDecisions& self) { return self.rows().size(); })
      .def("__getitem__", &take_rows)
      .def("__iter__",
           [](const py::object& self) {
             return py::reinterpret_steal<py::object>(PySeqIter_New(self.ptr()));
           })
      .def(
          "to_pandas",
          [](const py::object& self) {
            return py::module_::import("pacodiscovery._views").attr("decisions_frame")(self);
          },
          "A pandas DataFrame with the columns of a file of decisions.")
      .def("__repr__",
           [](const py::object& self) {
             return py::module_::import("pacodiscovery._views").attr("decisions_text")(self);
           })
      .def("_repr_html_", [](const py::object& self) {
        return py::module_::import("pacodiscovery._views").attr("decisions_html")(self);
      });
  forbid_new(many, "decide_many() and load_decisions()");
  add_recorded(module, one, many);
}

}  // namespace paco::python
