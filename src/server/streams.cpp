#include "server/streams.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::server {
namespace {

constexpr std::string_view kExtension = ".journal";
constexpr std::string_view kCopy = ".copy-";

std::string path_in(const std::string& folder, const std::string& file) {
  return fmt::format("{}/{}", folder, file);
}

constexpr auto kLookPause = std::chrono::seconds(2);
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kUsePause = std::chrono::milliseconds(10);

// A closed journal is one file. A remaining log has events that are not in the file.
Result<void> move_journal(const std::string& from, const std::string& to) {
  std::error_code error;
  if (core::path_kind(from + "-wal") != core::PathKind::absent) {
    return Error{ErrorCode::mismatch, fmt::format("{}: another program has it open", from),
                 "end that program first"};
  }
  if (core::path_kind(to) == core::PathKind::absent) {
    std::filesystem::rename(from, to, error);
  } else {
    error = std::make_error_code(std::errc::file_exists);
  }
  if (!error) return {};
  return Error{ErrorCode::io,
               fmt::format("{}: cannot be moved to {}: {}", from, to, error.message()),
               "look at the permissions of the folder"};
}

bool is_full(JournalOptions::Durability durability) {
  return durability == JournalOptions::Durability::full;
}

Error taken(const std::string& name) {
  return {ErrorCode::mismatch, fmt::format("there is a stream '{}' already", name),
          "choose another name"};
}

}  // namespace

bool is_stream_name(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 64 && is_word(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

std::string Streams::path_of(const std::string& name) const {
  return path_in(folder_, fmt::format("{}{}", name, kExtension));
}

std::string Streams::copy_path(const std::string& name) {
  return path_in(folder_, fmt::format(".{}{}{}", name, kCopy, ++copies_));
}

std::function<void(const Stream&)> Streams::teller() const {
  return [log = log_](const Stream& stream) {
    if (log == nullptr) return;
    const StreamStatus status = stream.status();
    if (status.error) {
      log->write(LogLevel::error, "stream_failed",
                 {{"stream", stream.name()}, {"error", status.error->message}});
    } else {
      log->write(LogLevel::info, "stream_ready", {{"stream", stream.name()}});
    }
  };
}

Result<void> Streams::open() {
  PACO_TRY(core::make_folder(folder_));
  PACO_ASSIGN(const std::vector<std::string> files, core::list_folder(folder_));
  const std::lock_guard lock(mutex_);
  for (const std::string& file : files) {
    // Copies left behind by a server that was killed.
    if (file.starts_with('.') && file.find(kCopy) != std::string::npos)
      PACO_TRY(core::remove_file(path_in(folder_, file)));
    if (!own_ || !file.ends_with(kExtension)) continue;
    const std::string name = file.substr(0, file.size() - kExtension.size());
    if (!is_stream_name(name)) continue;
    begin(name);
  }
  if (!own_) return {};
  looker_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock waiting(mutex);
    while (!ended.wait_for(waiting, stop, kLookPause, [&] { return stop.stop_requested(); }))
      look_again();
  });
  return {};
}

Streams::~Streams() { looker_ = {}; }

void Streams::begin(const std::string& name) {
  streams_[name] = Stream::begin(
      name, StreamState::opening, is_full(durability_),
      [path = path_of(name), durability = durability_](Stream&, std::stop_token stop) {
        return Session::open(path, 1, durability, std::move(stop));
      },
      teller());
}

// Opens a journal that is new, or that could not be opened and has changed since, when its file is
// the same in two successive checks.
void Streams::look_again() {
  const Result<std::vector<std::string>> files = core::list_folder(folder_);
  if (!files.ok()) return;
  const std::lock_guard lock(mutex_);
  for (const std::string& file : *files) {
    if (!file.ends_with(kExtension)) continue;
    const std::string name = file.substr(0, file.size() - kExtension.size());
    if (!is_stream_name(name) || leaving_.contains(name)) continue;
    const auto found = streams_.find(name);
    const bool has_failed =
        found != streams_.end() && found->second->status().state == StreamState::failed;
    if (found != streams_.end() && !has_failed) continue;
    struct stat status {};
    if (::stat(path_in(folder_, file).c_str(), &status) != 0) continue;
    const Seen now{status.st_size, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
    if (has_failed && !refused_.contains(name)) refused_[name] = now;
    if (has_failed && refused_[name] == now) continue;
    const auto before = seen_.find(name);
    const bool is_still = before != seen_.end() && before->second == now;
    seen_[name] = now;
    if (!is_still) continue;
    refused_[name] = now;
    begin(name);
  }
}

Result<void> Streams::take_out(const std::string& name) {
  PACO_TRY(may_make());
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(name);
    if (found == streams_.end()) {
      return Error{ErrorCode::not_found, fmt::format("there is no stream '{}'", name),
                   "GET /v1/streams lists them"};
    }
    const StreamState state = found->second->status().state;
    if (state == StreamState::opening || state == StreamState::calibrating) {
      return Error{ErrorCode::mismatch,
                   fmt::format("the stream '{}' is {}", name, stream_state_name(state)),
                   "ask again when it is ready"};
    }
    stream = std::move(found->second);
    streams_.erase(found);
    leaving_.insert(name);
  }
  stream->leave();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (stream.use_count() > 1 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kUsePause);
  if (stream.use_count() == 1) {
    stream.reset();  // closes the journal
    return {};
  }
  stream->stay();
  const std::lock_guard lock(mutex_);
  leaving_.erase(name);
  streams_[name] = std::move(stream);
  return Error{ErrorCode::mismatch, fmt::format("the stream '{}' is in use", name),
               "ask again when nobody sends to it or takes its journal away"};
}

