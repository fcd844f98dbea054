#include "session/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/common/false_new.hpp"
#include "methods/registry.hpp"

namespace paco::session {
namespace {

using Json = nlohmann::ordered_json;

double rate(const StreamOutcome& outcome) {
  return outcome.seconds > 0 ? static_cast<double>(outcome.samples) / outcome.seconds : 0;
}

std::size_t singletons(const MemoryView& view) {
  std::size_t count = 0;
  for (CategoryId id = 0; id < view.categories.next(); ++id) {
    if (!view.categories.is_live(id)) continue;
    const CategoryInfo info = view.info(id);
    count += !info.known && info.size == 1;
  }
  return count;
}

// Puts "branches.create" into an object "branches".
void put(Json& json, const Statistic& figure) {
  Json* at = &json;
  std::string_view name = figure.name;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    at = &(*at)[std::string(name.substr(0, dot))];
    name.remove_prefix(dot + 1);
  }
  Json& value = (*at)[std::string(name)];
  if (figure.whole) {
    value = static_cast<std::int64_t>(figure.value);
  } else {
    value = figure.value;
  }
}

// The figures of a method as text: those of one group on one line, as shares of all samples.
std::string statistics_text(const std::vector<Statistic>& figures, std::uint64_t samples) {
  std::string text;
  const double all = std::max<double>(1, static_cast<double>(samples));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::size_t dot = figures[i].name.find('.');
    if (dot == std::string::npos) {
      text += figures[i].whole ? fmt::format("{:<18} {:.0f}\n", figures[i].name, figures[i].value)
                               : fmt::format("{:<18} {:.6f}\n", figures[i].name, figures[i].value);
      continue;
    }
    const std::string group = figures[i].name.substr(0, dot + 1);
    text += fmt::format("{:<18}", group.substr(0, dot));
    for (; i < figures.size() && figures[i].name.starts_with(group); ++i) {
      text += fmt::format(" {} {:.1f} %", figures[i].name.substr(group.size()),
                          100 * figures[i].value / all);
      if (i + 1 < figures.size() && figures[i + 1].name.starts_with(group)) text += ",";
    }
    --i;
    text += "\n";
  }
  return text;
}

std::string reference_text(const Model& model) {
  const ReferenceQuality &p = model.prototype_quality, &c = model.classifier_quality;
  std::string text = fmt::format("reference      {}", reference_choice_name(model.reference));
  text += fmt::format("  (support accuracy {:.4f}, mean margin {:.4f}", p.accuracy, p.mean_margin);
  if (c.available)
    text += fmt::format(" as prototypes; {:.4f}, {:.4f} as classifier", c.accuracy, c.mean_margin);
  return text + ")\n";
}

methods::SectionSummary section_summary(const Model& model) {
  methods::SectionSummary out{Json::object(), ""};
  const auto method = methods::find_method(model.method);
  if (!method.ok()) return out;
  if ((*method)->summarise != nullptr) {
    auto made = (*method)->summarise(model);
    return made.ok() ? std::move(made).value() : out;
  }
  const auto section = model.section((*method)->info.section);
  if (!section.ok()) return out;
  for (const auto& [name, value] : (*section)->numbers) {
    if (name.starts_with(methods::kFalseNewPrefix)) continue;
    out.json[name] = value;
    out.text += fmt::format("{:<28}  {:.6f}\n", name, value);
  }
  return out;
}

Json false_new_json(const FalseNew& promise) {
  Json json = {{"rate", promise.rate},
               {"gate", promise.gate},
               {"samples", promise.samples},
               {"kept_apart", promise.kept_apart},
               {"live", promise.live},
               {"expected", promise.live ? Json() : Json(promise.expected())},
               {"bound_90", promise.live ? Json() : Json(promise.bound(0.9))}};
  json["price"] = promise.pseudo_streams == 0
                      ? Json()
                      : Json{{"pseudo_streams", promise.pseudo_streams},
                             {"strict_all", promise.with.strict_all},
                             {"strict_all_without", promise.without.strict_all},
                             {"called_new", promise.with.called_new},
                             {"called_new_without", promise.without.called_new}};
  return json;
}

std::string false_new_text(const FalseNew& promise) {
  std::string text = fmt::format(
      "false new      with {:g} % confidence at most {:g} % of the samples of known classes are "
      "called new:\n               from cosine {:.4f} on a sample stays with its known class; "
      "expected {:.2f} %\n",
      100 * FalseNew::kConfidence, 100 * promise.rate, promise.gate, 100 * promise.expected());
  if (promise.live) {
    text = fmt::format(
        "false new      at most {:g} % of the samples of known classes are called new: known "
        "cosines "
        "from {:.4f} on\n               get a bonus that follows the stream; measured on {} "
        "cross-validated samples, not proved\n",
        100 * promise.rate, promise.gate, promise.samples);
  }
  if (!promise.live)
    text += promise.kept_apart
                ? fmt::format(
                      "               it holds for samples of the same source as the {} kept "
                      "apart, in any order\n",
                      promise.samples)
                : fmt::format(
                      "               it rests on {} cross-validated samples: measured, not "
                      "proved; --held-out proves it\n",
                      promise.samples);
  if (promise.pseudo_streams == 0)
    return text + "price          not judged: too few labelled samples for pseudo-streams\n";
  return text + fmt::format(
                    "price          Strict All {:.1f} % instead of {:.1f} %, called new {:.2f} % "
                    "instead of {:.2f} %, by {} pseudo-streams\n",
                    100 * promise.with.strict_all, 100 * promise.without.strict_all,
                    100 * promise.with.called_new, 100 * promise.without.called_new,
                    promise.pseudo_streams);
}

}  // namespace

