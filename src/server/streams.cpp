#include "server/streams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::server {
namespace {

constexpr std::string_view kExtension = ".journal";
constexpr std::string_view kCopy = ".copy-";

std::string path_in(const std::string& folder, const std::string& file) {
  return fmt::format("{}/{}", folder, file);
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
    // What a server that was killed was about to send.
    if (file.starts_with('.') && file.find(kCopy) != std::string::npos)
      PACO_TRY(core::remove_file(path_in(folder_, file)));
    if (!own_ || !file.ends_with(kExtension)) continue;
    const std::string name = file.substr(0, file.size() - kExtension.size());
    if (!is_stream_name(name)) continue;
    streams_[name] = Stream::begin(
        name, StreamState::opening, is_full(durability_),
        [path = path_of(name), durability = durability_](Stream&, std::stop_token stop) {
          return Session::open(path, 1, durability, std::move(stop));
        },
        teller());
  }
  return {};
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
  if (core::path_kind(path_of(name)) != core::PathKind::absent) return taken(name);
  const auto make = [path = path_of(name), support = std::move(support), options, settings](
                        Stream& stream, std::stop_token stop) -> Result<Session> {
    CalibrationOptions reporting = options;
    reporting.progress = [&stream](std::uint64_t done, std::uint64_t total) {
      stream.progress(done, total);
    };
    PACO_ASSIGN(Model model,
                paco::calibrate({support->embeddings, support->labels, support->names, {}},
                                reporting, std::move(stop)));
    return Session::create(path, std::make_shared<const Model>(std::move(model)), settings.method,
                           {}, settings.journal);
  };
  auto stream = Stream::begin(name, StreamState::calibrating, is_full(settings.journal.durability),
                              make, teller());
  streams_[name] = stream;
  return stream;
}

Result<void> Streams::give_up(const std::string& name) {
  std::shared_ptr<Stream> stream;  // ends outside the lock: it may be calibrating
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(name);
  if (found == streams_.end()) {
    return Error{ErrorCode::not_found, fmt::format("there is no stream '{}'", name),
                 "GET /v1/streams lists them"};
  }
  const StreamState state = found->second->status().state;
  if (state != StreamState::calibrating && state != StreamState::failed) {
    return Error{ErrorCode::mismatch, fmt::format("the stream '{}' lives", name),
                 "stop the server and remove its journal by hand where that is what you want"};
  }
  stream = std::move(found->second);
  streams_.erase(found);
  return {};
}

void Streams::close() {
  std::map<std::string, std::shared_ptr<Stream>> ending;
  {
    const std::lock_guard lock(mutex_);
    ending.swap(streams_);
  }
}

}  // namespace paco::server
