#include "server/views.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "paco/false_new.hpp"
#include "server/call.hpp"
#include "session/summary.hpp"

namespace paco::server {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

std::string_view verdict_of(const io::DecidedSample& sample) {
  return verdict_name(sample.verdict);
}

void append_number(std::string& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    out += "null";
  }
}

void append_evidence(std::string& out, const Decision& d, const MethodInfo& method) {
  out += ",\"evidence\":{";
  for (std::size_t i = 0; i < method.evidence.size(); ++i) {
    const EvidenceField& field = method.evidence[i];
    fmt::format_to(std::back_inserter(out), "{}\"{}\":", i == 0 ? "" : ",", field.name);
    const double value = d.evidence[i];
    if (!field.choices.empty() && value >= 0 && value < static_cast<double>(field.choices.size())) {
      append_json_text(out, field.choices[static_cast<std::size_t>(value)]);
    } else {
      append_number(out, value);
    }
  }
  out += '}';
}

Json attributes_json(const journal::Extras& extras) {
  if (extras.attributes.empty()) return Json::object();
  Json parsed = Json::parse(extras.attributes, nullptr, false);
  return parsed.is_object() ? parsed : Json::object();
}

journal::Extras extras_of(journal::JournalReader& journal, std::uint64_t sequence) {
  Result<journal::Extras> found = journal.extras(sequence, false);
  return found.ok() ? std::move(found).value() : journal::Extras{};
}

Json time_of(journal::JournalReader& journal, std::uint64_t sequence) {
  const auto time = journal.arrival(sequence);
  return time.ok() && *time ? Json(**time) : Json();
}

}  // namespace

