// The interface itself: which calls there are, who may make them, and what they do. The listener
// hands requests in; every call is one line of the table in routes.cpp, from which the description
// (GET /v1/openapi.json) is made too.
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
  std::optional<Tokens> tokens;  // without them everybody may everything
  bool loopback = true;          // only this machine: then requests must be addressed to it
  JournalOptions::Durability durability = JournalOptions::Durability::full;
  bool own_streams = true;  // the journals of the folder; else streams are added by their owners
  std::uint64_t body_bytes = std::uint64_t{64} << 20;
  std::uint64_t upload_bytes = std::uint64_t{1} << 30;  // of models and support sets
  SampleLimits samples;
  std::shared_ptr<EmbeddingQueue> encoder;  // null: only embeddings are taken
  std::shared_ptr<Log> log;                 // null: nothing is said
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
  std::string_view body = {};         // the media type it takes; empty: none
  std::string_view body_schema = {};  // of a body of JSON: its shape, see schemas.cpp
  std::string_view answer = {};       // shapes and media types; empty: nothing
  int success = 200;                  // its status
  bool upload = false;                // large bodies
  // Which stream it needs: none, any, or one that is ready.
  enum class Needs : std::uint8_t { nothing, stream, ready } needs = Needs::nothing;
  Response (Service::*work)(Call&) = nullptr;  // answers; or
  void (Service::*start)(Call) = nullptr;      // begins what answers later
};

const std::vector<Route>& routes();
const char* verb_text(Verb verb);
// The shapes of bodies and answers by name, as JSON Schema.
nlohmann::ordered_json schemas();
// The description of all of them.
std::string openapi(const std::string& version);

class Service final : public Handler {
 public:
  explicit Service(ServiceOptions options);
  ~Service() override;

  Result<void> open();
  void close();  // after the listener has stopped
  void set_counts(std::function<ListenerCounts()> counts) { counts_ = std::move(counts); }
  Streams& streams() { return streams_; }
  // Takes effect with the next request. For a service that had tokens from the beginning.
  void set_tokens(Tokens tokens);

  Admission admit(const Request& head) override;
  void handle(std::shared_ptr<Exchange> exchange) override;
  void answered(Ticket* ticket, Response& response) override;
  Response unreadable(int status, std::string_view code, std::string_view why) override;

  // The calls, by file.
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
    std::string allowed;  // where only the verb does not fit: those that do
  };
  Match match(Verb verb, std::string_view path) const;
  struct Admitted;  // the ticket of a request
  std::optional<Response> refuse(const Request& request, const Match& match,
                                 std::shared_ptr<User>& user) const;
  // Finds the stream and checks the query; or why it cannot be.
  std::optional<Response> prepare(Call& call, const Route& route) const;
  void carry_out(Call call, const Route& route);
  std::optional<Response> refuse_user(const Request& request, const Match& match,
                                      const std::shared_ptr<User>& user) const;
  std::shared_ptr<const Tokens> tokens() const;
  // Those that the user may see.
  std::vector<std::shared_ptr<Stream>> streams_of(const Call& call) const;
  std::string actor(const Call& call) const;
  static Response carry_out_operation(Call& call, const Operation& operation);
  void decide(Call call, std::shared_ptr<Samples> samples);
  std::optional<Response> refuse_kind(const Model& model, bool images, bool texts) const;
  std::optional<Response> refuse_wrong_kind(bool images, bool texts) const;
  // Embeds what samples brought and calls next(call, samples), or answers why it cannot be done. On
  // the one thread for images and texts, a part at a time, so that a request with many of them does
  // not keep others waiting.
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
  struct Workers;  // for calls that may wait
  std::unique_ptr<Workers> workers_;

  SupportSets support_sets_;

  // By call, as in routes().
  struct Figures {
    std::array<std::atomic<std::uint64_t>, 6> by_status{};  // hundreds
    Histogram seconds;
  };
  mutable std::vector<Figures> figures_;
  void request_figures(std::string& text) const;

  // Copies of journals on their way, by stream; the file goes with the last that reads it.
  struct Copies;
  static std::unique_ptr<Copies, void (*)(Copies*)> make_copies();
  Result<std::shared_ptr<core::RandomFile>> copy_of(Stream& stream);
  std::unique_ptr<Copies, void (*)(Copies*)> copies_;

  std::atomic<int> images_waiting_{0};  // requests with images
  std::atomic<std::uint64_t> requests_{0}, failures_{0}, samples_{0};
};

}  // namespace paco::server