Json stream_summary_json(Session& session, const StreamOutcome& outcome) {
  const auto view = session.view();
  Json json;
  json["method"] = session.method().name();
  json["samples"] = outcome.samples;
  json["samples_in_state"] = view->samples;
  json["known_classes"] = view->known;
  json["categories"] = view->discovered;
  json["singletons"] = singletons(*view);
  for (const Statistic& figure : session.method().statistics()) put(json, figure);
  json["repeated"] = outcome.repeated;
  json["skipped"] = outcome.skipped;
  json["interrupted"] = outcome.interrupted;
  json["seconds"] = outcome.seconds;
  json["deciding_seconds"] = outcome.deciding_seconds;
  json["samples_per_second"] = rate(outcome);
  return json;
}

std::string stream_summary_text(Session& session, const StreamOutcome& outcome) {
  const auto view = session.view();
  std::string text =
      fmt::format("{} samples in {:.2f} s ({:.0f} a second), {} known classes, {} categories\n",
                  outcome.samples, outcome.seconds, rate(outcome), view->known, view->discovered);
  if (outcome.repeated > 0)
    text += fmt::format("{:<18} {} samples, by their key\n", "answered again", outcome.repeated);
  if (outcome.skipped > 0) text += fmt::format("{:<18} {} bad rows\n", "skipped", outcome.skipped);
  text += fmt::format("{:<18} {} categories\n", "of one sample", singletons(*view));
  return text + statistics_text(session.method().statistics(), view->samples);
}

Json calibration_json(const Model& model) {
  Json json;
  json["method"] = model.method;
  json.update(section_summary(model).json);
  if (const auto promise = false_new_of(model)) json["false_new"] = false_new_json(*promise);
  json["reference"] = reference_choice_name(model.reference);
  const auto quality = [](const ReferenceQuality& q) {
    return q.available ? Json{{"accuracy", q.accuracy}, {"mean_margin", q.mean_margin}} : Json();
  };
  json["reference_quality"] = {{"prototype", quality(model.prototype_quality)},
                               {"classifier", quality(model.classifier_quality)}};
  const auto leader = model.section("leader");
  if (leader.ok()) {
    const auto threshold = (*leader)->number("leader");
    if (threshold.ok()) json["tau_leader"] = *threshold;
  }
  json["known_classes"] = model.known_classes();
  json["dimension"] = model.dimension;
  json["fingerprint"] = model.fingerprint();
  json["embedding"] = Json();
  if (model.embedding) json["embedding"] = Json::parse(embedding_record_to_json(*model.embedding));
  return json;
}

std::string calibration_text(const Model& model) {
  std::string text = fmt::format("method         {}\n", model.method) + reference_text(model) +
                     section_summary(model).text;
  if (model.embedding)
    text += fmt::format("embedded by    {}, {}\n", model.embedding->encoder,
                        model.embedding->preprocessing);
  if (const auto promise = false_new_of(model)) text += false_new_text(*promise);
  return text;
}

Json category_json(const MemoryView& view, CategoryId id) {
  const CategoryInfo info = view.info(id);
  const CategoryId now = view.categories.now(id);
  // A class of the support set remains known even if its references were moved to another category.
  const bool known = info.known || id < static_cast<CategoryId>(view.categories.known_classes());
  return {{"id", id},
          {"name", info.name},
          {"kind", known ? "known" : "discovered"},
          {"now", now},
          {"retired", info.retired},
          {"size", info.size},
          {"answered", info.answered},
          {"verified", info.verified},
          {"birth", info.birth},
          {"resultant_length",
           std::isnan(info.resultant_length) ? Json() : Json(info.resultant_length)},
          {"prototypes", info.prototypes}};
}

std::string category_table(const MemoryView& view, std::span<const CategoryId> ids) {
  std::size_t width = 4;
  for (const CategoryId id : ids) width = std::max(width, view.categories.name(id).size());
  width = std::min<std::size_t>(width, 40);
  std::string text = fmt::format("{:>8}  {:<{}}  {:<10}  {:>9}  {:>9}  {:>6}  {}\n", "id", "name",
                                 width, "kind", "size", "answered", "spread", "prototypes");
  for (const CategoryId id : ids) {
    const CategoryInfo info = view.info(id);
    const CategoryId now = view.categories.now(id);
    std::string kind = info.known ? "known" : "discovered";
    if (now != id) kind = fmt::format("in {}", now);
    if (info.retired) kind = "retired";
    text += fmt::format("{:>8}  {:<{}}  {:<10}  {:>9}  {:>9}  {:>6}  {}\n", id, info.name, width,
                        kind, info.size, info.answered,
                        std::isnan(info.resultant_length)
                            ? std::string("-")
                            : fmt::format("{:.3f}", 1 - info.resultant_length),
                        fmt::join(info.prototypes, " "));
  }
  return text;
}

}  // namespace paco::session
