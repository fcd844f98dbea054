// Functions on finished streams and on other methods: evaluation, thresholds for any host method,
// the report.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <exception>
#include <nlohmann/json.hpp>

#include "methods/common/option_names.hpp"
#include "arrays.hpp"
#include "decisions.hpp"
#include "evaluate/stream_outline.hpp"
#include "evaluate/evaluation.hpp"
#include "report/summary.hpp"
#include "module.hpp"
#include "paco/self_calibration.hpp"
#include "report/report.hpp"
#include "report/sections.hpp"

namespace paco::python {
namespace {

using Ids = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

Tie tie_of(const std::string& name) {
  const auto tie = methods::kTies.value(name);
  if (!tie) {
    raise({ErrorCode::bad_argument, fmt::format("there is no tie '{}'", name),
           "mid, low or high"});
  }
  return *tie;
}

py::object cell_object(const report::Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return py::int_(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return py::float_(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return py::str(*text);
  return py::none();
}

// (key, title, column keys, column headings, display format of each column, rows)
py::tuple table_tuple(const report::Table& table) {
  static constexpr std::array<const char*, 4> kShows{"text", "integer", "share", "number"};
  py::list keys, headings, shows, rows;
  for (const report::Column& column : table.columns) {
    keys.append(column.key);
    headings.append(column.heading);
    shows.append(kShows.at(static_cast<std::size_t>(column.show)));
  }
  for (const auto& row : table.rows) {
    py::list cells;
    for (const report::Cell& cell : row) cells.append(cell_object(cell));
    rows.append(cells);
  }
  return py::make_tuple(table.key, table.title, keys, headings, shows, rows);
}

py::tuple evaluated(const Ids& predicted, const Ids& truth, std::int64_t known, const Ids& closed,
                    const std::vector<std::string>& class_names,
                    const std::vector<std::string>& cluster_names, const std::string& keep,
                    int resamples, std::uint64_t seed, double confidence) {
  evaluate::EvaluationInput input;
  input.predicted = span_of(predicted);
  input.truth = span_of(truth);
  input.closed = span_of(closed);
  input.known_classes = known;
  input.class_names = class_names;
  input.cluster_names = cluster_names;
  evaluate::EvaluationOptions options;
  if (keep != evaluate::keep_name(evaluate::Keep::top) && keep != evaluate::keep_name(evaluate::Keep::all)) {
    raise({ErrorCode::bad_argument, fmt::format("keep is '{}'", keep), "'top' or 'all'"});
  }
  options.keep = keep == evaluate::keep_name(evaluate::Keep::all) ? evaluate::Keep::all : evaluate::Keep::top;
  options.resamples = resamples;
  options.seed = seed;
  options.confidence = confidence;
  const evaluate::Evaluation evaluation = take(
      interruptible([&](std::stop_token stop) { return evaluate::evaluate(input, options, stop); }));
  py::list tables;
  for (const report::Table& table : report::evaluation_tables(evaluation)) tables.append(table_tuple(table));
  using Json = nlohmann::ordered_json;
  return py::make_tuple(
      report::evaluation_json(evaluation).dump(-1, ' ', false, Json::error_handler_t::replace),
      report::evaluation_text(evaluation), tables);
}

// The functions of the host are written in Python. An exception from one of them ends the replay
// and is raised again.
py::tuple threshold_by_replay(const Ids& labels, const py::function& forget,
                              const py::function& score, const py::function& add, int passes,
                              std::uint32_t seed, const std::string& tie) {
  std::exception_ptr raised;
  const auto guarded = [&](auto call) -> decltype(call()) {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return call();
    } catch (const py::error_already_set&) {
      raised = std::current_exception();
    } catch (const py::cast_error&) {
      raised = std::make_exception_ptr(py::type_error("the score must be a number"));
    }
    return Error{ErrorCode::interrupted, "the host raised", ""};
  };
  const ReplayHost host{
      [&] {
        return guarded([&]() -> Result<void> {
          forget();
          return {};
        });
      },
      [&](std::size_t sample) {
        return guarded([&]() -> Result<double> { return score(sample).cast<double>(); });
      },
      [&](std::size_t sample, std::int64_t label) {
        return guarded([&]() -> Result<void> {
          add(sample, label);
          return {};
        });
      }};
  const auto threshold =
      calibrate_by_replay(span_of(labels), host, {passes, seed, tie_of(tie)});
  if (raised) std::rethrow_exception(raised);
  return threshold_tuple(take(threshold));
}

std::string report_page(const ManyDecisions& decisions, const ModelPointer& model,
                        const std::string& method, const Settings& settings,
                        const std::string& title, const std::vector<std::string>& ids,
                        const Ids& truth, const std::vector<std::string>& truth_names) {
  const std::size_t rows = decisions.rows().size();
  if (!ids.empty() && ids.size() != rows) {
    raise({ErrorCode::bad_shape, fmt::format("{} ids for {} decisions", ids.size(), rows),
           "give one for every decision, or none"});
  }
  if (decisions.origin()->fingerprint() != model->fingerprint()) {
    raise({ErrorCode::mismatch, "the decisions were made with another model",
           "give the model of the session that decided, session.model"});
  }
  const auto described = take(make_method(method, model, {1, settings}));
  report::ReportInput input;
  input.title = title;
  input.known_classes = model->known_classes();
  input.model = model.get();
  input.method = described.get();
  for (const EvidenceField& field : described->info().evidence) {
    input.fields.push_back({std::string(field.name),
                            std::string(field.unit),
                            std::string(field.meaning),
                            {field.choices.begin(), field.choices.end()}});
  }
  std::vector<CategoryId> predicted;
  std::vector<report::ReportSample> samples;
  input.stream = report::StreamTotals(input.fields, report::fields_with_threshold(input));
  std::vector<std::string> names(input.known_classes + decisions.rows().size());
  for (std::size_t i = 0; i < decisions.rows().size(); ++i) {
    const Decision& d = decisions.rows()[i];
    if (i > 0) take(evaluate::check_follows(decisions.rows()[i - 1].sequence, d.sequence, "the decisions"));
    samples.push_back(
        {d, ids.empty() ? decisions.sample_name(i) : ids[i], decisions.name(d.category)});
    input.stream.see(samples.back());
    predicted.push_back(d.category);
    if (static_cast<std::size_t>(d.category) < names.size())
      names[static_cast<std::size_t>(d.category)] = decisions.name(d.category);
  }
  const report::KeptSamples kept(std::move(samples));
  input.samples = &kept;
  evaluate::Evaluation evaluation;
  const auto labels = span_of(truth);
  const auto page = interruptible([&](std::stop_token stop) -> Result<std::string> {
    if (!labels.empty()) {
      evaluate::EvaluationInput judged;
      judged.predicted = predicted;
      judged.truth = labels;
      judged.known_classes = static_cast<std::int64_t>(input.known_classes);
      judged.class_names = truth_names;
      judged.cluster_names = names;
      auto made = evaluate::evaluate(judged, {}, stop);
      if (!made.ok()) return made.error();
      evaluation = std::move(*made);
      input.evaluation = &evaluation;
      input.truth.assign(labels.begin(), labels.end());
      input.truth_names = truth_names;
    }
    return report::render_report(input, {}, stop);
  });
  return take(page);
}

}  // namespace

py::tuple threshold_tuple(const ThresholdEvidence& t) {
  const auto array = [](const std::vector<float>& values) {
    return array_of(std::span<const float>(values));
  };
  return py::make_tuple(t.value, t.balanced_accuracy, t.interval_low, t.interval_high,
                        array(t.positives), array(t.negatives));
}

void add_studies(py::module_& module) {
  module.def("evaluate", &evaluated);
  module.def("calibrate_threshold",
             [](const Numbers& positives, const Numbers& negatives, const std::string& tie) {
               return threshold_tuple(take(
                   calibrate_threshold(span_of(positives), span_of(negatives), tie_of(tie))));
             });
  module.def("calibrate_by_replay", &threshold_by_replay);
  module.def("report", &report_page);
}

}  // namespace paco::python
