// The API: its calls, who may make them, and what they do. The listener passes requests in. Every
// call is one line of the table in routes.cpp, which is also the source of the API description (GET
// /v1/openapi.json).
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/call.hpp"
#include "server/histogram.hpp"
#include "server/http.hpp"
#include "server/listener.hpp"
#include "server/log.hpp"
#include "server/streams.hpp"
#include "server/support_sets.hpp"
#include "server/tokens.hpp"

namespace paco::server {

class EmbeddingQueue;
}  // namespace paco::server

namespace paco::core {
class RandomFile;
}  // namespace paco::core

namespace paco::server {

struct ServiceOptions {
  std::string folder;
  std::string version;
  std::optional<Tokens> tokens;  // if absent, everybody may make all calls
  bool loopback = true;          // reachable from this machine only: requests must name it as host
  JournalOptions::Durability durability = JournalOptions::Durability::full;
  bool own_streams = true;  // the folder's journals belong to this server; false: streams are added
  std::uint64_t body_bytes = std::uint64_t{64} << 20;
  std::uint64_t upload_bytes = std::uint64_t{1} << 30;  // of models and support sets
  SampleLimits samples;
  std::shared_ptr<EmbeddingQueue> encoder;  // null: only embeddings are taken
  std::shared_ptr<Log> log;                 // null: no log
};

class Service;

struct Parameter {
  std::string_view name, meaning, type = "string";
};

struct Route {
  Verb verb;
  std::string_view pattern;  // "/v1/streams/{name}/samples"
  Role role;                 // none: needs no token
  std::string_view summary;
  std::string_view operation = {};  // its name for clients
  std::vector<Parameter> query = {};
  std::string_view body = {};         // media type of the request body; empty: none
  std::string_view body_schema = {};  // shape of a JSON body, see schemas.cpp
  std::string_view answer = {};       // shapes and media types of the answer; empty: none
  int success = 200;                  // its status
  bool upload = false;                // accepts large bodies
  // Which stream the call needs: none, any, or one that is ready.
  enum class Needs : std::uint8_t { nothing, stream, ready } needs = Needs::nothing;
  Response (Service::*work)(Call&) = nullptr;  // answers; or
  void (Service::*start)(Call) = nullptr;      // starts work that is answered later
};

const std::vector<Route>& routes();
const char* verb_text(Verb verb);
// The shapes of bodies and answers by name, as JSON Schema.
nlohmann::ordered_json schemas();
// The API description of all calls.
std::string openapi(const std::string& version);

class Service final : public Handler {
 public:
  explicit Service(ServiceOptions options);
  ~Service() override;

  Result<void> open();
  void close();  // after the listener has stopped
  void set_counts(std::function<ListenerCounts()> counts) { counts_ = std::move(counts); }
  Streams& streams() { return streams_; }
  // Takes effect with the next request. Only for a service that was created with tokens.
  void set_tokens(Tokens tokens);

  Admission admit(const Request& head) override;
  void handle(std::shared_ptr<Exchange> exchange) override;
  void answered(Ticket* ticket, Response& response) override;
  Response unreadable(int status, std::string_view code, std::string_view why) override;

  // The calls, grouped by file.
  Response server(Call&);  // service_server.cpp
  Response health(Call&);
  Response readiness(Call&);
  Response metrics(Call&);  // service_metrics.cpp
  Response description(Call&);
  Response page(Call&);
  Response list_streams(Call&);  // service_streams.cpp
  Response show_stream(Call&);
  Response put_stream(Call&);
  Response delete_stream(Call&);
  Response rename_stream(Call&);
  Response put_support(Call&);  // service_support.cpp
  Response put_labels(Call&);
  void post_support(Call);
  Response calibrate_stream(Call&);
  Response get_model(Call&);
  Response get_journal(Call&);
  Response get_export(Call&);  // service_export.cpp
  Response list_snapshots(Call&);
  Response make_snapshot(Call&);
  void post_samples(Call);  // service_samples.cpp
  Response show_sample(Call&);
  Response get_picture(Call&);
  Response list_samples(Call&);     // service_sample_list.cpp
  Response list_categories(Call&);  // service_categories.cpp
  Response show_category(Call&);
  Response list_members(Call&);
  Response get_map(Call&);
  Response get_centroids(Call&);
  Response get_sample_map(Call&);
  Response get_support_picture(Call&);
  Response get_series(Call&);
  Response get_recent_hour(Call&);
  void get_suggestions(Call);
  Response post_operation(Call&);  // service_operations.cpp
  Response post_undo(Call&);
  Response list_operations(Call&);
  Response get_events(Call&);

 private:
  struct Match {
    const Route* route = nullptr;
    std::vector<std::string> places;
    std::string allowed;  // if only the verb does not match: the allowed verbs
  };
  Match match(Verb verb, std::string_view path) const;
  struct Admitted;  // the ticket of a request
  std::optional<Response> refuse(const Request& request, const Match& match,
                                 std::shared_ptr<User>& user) const;
  // Finds the stream and checks the query. Returns the refusal, if there is one.
  std::optional<Response> prepare(Call& call, const Route& route) const;
  void carry_out(Call call, const Route& route);
  std::optional<Response> refuse_user(const Request& request, const Match& match,
                                      const std::shared_ptr<User>& user) const;
  std::shared_ptr<const Tokens> tokens() const;
  // The streams that the user may see.
  std::vector<std::shared_ptr<Stream>> streams_of(const Call& call) const;
  std::string actor(const Call& call) const;
  static Response carry_out_operation(Call& call, const Operation& operation);
  void decide(Call call, std::shared_ptr<Samples> samples);
  std::optional<Response> refuse_kind(const Model& model, bool images, bool texts) const;
  std::optional<Response> refuse_wrong_kind(bool images, bool texts) const;
  // Embeds images and texts of samples, then calls next(call, samples) or answers with the error.
  // Runs on the one thread for images and texts, in parts, so that a large request does not delay
  // the others.
  using Next = std::function<void(Call, std::shared_ptr<Samples>)>;
  void embed_all(Call call, std::shared_ptr<Samples> samples, Next next);
  void embed_from(std::size_t first, Call call, std::shared_ptr<Samples> samples, Next next);
  static Result<NewStream> new_stream(const std::string& method, const std::string& embeddings,
                                      const std::string& durability);

  const ServiceOptions options_;
  mutable std::mutex tokens_mutex_;
  std::shared_ptr<const Tokens> tokens_;  // null: everybody may everything
  Streams streams_;
  std::function<ListenerCounts()> counts_;
  struct Workers;  // threads for calls that may block
  std::unique_ptr<Workers> workers_;

  SupportSets support_sets_;

  // One entry per call, in the order of routes().
  struct Figures {
    std::array<std::atomic<std::uint64_t>, 6> by_status{};  // hundreds
    Histogram seconds;
  };
  mutable std::vector<Figures> figures_;
  void request_figures(std::string& text) const;

  // Copies of journals that are being sent, by stream; a file is deleted with its last reader.
  struct Copies;
  static std::unique_ptr<Copies, void (*)(Copies*)> make_copies();
  Result<std::shared_ptr<core::RandomFile>> copy_of(Stream& stream);
  std::unique_ptr<Copies, void (*)(Copies*)> copies_;

  std::atomic<int> images_waiting_{0};  // requests with images
  std::atomic<std::uint64_t> requests_{0}, failures_{0}, samples_{0};
};

}  // namespace paco::server
