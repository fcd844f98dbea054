#include "bus/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "bus/bytes.hpp"
#include "bus/nats_log.hpp"
#include "core/try.hpp"
#include "journal/checksum.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kChunk = std::size_t{512} << 10;

struct EntryEnd {
  void operator()(kvEntry* entry) const { kvEntry_Destroy(entry); }
};

// The last message of a file: the id of its chunks, their total size and checksum.
struct Manifest {
  std::string id, note;
  std::uint64_t size = 0, checksum = 0;
};

std::string manifest_bytes(const Manifest& m) {
  std::string bytes;
  ByteWriter out(bytes);
  out.text(m.id);
  out.text(m.note);
  out.number(m.size);
  out.number(m.checksum);
  return bytes;
}

std::string fresh_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

Result<std::optional<Manifest>> manifest_of(const Connection& connection, const std::string& stream,
                                            const std::string& name, const std::stop_token& stop) {
  const std::string jetstream = jetstream_of(stream, Part::files);
  const std::string subject = fmt::format("{}.{}", subject_of(stream, Part::files), name);
  natsMsg* raw = nullptr;
  bool absent = false;
  PACO_TRY(connection.retry(fmt::format("reading {}", subject), stop, [&](jsErrCode* code) {
    const natsStatus status =
        js_GetLastMsg(&raw, connection.js(), jetstream.c_str(), subject.c_str(), nullptr, code);
    absent = *code == JSNoMessageFoundErr || *code == JSStreamNotFoundErr;
    return absent ? NATS_OK : status;
  }));
  if (absent) return std::optional<Manifest>();
  const Message message(raw);
  ByteReader in(bytes_of(raw));
  Manifest m;
  m.id = in.text();
  m.note = in.text();
  m.size = in.number<std::uint64_t>();
  m.checksum = in.number<std::uint64_t>();
  if (!in.ok() || in.left() > 0) {
    return Error{ErrorCode::bad_format, fmt::format("{}: a foreign message", subject),
                 "only paco writes there; see who else has the right to"};
  }
  return std::optional<Manifest>(std::move(m));
}

void forget(const Connection& connection, const std::string& stream, const std::string& id) {
  const std::string jetstream = jetstream_of(stream, Part::files);
  const std::string subject = fmt::format("{}.chunk.{}", subject_of(stream, Part::files), id);
  jsOptions options;
  jsOptions_Init(&options);
  options.Stream.Purge.Subject = subject.c_str();
  // Chunks that remain take space but do no harm.
  (void)js_PurgeStream(connection.js(), jetstream.c_str(), &options, nullptr);
}

}  // namespace

Result<Bucket> Bucket::make(const Connection& connection, const std::string& name,
                            std::uint64_t replicas, std::uint64_t seconds,
                            const std::stop_token& stop) {
  PACO_ASSIGN(std::optional<Bucket> there, find(connection, name, stop));
  if (there) return std::move(*there);
  kvStore* store = nullptr;
  PACO_TRY(connection.retry(fmt::format("making bucket {}", name), stop, [&](jsErrCode*) {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = name.c_str();
    config.Replicas = static_cast<int>(replicas);
    config.TTL = static_cast<std::int64_t>(seconds) * 1'000'000'000;
    return js_CreateKeyValue(&store, connection.js(), &config);
  }));
  return Bucket(connection, name, store);
}

Result<std::optional<Bucket>> Bucket::find(const Connection& connection, const std::string& name,
                                           const std::stop_token& stop) {
  kvStore* store = nullptr;
  bool absent = false;
  PACO_TRY(connection.retry(fmt::format("bucket {}", name), stop, [&](jsErrCode*) {
    const natsStatus status = js_KeyValue(&store, connection.js(), name.c_str());
    absent = status == NATS_NOT_FOUND;
    return absent ? NATS_OK : status;
  }));
  if (absent) return std::optional<Bucket>();
  return std::optional<Bucket>(Bucket(connection, name, store));
}

Result<std::optional<Bucket::Entry>> Bucket::get(const std::string& key,
                                                 const std::stop_token& stop) const {
  kvEntry* raw = nullptr;
  bool absent = false;
  PACO_TRY(connection_->retry(doing(key), stop, [&](jsErrCode*) {
    const natsStatus status = kvStore_Get(&raw, store_.get(), key.c_str());
    absent = status == NATS_NOT_FOUND;
    return absent ? NATS_OK : status;
  }));
  if (absent) return std::optional<Entry>();
  const std::unique_ptr<kvEntry, EntryEnd> entry(raw);
  Entry out;
  out.value.assign(static_cast<const char*>(kvEntry_Value(raw)),
                   static_cast<std::size_t>(kvEntry_ValueLen(raw)));
  out.revision = kvEntry_Revision(raw);
  return std::optional<Entry>(std::move(out));
}

