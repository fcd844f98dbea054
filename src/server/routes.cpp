// The table of all calls that the server answers.
#include "server/service.hpp"

namespace paco::server {
namespace {

using Needs = Route::Needs;
using Work = Response (Service::*)(Call&);

const Parameter kLimit{"limit", "at most so many, up to 1000", "integer"};
constexpr std::string_view kAnyBody = "application/octet-stream";
constexpr std::string_view kJsonBody = "application/json";

// Starts of table lines; with() and taking() add to them.
Route line(Verb verb, std::string_view pattern, std::string_view operation, Role role, Needs needs,
           Work work, std::string_view answer, std::string_view summary, int success = 200) {
  Route route{verb, pattern, role, summary};
  route.operation = operation;
  route.needs = needs;
  route.work = work;
  route.answer = answer;
  route.success = success;
  return route;
}

Route with(Route route, std::vector<Parameter> query) {
  route.query = std::move(query);
  return route;
}

Route taking(Route route, std::string_view type, std::string_view schema, bool upload = false) {
  route.body = type;
  route.body_schema = schema;
  route.upload = upload;
  return route;
}

std::vector<Route> server_routes() {
  const auto get = [](std::string_view pattern, std::string_view operation, Role role, Work work,
                      std::string_view answer, std::string_view summary) {
    return line(Verb::get, pattern, operation, role, Needs::nothing, work, answer, summary);
  };
  return {
      get("/", "getPage", Role::none, &Service::page, "text/html", "The page"),
      get("/s/{place}", "getPageAt", Role::none, &Service::page, "text/html",
          "The page, at a place of its own"),
      get("/healthz", "getHealth", Role::none, &Service::health, "Health",
          "Whether the process lives"),
      get("/readyz", "getReadiness", Role::none, &Service::readiness, "Readiness",
          "Whether every stream is open that can be opened"),
      get("/metrics", "getMetrics", Role::read, &Service::metrics, "text/plain",
          "Figures in Prometheus' text form"),
      get("/v1", "getServer", Role::read, &Service::server, "Server",
          "The server, who asks, limits and methods"),
      get("/v1/openapi.json", "getDescription", Role::none, &Service::description, "Description",
          "This description"),
  };
}

std::vector<Route> stream_routes() {
  constexpr std::string_view kOne = "/v1/streams/{name}";
  const auto get = [](std::string_view pattern, std::string_view operation, Work work,
                      std::string_view answer, std::string_view summary) {
    return line(Verb::get, pattern, operation, Role::read, Needs::ready, work, answer, summary);
  };
  const auto make = [](Verb verb, std::string_view pattern, std::string_view operation, Work work,
                       std::string_view answer, std::string_view summary, int success) {
    return line(verb, pattern, operation, Role::operate, Needs::nothing, work, answer, summary,
                success);
  };
  Route suggestions = get("/v1/streams/{name}/suggestions", "getSuggestions", nullptr, "Advice",
                          "What a person might do, and what is unusual");
  suggestions.start = &Service::get_suggestions;
  Route support =
      make(Verb::post, "/v1/streams/{name}/support/samples", "postSupportSamples", nullptr,
           "SupportLabels", "Labelled samples for a new stream, embedded by this server", 200);
  support.start = &Service::post_support;
  return {
      line(Verb::get, "/v1/streams", "listStreams", Role::read, Needs::nothing,
           &Service::list_streams, "StreamList", "All streams"),
      line(Verb::get, kOne, "getStream", Role::read, Needs::stream, &Service::show_stream,
           "StreamDetail", "One stream"),
      with(taking(make(Verb::put, kOne, "putStream", &Service::put_stream, "Stream",
                       "Make a stream from a model file", 201),
                  kAnyBody, "", true),
           {{"method", "the method; without it the model's"},
            {"embeddings", "how many to keep: all, none or a number"},
            {"durability", "full or relaxed"}}),
      with(make(Verb::remove, kOne, "deleteStream", &Service::delete_stream, "Archived",
                "Take a stream out of service", 200),
           {{"journal", "keep (of a stream that is not ready), archive or delete"}}),
      with(line(Verb::post, "/v1/streams/{name}/rename", "renameStream", Role::operate,
                Needs::stream, &Service::rename_stream, "Stream", "Give a stream another name"),
           {{"to", "the new name"}}),
      taking(
          make(Verb::put, "/v1/streams/{name}/support/embeddings", "putSupportEmbeddings",
               &Service::put_support, "SupportRows", "Labelled embeddings for a new stream", 200),
          kAnyBody, "", true),
      taking(make(Verb::put, "/v1/streams/{name}/support/labels", "putSupportLabels",
                  &Service::put_labels, "SupportLabels", "Their labels", 200),
             kAnyBody, "", true),
      with(taking(support, kJsonBody, "LabelledSamples", true),
           {{"anew", "1: forget those that were sent before"}}),
      taking(make(Verb::post, "/v1/streams/{name}/calibrate", "calibrateStream",
                  &Service::calibrate_stream, "Stream",
                  "Make a stream from a support set, in the background", 202),
             kJsonBody, "Calibration", true),
      get("/v1/streams/{name}/model", "getModel", &Service::get_model, kAnyBody, "Its model file"),
      get("/v1/streams/{name}/journal", "getJournal", &Service::get_journal,
          "application/vnd.sqlite3", "The whole journal as it is at this moment"),
      with(get("/v1/streams/{name}/export", "getExport", &Service::get_export, "Manifest text/csv",
               "Its results: a table of samples, or the files of each category"),
           {{"form", "csv or manifest"}}),
      get("/v1/streams/{name}/snapshots", "listSnapshots", &Service::list_snapshots, "SnapshotList",
          "The snapshots in its journal"),
      line(Verb::post, "/v1/streams/{name}/snapshots", "makeSnapshot", Role::operate, Needs::ready,
           &Service::make_snapshot, "Snapshot", "A snapshot now", 201),
      get("/v1/streams/{name}/series", "getSeries", &Service::get_series, "Series",
          "The stream in at most 256 steps"),
      get("/v1/streams/{name}/map", "getMap", &Service::get_map, "PrototypeMap",
          "Its prototypes in two dimensions"),
      get("/v1/streams/{name}/centroids", "getCentroids", &Service::get_centroids, "CentroidList",
          "The unit direction of each category in force"),
      with(get("/v1/streams/{name}/map/samples", "getSampleMap", &Service::get_sample_map,
               "SampleMap", "Some of its samples in two dimensions, neighbours near each other"),
           {{"limit", "so many, evenly along the stream; up to 4000", "integer"}}),
      get("/v1/streams/{name}/recent", "getRecentHour", &Service::get_recent_hour, "RecentHour",
          "The last hour in steps of five seconds, since the server started"),
      with(suggestions, {{"after", "made of at least so many events", "integer"}}),
  };
}

std::vector<Route> sample_routes() {
  const auto get = [](std::string_view pattern, std::string_view operation, Work work,
                      std::string_view answer, std::string_view summary) {
    return line(Verb::get, pattern, operation, Role::read, Needs::ready, work, answer, summary);
  };
  Route post = line(Verb::post, "/v1/streams/{name}/samples", "postSamples", Role::send,
                    Needs::ready, nullptr, "Decisions", "Decide on samples");
  post.start = &Service::post_samples;
  return {
      with(taking(post, kJsonBody, "Samples"),
           {{"brief", "1: only the core of each decision"},
            {"key_prefix", "of an npy body: row i has the key PREFIXi"},
            {"key_first", "... counted from this number on instead of 0", "integer"},
            {"key", "of an image body: its key"},
            {"id", "of an image body: what it is called"}}),
      with(get("/v1/streams/{name}/samples", "listSamples", &Service::list_samples, "SamplePage",
               "Samples page by page"),
           {{"from", "where the page before said 'next'; in stream order a sequence number",
             "integer"},
            kLimit,
            {"sort", "sequence or score"},
            {"order", "oldest or newest first; by score asc or desc"},
            {"verdict", "only those with this verdict"},
            {"category", "only its present members", "integer"},
            {"attribute", "only those with NAME=VALUE; may come several times"},
            {"score_from", "only those with this score or a larger one", "number"},
            {"score_to", "only those with this score or a smaller one", "number"},
            {"time_from", "only those that came then or later, in seconds since 1970", "integer"},
            {"time_to", "only those that came then or earlier", "integer"},
            {"search", "only those with this text in key, id or attributes"},
            {"key", "the sample with this key"}}),
      get("/v1/streams/{name}/samples/{sequence}", "getSample", &Service::show_sample,
          "SampleDetail", "A sample with its explanation and what is near it"),
      get("/v1/streams/{name}/samples/{sequence}/picture", "getPicture", &Service::get_picture,
          "image/jpeg image/png image/webp", "Its picture"),
      with(get("/v1/streams/{name}/events", "getEvents", &Service::get_events, "text/event-stream",
               "Events as they happen (server-sent)"),
           {{"from", "event to begin with; without it the present end", "integer"},
            {"kinds", "of sample, operation, created, status"}}),
  };
}

std::vector<Route> category_routes() {
  const auto get = [](std::string_view pattern, std::string_view operation, Work work,
                      std::string_view answer, std::string_view summary) {
    return line(Verb::get, pattern, operation, Role::read, Needs::ready, work, answer, summary);
  };
  return {
      with(get("/v1/streams/{name}/categories", "listCategories", &Service::list_categories,
               "CategoryPage", "Categories page by page"),
           {{"offset", "how many to pass over", "integer"},
            kLimit,
            {"sort", "id, name, size, answered, birth or newest"},
            {"order", "asc or desc"},
            {"kind", "all, known or discovered"},
            {"search", "text in the name, or the id"},
            {"retired", "yes, no or only"},
            {"merged", "no or yes"},
            {"faces", "the newest so many members of each, up to 8", "integer"}}),
      get("/v1/streams/{name}/categories/{category}", "getCategory", &Service::show_category,
          "CategoryDetail", "A category with its prototypes and the nearest others"),
      get("/v1/streams/{name}/categories/{category}/support/{position}", "getSupportPicture",
          &Service::get_support_picture, "image/jpeg image/png image/webp",
          "A picture of the examples that a known class was calibrated on"),
      with(get("/v1/streams/{name}/categories/{category}/members", "listMembers",
               &Service::list_members, "MemberPage", "Its members page by page"),
           {{"order", "newest, oldest, middle or edge"},
            {"from", "where the page before said 'next'", "integer"},
            kLimit}),
      with(get("/v1/streams/{name}/operations", "listOperations", &Service::list_operations,
               "OperationPage", "Operations, newest first"),
           {kLimit, {"before", "only those before this event", "integer"}}),
      taking(line(Verb::post, "/v1/streams/{name}/operations", "postOperation", Role::operate,
                  Needs::ready, &Service::post_operation, "Outcome", "Change categories"),
             kJsonBody, "Operation"),
      with(line(Verb::post, "/v1/streams/{name}/operations/{event}/undo", "undoOperation",
                Role::operate, Needs::ready, &Service::post_undo, "Outcome",
                "Take an operation back"),
           {{"key", "of the request: repeated, it is answered with what it did"}}),
  };
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> out = server_routes();
    for (auto* part : {&stream_routes, &sample_routes, &category_routes}) {
      std::vector<Route> some = part();
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }();
  return all;
}

}  // namespace paco::server
