// `paco start`: from a folder of photos or texts to a web page, in one command.
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "server/client.hpp"
#include "server/embedding_queue.hpp"
#include "server/listener.hpp"
#include "server/service.hpp"
#include "shared/deliver.hpp"
#include "shared/folder_watch.hpp"
#include "shared/start_model.hpp"

extern char** environ;

namespace paco {
namespace {

struct StartArguments {
  std::string folder, encoder, port_file;
  bool no_browser = false, from_nothing = false;
  server::ListenerOptions listener;
};

// The name of the stream: that of the folder, with characters replaced that are not allowed.
std::string stream_name(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::weakly_canonical(folder, ignored);
  std::string name =
      path.filename().empty() ? path.parent_path().filename().string() : path.filename().string();
  for (char& c : name)
    if (!server::is_stream_name(std::string(1, c)) && c != '.' && c != '-') c = '-';
  return server::is_stream_name(name) ? name : "stream";
}

// The first readable photos of each known class, to show on the page.
std::vector<std::vector<std::string>> pictures_of(const StartFolder& found, const Model& model) {
  constexpr std::size_t kOfClass = 3;
  std::vector<std::vector<std::string>> out(model.known_classes());
  for (const StartItem& item : found.items) {
    const auto name = std::find(model.class_names.begin(), model.class_names.end(), item.label);
    if (item.path.empty() || name == model.class_names.end()) continue;
    auto& pictures = out[static_cast<std::size_t>(name - model.class_names.begin())];
    if (pictures.size() == kOfClass) continue;
    const auto bytes = core::read_file(item.path);
    auto picture =
        bytes.ok() ? server::small_picture(*bytes, item.path) : Result<std::string>(bytes.error());
    if (picture.ok()) pictures.push_back(std::move(picture).value());
  }
  return out;
}

Result<std::shared_ptr<server::Stream>> open_stream(server::Service& service,
                                                    const std::string& name, Model model,
                                                    const StartFolder& folder) {
  if (const auto found = service.streams().find(name)) {
    while (!found->ready() && !found->status().error)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (const auto failed = found->status().error) return *failed;
  }
  server::NewStream settings;
  if (service.streams().find(name) == nullptr)
    settings.journal.support_pictures = pictures_of(folder, model);
  PACO_ASSIGN(
      server::Streams::Made made,
      service.streams().create(name, std::make_shared<const Model>(std::move(model)), settings));
  return made.stream;
}

// Failure is ignored: the address is on the terminal.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", where = address;
  char* words[] = {program.data(), where.data(), nullptr};
  pid_t process = 0;
  (void)::posix_spawnp(&process, program.c_str(), nullptr, nullptr, words, environ);
}

// Repeatedly sends the samples that the stream does not have.
class Feeder {
 public:
  Feeder(Context& context, const StartArguments& arguments, server::Stream& stream,
         server::Client& client)
      : context_(context), arguments_(arguments), stream_(stream), client_(client) {}

  Result<void> send_new(const StartFolder& found) {
    for (const std::string& note : found.notes)
      if (noted_.emplace(note).second) print_note("left out: " + note);
    std::vector<SendItem> items;
    std::map<std::string, std::string> paths;  // by key
    for (const StartItem& item : found.items) {
      if (!item.label.empty() || !is_new(item)) continue;
      paths[item.key] = item.path;
      items.push_back({item.path, item.text, item.key, item.key});
    }
    if (items.empty()) return {};
    const auto blocks = send_items(std::move(items), arguments_.folder, kBlock);
    DeliverOptions options;
    options.safe = true;
    PACO_ASSIGN(const Delivered done,
                deliver_all(context_, client_, stream_.name(), *blocks, options));
    for (const SkippedFile& one : blocks->skipped()) {
      refused_[one.file] = change_of(paths[one.file]);
      print_note(fmt::format("left out: {}: {}", one.file, one.why));
    }
    sent_ += done.sent - done.repeated;
    if (!context_.stop.stop_requested())
      print_note(fmt::format("{} samples decided, {} new categories", done.sent, done.created));
    return {};
  }

  std::uint64_t sent() const { return sent_; }
  std::size_t refused() const { return refused_.size(); }

 private:
  static constexpr std::size_t kBlock = 64;

  // Time and size at the last change of a file; empty if unknown.
  static std::string change_of(const std::string& path) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    const auto size = std::filesystem::file_size(path, error);
    return error ? "" : fmt::format("{} {}", time.time_since_epoch().count(), size);
  }

  bool is_new(const StartItem& item) {
    const auto refused = refused_.find(item.key);
    if (refused != refused_.end() && refused->second == change_of(item.path)) return false;
    const auto found =
        stream_.read([&](journal::JournalReader& journal) { return journal.find_key(item.key); });
    return found.ok() && !*found;
  }

  Context& context_;
  const StartArguments& arguments_;
  server::Stream& stream_;
  server::Client& client_;
  std::map<std::string, std::string> refused_;  // state of the refused file by key
  std::set<std::string> noted_;
  std::uint64_t sent_ = 0;
};