std::string decisions_text(const SampleAnswer& a, const MethodInfo& method, bool brief) {
  const Categories& categories = a.after->view->categories;
  std::string out = "{\"decisions\":[";
  out.reserve(a.decisions.size() * (brief ? 100 : 420) + 32);
  for (std::size_t i = 0; i < a.decisions.size(); ++i) {
    const Decision& d = a.decisions[i];
    if (i > 0) out += ',';
    fmt::format_to(std::back_inserter(out),
                   "{{\"sequence\":{},\"category\":{},\"name\":", d.sequence, d.category);
    append_json_text(out, categories.name(d.category));
    fmt::format_to(std::back_inserter(out),
                   ",\"verdict\":\"{}\",\"key\":", verdict_name(d.verdict));
    if (a.samples->keys.empty() || a.samples->keys[i].empty()) {
      out += "null";
    } else {
      append_json_text(out, a.samples->keys[i]);
    }
    if (!brief) {
      fmt::format_to(std::back_inserter(out),
                     ",\"event\":{},\"now\":{},\"prototype\":{},\"repeated\":{},\"score\":",
                     a.events[i], categories.now(d.category), d.prototype, a.repeated[i] != 0);
      append_number(out, d.score);
      out += ",\"threshold\":";
      append_number(out, d.threshold);
      fmt::format_to(std::back_inserter(out), ",\"runner_up\":{}", d.runner_up);
      append_evidence(out, d, method);
    }
    out += '}';
  }
  return out + "]}";
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json evidence_json(std::span<const double> evidence, const MethodInfo& method) {
  Json out = Json::object();
  for (std::size_t i = 0; i < std::min(evidence.size(), method.evidence.size()); ++i) {
    const EvidenceField& field = method.evidence[i];
    const bool is_choice = !field.choices.empty() && evidence[i] >= 0 &&
                           evidence[i] < static_cast<double>(field.choices.size());
    out[std::string(field.name)] = is_choice
                                       ? Json(field.choices[static_cast<std::size_t>(evidence[i])])
                                       : number_json(evidence[i]);
  }
  return out;
}

CategoryId category_now(const io::DecidedSample& s, const MemoryView& view,
                        journal::JournalReader& journal) {
  const Categories& categories = view.categories;
  const auto where = journal.membership(s.sequence);
  if (where.ok() && *where) {
    const auto p = static_cast<std::size_t>((*where)->prototype);
    if (p < view.prototypes.size() && view.prototypes[p].owner != kNoId)
      return view.prototypes[p].owner;
  }
  return categories.has(s.category) ? categories.now(s.category) : s.category;
}

Json sample_json(const io::DecidedSample& s, const MemoryView& view,
                 journal::JournalReader& journal) {
  const auto name = [&](CategoryId id) { return view.categories.name(id); };
  const CategoryId member_of = category_now(s, view, journal);
  const journal::Extras extras = extras_of(journal, s.sequence);
  return {{"sequence", s.sequence},
          {"event", s.event},
          {"category", s.category},
          {"name", name(s.category)},
          {"verdict", verdict_of(s)},
          {"now", member_of},
          {"now_name", name(member_of)},
          {"prototype", s.prototype},
          {"member_of", member_of},
          {"verified", view.is_verified(s.sequence)},
          {"key", text_or_null(s.key)},
          {"id", text_or_null(s.sample)},
          {"score", number_json(s.score)},
          {"threshold", number_json(s.threshold)},
          {"time", time_of(journal, s.sequence)},
          {"runner_up", s.runner_up},
          {"runner_up_name", name(s.runner_up)},
          {"attributes", attributes_json(extras)},
          {"picture", extras.has_picture}};
}

Json event_json(const io::DecidedSample& s, const MemoryView& view,
                journal::JournalReader& journal) {
  const journal::Extras extras = extras_of(journal, s.sequence);
  return {{"sequence", s.sequence},
          {"event", s.event},
          {"category", s.category},
          {"name", view.categories.name(s.category)},
          {"verdict", verdict_of(s)},
          {"key", text_or_null(s.key)},
          {"id", text_or_null(s.sample)},
          {"score", number_json(s.score)},
          {"threshold", number_json(s.threshold)},
          {"time", time_of(journal, s.sequence)},
          {"picture", extras.has_picture},
          {"attributes", attributes_json(extras)}};
}

Json face_json(std::uint64_t sequence, journal::JournalReader& journal) {
  const journal::Extras extras = extras_of(journal, sequence);
  const auto sample = journal.sample(sequence);
  const bool found = sample.ok() && sample->has_value();
  return {{"sequence", sequence},
          {"key", found ? text_or_null((*sample)->key) : Json()},
          {"id", found ? text_or_null((*sample)->sample) : Json()},
          {"picture", extras.has_picture},
          {"attributes", attributes_json(extras)}};
}

Json category_view(const MemoryView& view, const Stream& stream, CategoryId id) {
  Json json = session::category_json(view, id);
  json["support_pictures"] = stream.support_pictures(id);
  const auto newest =
      stream.members().page(view.categories[id].prototypes, ~std::uint64_t{0}, 1, true);
  json["newest"] = newest.empty() ? Json() : Json(newest[0]);
  const bool support = id < static_cast<CategoryId>(view.categories.known_classes());
  bool promoted = false;
  for (const PrototypeId p : view.categories[id].prototypes) {
    promoted = promoted || (p >= static_cast<PrototypeId>(view.categories.known_classes()) &&
                            view.prototypes[static_cast<std::size_t>(p)].reference);
  }
  json["promoted"] = promoted;
  if (support) json["birth"] = nullptr;
  return json;
}

Json operation_view(const journal::OperationRow& row) {
  const Json outcome = Json::parse(row.outcome, nullptr, false);
  const auto part = [&](const char* key) {
    return outcome.is_object() && outcome.contains(key) ? outcome[key] : Json();
  };
  const Json category = part("category");
  return {{"event", row.event},
          {"sequence", row.sequence},
          {"kind", row.kind},
          {"category", category.is_number_integer() && category >= 0 ? category : Json()},
          {"text", part("text")},
          {"time", row.time},
          {"actor", row.actor},
          {"request", Json::parse(row.request, nullptr, false)},
          {"undoes", row.undoes ? Json(*row.undoes) : Json()}};
}

Json error_json(const Error& error) {
  return {{"code", error_code_name(error.code)}, {"message", error.message}, {"hint", error.hint}};
}

Json embedding_json(const EmbeddingRecord& record) {
  return Json::parse(embedding_record_to_json(record));
}

Json stream_json(Stream& stream) {
  const StreamStatus status = stream.status();
  Json json = {{"name", stream.name()}, {"state", stream_state_name(status.state)}};
  const bool ready = stream.ready();
  const auto now = ready ? stream.worker().published() : nullptr;
  std::uint64_t retired = 0;
  if (ready) {
    for (CategoryId id = 0; id < now->view->categories.next(); ++id)
      retired += now->view->categories.is_live(id) && now->view->categories[id].retired;
  }
  json["method"] = ready ? Json(stream.method().name) : Json();
  json["dimension"] = ready ? Json(stream.model().dimension) : Json();
  json["embedding"] =
      ready && stream.model().embedding ? embedding_json(*stream.model().embedding) : Json();
  json["samples"] = ready ? now->view->samples : 0;
  json["events"] = ready ? now->events : 0;
  json["known"] = ready ? now->view->known : 0;
  json["discovered"] = ready ? now->view->discovered : 0;
  json["retired"] = retired;
  json["rate"] = ready ? stream.rate() : 0.0;
  json["created"] = ready ? Json(stream.created()) : Json();
  const auto advice = ready ? stream.advice().last() : nullptr;
  json["warnings"] = advice == nullptr ? 0 : advice->insight.warnings.size();
  json["suggestions"] = advice == nullptr ? 0 : advice->insight.suggestions.size();
  json["error"] = status.error ? error_json(*status.error) : Json();
  json["progress"] = status.state == StreamState::calibrating
                         ? Json{{"done", status.done}, {"total", status.total}}
                         : Json();
  return json;
}

Json false_new_json(const Model& model, std::string_view method) {
  const std::optional<FalseNew> promise = false_new_of(model, method);
  if (!promise) return nullptr;
  const auto outcome = [&](const FalseNew::Outcome& one) {
    return promise->pseudo_streams == 0
               ? Json()
               : Json{{"strict_all", one.strict_all}, {"called_new", one.called_new}};
  };
  return {{"rate", promise->rate},
          {"expected", promise->expected()},
          {"samples", promise->samples},
          {"with", outcome(promise->with)},
          {"without", outcome(promise->without)}};
}

Json statistics_json(const std::vector<Statistic>& figures) {
  Json json = Json::object();
  for (const Statistic& figure : figures) {
    Json* at = &json;
    std::string_view name = figure.name;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
      at = &(*at)[std::string(name.substr(0, dot))];
      name.remove_prefix(dot + 1);
    }
    (*at)[std::string(name)] =
        figure.whole ? Json(static_cast<std::int64_t>(figure.value)) : number_json(figure.value);
  }
  return json;
}

}  // namespace paco::server