Result<void> Streams::remove(const std::string& name) {
  PACO_TRY(take_out(name));
  Result<void> done;
  for (const char* part : {"", "-wal", "-shm", "-tail"}) {
    const std::string path = path_of(name) + part;
    if (done.ok() && core::path_kind(path) != core::PathKind::absent)
      done = core::remove_file(path);
  }
  const std::lock_guard lock(mutex_);
  leaving_.erase(name);
  return done;
}

Result<std::string> Streams::archive(const std::string& name, const std::string& time) {
  const std::string folder = path_in(folder_, "archive");
  PACO_TRY(core::make_folder(folder));
  const std::string to = path_in(folder, fmt::format("{}-{}{}", name, time, kExtension));
  PACO_TRY(take_out(name));
  const Result<void> moved = move_journal(path_of(name), to);
  const std::lock_guard lock(mutex_);
  leaving_.erase(name);
  if (moved.ok()) return to;
  begin(name);
  return moved.error();
}

Result<void> Streams::rename(const std::string& name, const std::string& to) {
  {
    const std::lock_guard lock(mutex_);
    if (streams_.contains(to) || leaving_.contains(to) ||
        core::path_kind(path_of(to)) != core::PathKind::absent) {
      return taken(to);
    }
    leaving_.insert(to);
  }
  const Result<void> free = take_out(name);
  const Result<void> moved = free.ok() ? move_journal(path_of(name), path_of(to)) : free;
  const std::lock_guard lock(mutex_);
  leaving_.erase(to);
  if (!free.ok()) return free;
  leaving_.erase(name);
  begin(moved.ok() ? to : name);
  return moved;
}

void Streams::add(std::shared_ptr<Stream> stream) {
  const std::lock_guard lock(mutex_);
  streams_[stream->name()] = std::move(stream);
}

Result<void> Streams::may_make() const {
  if (own_) return {};
  return Error{ErrorCode::mismatch, "the streams of this server are on a bus",
               "make one with 'paco bus init'; it is served here a moment later"};
}

std::shared_ptr<Stream> Streams::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(name);
  return found == streams_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Stream>> Streams::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> out;
  for (const auto& [name, stream] : streams_) out.push_back(stream);
  return out;
}

Result<Streams::Made> Streams::create(const std::string& name, std::shared_ptr<const Model> model,
                                      const NewStream& settings) {
  const std::lock_guard lock(mutex_);
  if (const auto found = streams_.find(name); found != streams_.end()) {
    const bool same =
        found->second->ready() && found->second->model().fingerprint() == model->fingerprint();
    if (same) return Made{found->second, false};
    return taken(name);
  }
  PACO_TRY(may_make());
  PACO_ASSIGN(Session session, Session::create(path_of(name), std::move(model), settings.method, {},
                                               settings.journal));
  PACO_ASSIGN(std::shared_ptr<Stream> stream,
              Stream::make(name, std::move(session), is_full(settings.journal.durability)));
  streams_[name] = stream;
  return Made{std::move(stream), true};
}

Result<std::shared_ptr<Stream>> Streams::calibrate(const std::string& name,
                                                   std::shared_ptr<const Support> support,
                                                   const CalibrationOptions& options,
                                                   const NewStream& settings) {
  PACO_TRY(may_make());
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(name);
  if (found != streams_.end() && found->second->status().state != StreamState::failed)
    return taken(name);
  if (leaving_.contains(name) || core::path_kind(path_of(name)) != core::PathKind::absent)
    return taken(name);
  const auto make = [path = path_of(name), support = std::move(support), options, settings](
                        Stream& stream, std::stop_token stop) -> Result<Session> {
    CalibrationOptions reporting = options;
    reporting.progress = [&stream](std::uint64_t done, std::uint64_t total) {
      stream.progress(done, total);
    };
    PACO_ASSIGN(Model model,
                paco::calibrate({support->embeddings, support->labels, support->names, {}},
                                reporting, std::move(stop)));
    model.embedding = support->record;
    return Session::create(path, std::make_shared<const Model>(std::move(model)), settings.method,
                           {}, settings.journal);
  };
  auto stream = Stream::begin(name, StreamState::calibrating, is_full(settings.journal.durability),
                              make, teller());
  streams_[name] = stream;
  return stream;
}

Result<void> Streams::give_up(const std::string& name) {
  std::shared_ptr<Stream> stream;  // destroyed after the lock is released: it may be calibrating
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(name);
  if (found == streams_.end()) {
    return Error{ErrorCode::not_found, fmt::format("there is no stream '{}'", name),
                 "GET /v1/streams lists them"};
  }
  const StreamState state = found->second->status().state;
  if (state != StreamState::calibrating && state != StreamState::failed) {
    return Error{
        ErrorCode::mismatch, fmt::format("the stream '{}' lives", name),
        "?journal=archive moves its journal to the folder 'archive', ?journal=delete removes "
        "it for good"};
  }
  stream = std::move(found->second);
  streams_.erase(found);
  return {};
}

void Streams::close() {
  looker_ = {};
  std::map<std::string, std::shared_ptr<Stream>> ending;
  {
    const std::lock_guard lock(mutex_);
    ending.swap(streams_);
  }
}

}  // namespace paco::server