// Sends the stream, then the files that are added to the folder, until Ctrl-C.
Result<void> feed(Context& context, const StartArguments& r, const StartFolder& found,
                  FolderWatch& watch, Feeder& feeder) {
  PACO_TRY(feeder.send_new(found));
  std::size_t labelled = 0;
  for (const StartItem& item : found.items) labelled += !item.label.empty();
  while (!context.stop.stop_requested()) {
    PACO_ASSIGN(const bool changed, watch.wait(context.stop));
    if (!changed) break;
    Result<StartFolder> now = scan_start_folder(r.folder);
    if (!now.ok()) {
      print_note(now.error().message);
      continue;
    }
    if (r.from_nothing) drop_labels(*now);
    std::size_t labelled_now = 0;
    for (const StartItem& item : now->items) labelled_now += !item.label.empty();
    if (labelled_now > labelled)
      print_note(
          fmt::format("{} more labelled samples are not part of the model: it was made of "
                      "those at the start",
                      labelled_now - labelled));
    labelled = labelled_now;
    PACO_TRY(feeder.send_new(*now));
  }
  return {};
}

Result<void> run(Context& context, StartArguments& r) {
  while (r.folder.size() > 1 && r.folder.ends_with('/')) r.folder.pop_back();
  if (core::path_kind(r.folder) != core::PathKind::folder)
    return Error{ErrorCode::not_found, fmt::format("{}: there is no such folder", r.folder),
                 "give the folder of your photos or texts"};
  PACO_ASSIGN(FolderWatch watch, FolderWatch::begin(r.folder));  // before the first scan
  PACO_ASSIGN(StartFolder found, scan_start_folder(r.folder));
  const StartFiles files(r.folder);
  PACO_ASSIGN(r.from_nothing, begins_from_nothing(found, files, r.folder, r.from_nothing));
  if (r.from_nothing) {
    if (const std::size_t labelled = drop_labels(found))
      print_note(
          fmt::format("beginning from nothing: the labels of {} samples are not used", labelled));
  }
  PACO_TRY(core::make_folder(files.streams));
  PACO_ASSIGN(Encoder encoder, choose_encoder(context, found, files, r.encoder, r.from_nothing));
  PACO_ASSIGN(Model model, start_model(context, r.folder, found, files, encoder, r.from_nothing));

  server::ServiceOptions settings;
  settings.folder = files.streams;
  settings.version = PACO_VERSION;
  settings.encoder = embedding_queue(std::move(encoder));
  server::Service service(settings);
  PACO_TRY(service.open());
  const std::string name = stream_name(r.folder);
  PACO_ASSIGN(const auto stream, open_stream(service, name, std::move(model), found));
  const std::uint64_t before = stream->worker().published()->view->samples;
  PACO_ASSIGN(const auto listener, server::Listener::start(r.listener, service));
  service.set_counts([&] { return listener->counts(); });
  const std::string address = fmt::format("http://127.0.0.1:{}", listener->port());
  if (!r.port_file.empty())
    PACO_TRY(core::write_file(r.port_file, fmt::format("{}\n", listener->port())));
  if (before > 0) print_note(fmt::format("going on after {} samples", before));
  print_note(
      fmt::format("open {}/ in a browser (Ctrl-C ends it; the same command goes on)", address));
  if (!r.no_browser) open_browser(address + "/");

  PACO_ASSIGN(const auto client, server::Client::create(address, ""));
  Feeder feeder(context, r, *stream, *client);
  const Result<void> fed = feed(context, r, found, watch, feeder);
  listener->stop();
  const std::uint64_t samples = stream->worker().published()->view->samples;
  service.close();
  if (!fed.ok() && fed.error().code != ErrorCode::interrupted) return fed;
  return print_result(context,
                      Json{{"folder", r.folder},
                           {"stream", name},
                           {"address", address},
                           {"samples", samples},
                           {"sent", feeder.sent()},
                           {"left_out", feeder.refused()}},
                      fmt::format("{}: {} samples in stream {}, everything is in {}\n", r.folder,
                                  samples, name, files.own));
}

}  // namespace

void add_start(Options& verb, Context& context) {
  verb.about(
      "From a folder of photos or texts to a page: embed, calibrate mirror, serve, and watch.\n"
      "Subfolders are known classes, everything else is the stream: photos or texts directly in "
      "the folder\n"
      "and in its subfolder 'stream'; or rows of a .csv or .jsonl with text (or path) and label, "
      "which is\n"
      "empty for the stream. What comes to the folder later is decided as it comes. All that it "
      "makes is\n"
      "in FOLDER/.paco; the same command goes on where it was.");
  auto r = std::make_shared<StartArguments>();
  verb.add_text("folder", r->folder, "with your photos or texts").required();
  verb.add_text("--encoder", r->encoder, "a name of 'paco models', or the folder of an encoder")
      .shown_default("that of the last start, or one that is here");
  verb.add_flag("--from-nothing", r->from_nothing,
                "without labelled examples: groups of alike samples are the first categories");
  add_count(verb, "--port", r->listener.port, 0, 65535, "of the page; 0: any free one");
  verb.add_text("--port-file", r->port_file, "a file to write the port to, once it listens");
  verb.add_flag("--no-browser", r->no_browser, "do not open the page in a browser");
  finish_verb(verb, context, [&context, r] { return run(context, *r); });
}

}  // namespace paco
