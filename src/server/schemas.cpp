// The shapes of bodies and answers for the API description (GET /v1/openapi.json), written in a
// short notation and converted to JSON Schema.
//
//   Name: field type, field type, ...
//
// A type is text, integer, number, boolean, scalar (any of these), any, the name of another shape,
// [T] for a list, {T} for a map by name, or one(a b c); T~ may be null. A field with ? may be
// absent. `...Name` includes the fields of another shape. A shape that is one(a b c) is an
// enumeration of words.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/service.hpp"

namespace paco::server {
namespace {

using Schema = nlohmann::ordered_json;

constexpr std::string_view kShapes = R"(
Error: error Problem
Problem: code text, message text, hint text, row? integer
Verdict: one(known existing created tentative)
Health: status text
Readiness: status one(ready opening), streams? {text}
Description: openapi text, paths {any}
Server: version text, page boolean, user User, tokens boolean, streams integer, limits Limits, encoder Encoder~, methods [MethodSummary]
Encoder: ...Embedding, kind one(images texts)
Embedding: encoder text, weights text, preprocessing text, precision text, dimension integer
User: name text, role one(read send operate)
Limits: body integer, upload integer, samples integer, picture integer, attributes integer, image integer, image_pixels integer
MethodSummary: name text, summary text, options [MethodOption]
MethodOption: name text, default text, meaning text
StreamList: streams [Stream]
Stream: name text, state one(opening calibrating ready failed), method text~, dimension integer~, embedding Embedding~, samples integer, events integer, known integer, discovered integer, retired integer, rate number, created number~, warnings integer, suggestions integer, error Problem~, progress Progress~
Progress: done integer, total integer
StreamDetail: ...Stream, figures? {any}, evidence? [EvidenceField], operations? [text], embeddings_kept? boolean, false_new? FalseNew~, delays? Delays, journal? JournalSize
FalseNew: rate number, expected number, samples integer, with FalseNewOutcome~, without FalseNewOutcome~
FalseNewOutcome: strict_all number, called_new number
EvidenceField: name text, unit text, meaning text, choices [text]
Delays: count integer, p50_ms number~, p99_ms number~
JournalSize: bytes integer, durability one(full relaxed)
Archived: archived text
SupportRows: rows integer, dimension integer
SupportLabels: rows integer, classes integer
LabelledSamples: samples [LabelledSample]
LabelledSample: ...Sample, label text
Calibration: method? text, settings? {any}, false_new? number, embeddings? any, durability? one(full relaxed), support? Support
Support: embeddings [[number]], labels [any]
Manifest: stream text, samples integer, categories [ManifestCategory]
ManifestCategory: category integer, name text, files [text]
SnapshotList: snapshots [Snapshot]
Snapshot: event integer, sequence integer, digest text, size integer
Series: width integer, samples integer, steps [Step]
Step: from integer, count integer, verdicts VerdictCounts, choices {{integer}}, categories integer, means {number~}
VerdictCounts: known integer, existing integer, created integer, tentative integer
RecentHour: now number, width integer, steps [RecentStep]
RecentStep: time integer, samples integer, births integer, p50_ms number~, p99_ms number~
PrototypeMap: event integer, points [MapPoint], explained [number]
MapPoint: prototype integer, category integer, name text, x number, y number, size integer, known boolean
CentroidList: event integer, centroids [Centroid]
Centroid: category integer, name text, direction [number]
SampleMap: samples integer, points [SampleMapPoint]
SampleMapPoint: ...Face, x number, y number, category integer, name text, verdict Verdict, verified boolean
Advice: event integer, suggestions [Suggestion], warnings [Warning], names? {text}
Suggestion: id text, kind one(merge name look), reason text, strength number, operation Operation~, categories [integer], samples [integer]
Warning: id text, kind text, text text, category integer~, since integer
Samples: samples [Sample]
Sample: embedding? [number], image? text, text? text, key? text, id? text, attributes? {any}, picture? text
Decisions: decisions [Decision]
Decision: sequence integer, category integer, name text, verdict Verdict, key text~, event? integer, now? integer, prototype? integer, repeated? boolean, score? number~, threshold? number~, runner_up? integer, evidence? {any}
SampleEvent: sequence integer, event integer, category integer, name text, verdict Verdict, key text~, id text~, score number~, threshold number~, time integer~, picture boolean, attributes {scalar~}
SampleView: ...SampleEvent, now integer, now_name text, prototype integer, member_of integer, verified boolean, runner_up integer, runner_up_name text, cosine? number
SamplePage: total integer, samples [SampleView], next integer~
SampleDetail: ...SampleView, evidence {scalar~}, explanation text, runner_ups [Near], neighbours [Neighbour]
Near: category integer, name text, cosine number
Face: sequence integer, key text~, id text~, picture boolean, attributes {scalar~}
Neighbour: ...Face, ...Near
CategoryPage: total integer, offset integer, event integer, categories [Category]
Category: id integer, name text, kind one(known discovered), now integer, retired boolean, size integer, answered integer, verified integer, birth integer~, resultant_length number~, prototypes [integer], newest integer~, promoted boolean, support_pictures integer, faces? [Face], keywords? [text], suggested_name? text~, like? Near~
CategoryDetail: ...Category, parts [Part], nearest [Near]
Part: prototype integer, size integer, birth integer, resultant_length number~, reference boolean, competing boolean
MemberPage: total integer, members [SampleView], next integer~
OperationPage: operations [Outcome], next integer~
Operation: kind one(rename merge separate move promote demote retire revive verify undo), category? integer, categories? [integer], into? any, samples? [integer], prototypes? [integer], name? text, event? integer, actor? text, key? text
Outcome: event integer, sequence integer, kind text, category integer~, text text, time number, actor text, request any, undoes integer~, undone_by? integer~
)";

Schema named(std::string_view name) {
  if (name == "any") return Schema::object();
  if (name == "scalar") {
    Schema kinds = Schema::array();
    for (const char* kind : {"string", "number", "boolean"}) kinds.push_back({{"type", kind}});
    return {{"anyOf", std::move(kinds)}};
  }
  if (name == "text") return {{"type", "string"}};
  if (name == "integer" || name == "number" || name == "boolean") return {{"type", name}};
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

Schema type_of(std::string_view text) {
  if (text.ends_with('~')) {
    Schema inner = type_of(text.substr(0, text.size() - 1));
    // JSON Schema ignores everything beside a reference.
    if (inner.contains("$ref")) inner = {{"allOf", Schema::array({inner})}};
    inner["nullable"] = true;
    return inner;
  }
  const std::string_view inside = text.size() > 2 ? text.substr(1, text.size() - 2) : "";
  if (text.starts_with('[')) return {{"type", "array"}, {"items", type_of(inside)}};
  if (text.starts_with('{')) return {{"type", "object"}, {"additionalProperties", type_of(inside)}};
  if (!text.starts_with("one(")) return named(text);
  Schema words = Schema::array();
  std::string_view rest = text.substr(4, text.size() - 5);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {{"type", "string"}, {"enum", std::move(words)}};
}

// "field type, field type"
Schema shape_of(std::string_view fields) {
  if (fields.starts_with("one(")) return type_of(fields);
  Schema required = Schema::array(), properties = Schema::object(), bases = Schema::array();
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find(", "), fields.size());
    const std::string_view one = fields.substr(0, end);
    fields.remove_prefix(std::min(end + 2, fields.size()));
    if (one.starts_with("...")) {
      bases.push_back(named(one.substr(3)));
      continue;
    }
    std::string name(one.substr(0, one.find(' ')));
    const bool is_optional = name.ends_with('?');
    if (is_optional) name.pop_back();
    if (!is_optional) required.push_back(name);
    properties[name] = type_of(one.substr(one.find(' ') + 1));
  }
  Schema out = {{"type", "object"}};
  if (!required.empty()) out["required"] = std::move(required);
  if (!properties.empty()) out["properties"] = std::move(properties);
  if (bases.empty()) return out;
  bases.push_back(std::move(out));
  return {{"allOf", std::move(bases)}};
}

}  // namespace

Schema schemas() {
  Schema out = Schema::object();
  std::string_view rest = kShapes;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t colon = line.find(": ");
    if (colon != std::string_view::npos)
      out[std::string(line.substr(0, colon))] = shape_of(line.substr(colon + 2));
  }
  return out;
}

}  // namespace paco::server