Result<std::vector<std::string>> Bucket::keys(const std::stop_token& stop) const {
  kvKeysList list{};
  PACO_TRY(connection_->retry(doing("its names"), stop, [&](jsErrCode*) {
    return kvStore_Keys(&list, store_.get(), nullptr);
  }));
  std::vector<std::string> out(list.Keys, list.Keys + list.Count);
  kvKeysList_Destroy(&list);
  std::sort(out.begin(), out.end());
  return out;
}

Result<bool> Bucket::create(const std::string& key, const std::string& value,
                            const std::stop_token& stop) const {
  bool there = false;
  PACO_TRY(connection_->retry(doing(key), stop, [&](jsErrCode*) {
    const natsStatus status = kvStore_Create(nullptr, store_.get(), key.c_str(), value.data(),
                                             static_cast<int>(value.size()));
    there = status == NATS_ERR;  // the key has another value
    return there ? NATS_OK : status;
  }));
  return !there;
}

Result<std::optional<std::uint64_t>> Bucket::update(const std::string& key,
                                                    const std::string& value,
                                                    std::uint64_t revision) const {
  std::uint64_t now = 0;
  const natsStatus status = kvStore_Update(&now, store_.get(), key.c_str(), value.data(),
                                           static_cast<int>(value.size()), revision);
  if (status == NATS_OK) return std::optional(now);
  if (status == NATS_ERR) return std::optional<std::uint64_t>();
  return connection_->error(doing(key), status, jsErrCode(0));
}

Result<void> Bucket::remove(const std::string& key) const {
  return connection_->once(doing(key),
                           [&](jsErrCode*) { return kvStore_Delete(store_.get(), key.c_str()); });
}

Result<void> put_file(const std::shared_ptr<Connection>& connection, const std::string& stream,
                      const std::string& name, const std::string& note,
                      std::span<const std::byte> bytes, const std::stop_token& stop) {
  PACO_ASSIGN(const std::optional<Manifest> old, manifest_of(*connection, stream, name, stop));
  const std::string subject = subject_of(stream, Part::files);
  const Manifest m{fresh_id(), note, bytes.size(), journal::checksum_of(bytes)};
  PACO_ASSIGN(const auto publisher,
              open_publisher(connection, fmt::format("storing '{}' of {}", name, stream), {}, 16));
  const std::string chunk = fmt::format("{}.chunk.{}", subject, m.id);
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    const auto part = bytes.subspan(at, std::min(kChunk, bytes.size() - at));
    // A chunk that is sent again could be stored after a later one; so wait for each before sending
    // the next.
    const std::string id = fmt::format("{}-{}", m.id, at);
    PACO_TRY(publisher->put(
        {chunk, {reinterpret_cast<const char*>(part.data()), part.size()}, id, id}, stop));
    PACO_TRY(publisher->flush(stop));
  }
  PACO_TRY(
      publisher->put({fmt::format("{}.{}", subject, name), manifest_bytes(m), name, m.id}, stop));
  PACO_TRY(publisher->flush(stop));
  if (old) forget(*connection, stream, old->id);
  return {};
}

Result<std::optional<StoredFile>> get_file(const std::shared_ptr<Connection>& connection,
                                           const std::string& stream, const std::string& name,
                                           const std::stop_token& stop) {
  PACO_ASSIGN(const std::optional<Manifest> m, manifest_of(*connection, stream, name, stop));
  if (!m) return std::optional<StoredFile>();
  StoredFile file;
  file.note = m->note;
  OrderedReader reader =
      read_log(connection, jetstream_of(stream, Part::files),
               fmt::format("{}.chunk.{}", subject_of(stream, Part::files), m->id), 1, false);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<LogMessage> messages;
  while (file.bytes.size() < m->size && !stop.stop_requested()) {
    messages.clear();
    PACO_TRY(reader.take(messages, 64, 500, stop));
    for (const LogMessage& message : messages) {
      const auto part = std::as_bytes(std::span(message.bytes));
      file.bytes.insert(file.bytes.end(), part.begin(), part.end());
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    if (messages.empty() && spent.count() > connection->patience()) break;
  }
  if (stop.stop_requested())
    return Error{ErrorCode::interrupted, fmt::format("fetching '{}': interrupted", name), ""};
  if (file.bytes.size() != m->size || journal::checksum_of(file.bytes) != m->checksum) {
    return Error{ErrorCode::bad_format,
                 fmt::format("'{}' of stream '{}': {} of {} bytes, and not those that were stored",
                             name, stream, file.bytes.size(), m->size),
                 "it may have been replaced meanwhile; try again"};
  }
  return std::optional<StoredFile>(std::move(file));
}

Result<std::optional<std::string>> file_note(const std::shared_ptr<Connection>& connection,
                                             const std::string& stream, const std::string& name,
                                             const std::stop_token& stop) {
  PACO_ASSIGN(const std::optional<Manifest> m, manifest_of(*connection, stream, name, stop));
  return m ? std::optional(m->note) : std::nullopt;
}

}  // namespace paco::bus
