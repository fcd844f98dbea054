// Converts decisions to columns and back, for pickles and files, and concatenates them. Decisions
// restored from columns have no session, so they cannot be explained.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <map>

#include "decisions.hpp"

namespace paco::python {
namespace {

template <class T>
using Column = py::array_t<T, py::array::c_style | py::array::forcecast>;

class Recorded : public Origin {
 public:
  Recorded(const MethodInfo& info, std::vector<std::string> class_names, Settings settings,
           std::string fingerprint)
      : info_(info),
        class_names_(std::move(class_names)),
        settings_(std::move(settings)),
        fingerprint_(std::move(fingerprint)) {}
  const MethodInfo& info() const override { return info_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  const Settings& settings() const override { return settings_; }
  const std::string& fingerprint() override { return fingerprint_; }
  std::string explain(const Decision&) override {
    raise({ErrorCode::unsupported, "these decisions were put together without their session",
           "the session that made them explains them"});
  }

 private:
  const MethodInfo& info_;
  std::vector<std::string> class_names_;
  Settings settings_;
  std::string fingerprint_;
};

[[noreturn]] void refuse(const std::string& why) {
  raise({ErrorCode::bad_value, "these are no decisions: " + why, "write them anew"});
}

std::vector<std::string> texts_of(const py::iterable& given) {
  std::vector<std::string> out;
  for (const py::handle item : given) out.push_back(bytes_of(item));
  return out;
}

// All data except explanations, as arguments of assemble().
py::tuple take_apart(const py::object& self) {
  const auto& many = self.cast<const ManyDecisions&>();
  const MethodInfo& info = many.origin()->info();
  const std::size_t fields = info.evidence.size();
  py::array_t<double> evidence({many.rows().size(), fields});
  py::array_t<std::uint8_t> verdicts({static_cast<py::ssize_t>(many.rows().size())});
  for (std::size_t i = 0; i < many.rows().size(); ++i) {
    verdicts.mutable_at(i) = static_cast<std::uint8_t>(many.rows()[i].verdict);
    for (std::size_t j = 0; j < fields; ++j)
      evidence.mutable_at(i, j) = many.rows()[i].evidence[j];
  }
  py::dict names;
  for (const auto& [id, name] : many.names()) names[py::int_(id)] = text(name);
  py::dict columns;
  for (const char* name : {"sequence", "category", "prototype", "counted", "score", "threshold",
                           "runner_up", "categories_after"})
    columns[name] = self.attr(name).attr("copy")();
  columns["verdict"] = verdicts;
  columns["evidence"] = evidence;
  py::dict about;
  about["method"] = info.name;
  about["settings"] = many.origin()->settings();
  about["classes"] = text_list(many.origin()->class_names());
  about["model"] = many.origin()->fingerprint();
  about["names"] = names;
  about["samples"] = text_list(many.samples());
  about["repeated"] = many.repeated;
  return py::make_tuple(columns, about);
}

// Whether a number from a file is a valid choice of its field.
bool is_choice(const EvidenceField& field, double value) {
  return std::isnan(value) || field.choices.empty() ||
         (value >= 0 && value < static_cast<double>(field.choices.size()));
}

ManyDecisions assemble(const py::dict& columns, const py::dict& about) {
  const MethodInfo& info = *take(method_info(bytes_of(about["method"])));
  const auto sequence = columns["sequence"].cast<Column<std::uint64_t>>();
  const auto category = columns["category"].cast<Column<std::int64_t>>();
  const auto prototype = columns["prototype"].cast<Column<std::int64_t>>();
  const auto counted = columns["counted"].cast<Column<bool>>();
  const auto score = columns["score"].cast<Column<double>>();
  const auto threshold = columns["threshold"].cast<Column<double>>();
  const auto runner_up = columns["runner_up"].cast<Column<std::int64_t>>();
  const auto after = columns["categories_after"].cast<Column<std::uint64_t>>();
  const auto verdict = columns["verdict"].cast<Column<std::uint8_t>>();
  const auto evidence = columns["evidence"].cast<Column<double>>();
  const py::ssize_t rows = sequence.size();
  for (const py::array& column : {py::array(sequence), py::array(category), py::array(prototype),
                                  py::array(counted), py::array(score), py::array(threshold),
                                  py::array(runner_up), py::array(after), py::array(verdict)}) {
    if (column.ndim() != 1 || column.size() != rows) refuse("their columns differ in length");
  }
  if (evidence.ndim() != 2 || evidence.shape(0) != rows ||
      evidence.shape(1) != static_cast<py::ssize_t>(info.evidence.size()))
    refuse(fmt::format("their evidence is not that of {}", info.name));
  Names names;
  for (const auto& [id, name] : about["names"].cast<std::map<CategoryId, py::str>>())
    names.emplace_back(id, bytes_of(name));
  std::vector<std::string> samples = texts_of(about["samples"]);
  if (!samples.empty() && samples.size() != static_cast<std::size_t>(rows))
    refuse("they have not one name for each sample");
  std::vector<Decision> out(static_cast<std::size_t>(rows));
  for (py::ssize_t i = 0; i < rows; ++i) {
    Decision& d = out[static_cast<std::size_t>(i)];
    d.sequence = sequence.at(i);
    d.category = category.at(i);
    d.prototype = prototype.at(i);
    d.counted = counted.at(i);
    d.score = score.at(i);
    d.threshold = threshold.at(i);
    d.runner_up = runner_up.at(i);
    d.categories_after = after.at(i);
    if (verdict.at(i) > static_cast<std::uint8_t>(Verdict::tentative))
      refuse(fmt::format("row {} has no verdict", i));
    d.verdict = static_cast<Verdict>(verdict.at(i));
    const auto named = [&](CategoryId id) {
      const auto at = std::lower_bound(names.begin(), names.end(), std::pair(id, std::string()));
      return at != names.end() && at->first == id;
    };
    if (d.category < 0 || !named(d.category)) refuse(fmt::format("row {} has no category", i));
    for (std::size_t j = 0; j < info.evidence.size(); ++j) {
      d.evidence[j] = evidence.at(i, static_cast<py::ssize_t>(j));
      if (!is_choice(info.evidence[j], d.evidence[j]))
        refuse(fmt::format("row {} has {} for {}", i, d.evidence[j], info.evidence[j].name));
    }
  }
  ManyDecisions made(
      std::make_shared<Recorded>(info, texts_of(about["classes"]),
                                 about["settings"].cast<Settings>(), bytes_of(about["model"])),
      std::move(out), std::move(names), std::move(samples));
  made.repeated = about["repeated"].cast<std::size_t>();
  return made;
}

// Concatenates decisions. If a category was renamed meanwhile, its last name is used.
ManyDecisions concatenate(const std::vector<const ManyDecisions*>& parts) {
  if (parts.empty()) {
    raise({ErrorCode::bad_argument, "there are no decisions to put together", "give some"});
  }
  OriginPointer origin = parts.front()->origin();
  std::vector<Decision> rows;
  std::vector<std::string> samples;
  std::map<CategoryId, std::string> names;
  std::size_t repeated = 0;
  bool named = false;
  for (const ManyDecisions* part : parts) {
    Origin& other = *part->origin();
    if (part->origin() != origin) {
      if (other.info().name != origin->info().name ||
          other.fingerprint() != origin->fingerprint()) {
        raise({ErrorCode::mismatch, "these are decisions of different models or methods",
               "put together what one model decided"});
      }
      origin = std::make_shared<Recorded>(other.info(), other.class_names(), other.settings(),
                                          other.fingerprint());
    }
    rows.insert(rows.end(), part->rows().begin(), part->rows().end());
    for (const auto& [id, name] : part->names()) names.insert_or_assign(id, name);
    named = named || !part->samples().empty();
    repeated += part->repeated;
  }
  if (named) {
    for (const ManyDecisions* part : parts) {
      samples.insert(samples.end(), part->samples().begin(), part->samples().end());
      if (part->samples().empty()) samples.resize(samples.size() + part->rows().size());
    }
  }
  ManyDecisions made(origin, std::move(rows), {names.begin(), names.end()}, std::move(samples));
  made.repeated = repeated;
  return made;
}

ManyDecisions many_of(const OneDecision& one) {
  return {one.origin, {one.decision}, {{one.decision.category, one.name}},
          one.sample.empty() ? std::vector<std::string>{} : std::vector{one.sample}};
}

ManyDecisions collect(const std::vector<const OneDecision*>& ones) {
  std::vector<ManyDecisions> parts;
  std::vector<const ManyDecisions*> all;
  parts.reserve(ones.size());
  for (const OneDecision* one : ones) parts.push_back(many_of(*one));
  for (const ManyDecisions& part : parts) all.push_back(&part);
  return concatenate(all);
}

}  // namespace

void add_recorded(py::module_& module, py::class_<OneDecision>& one,
                  py::class_<ManyDecisions>& many) {
  many.def("_parts", &take_apart);
  many.def("__add__",
           [](const ManyDecisions& first, const ManyDecisions& second) {
             return concatenate({&first, &second});
           },
           py::is_operator());
  many.def("__reduce__", [](const py::object& self) {
    return py::make_tuple(py::module_::import("pacodiscovery.decisions").attr("_assemble"),
                          take_apart(self));
  });
  many.def(
      "save",
      [](const py::object& self, const py::object& path) {
        py::module_::import("pacodiscovery.decisions").attr("_save")(self, path);
      },
      py::arg("path"), "Writes them as an .npz file, which load_decisions() reads.");
  one.def("__reduce__", [](const OneDecision& self) {
    return py::make_tuple(py::module_::import("operator").attr("getitem"),
                          py::make_tuple(many_of(self), 0));
  });
  module.def("assemble", &assemble);
  module.def("concatenate", &concatenate);
  module.def("collect", &collect);
}

}  // namespace paco::python
