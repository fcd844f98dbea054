// What is kept beside the order of events: buckets (a value by its name, changed only if the
// present one is known) and files (bytes of any size, cut into messages).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bus/connection.hpp"

namespace paco::bus {

inline constexpr std::uint64_t kLeaseSeconds = 5;

class Bucket {
 public:
  struct Entry {
    std::string value;
    std::uint64_t revision = 0;
  };
  // `seconds`: how long a value lasts unless it is written again; 0: for ever.
  static Result<Bucket> make(const Connection& connection, const std::string& name,
                             std::uint64_t replicas, std::uint64_t seconds,
                             const std::stop_token& stop);
  // Nothing if there is none.
  static Result<std::optional<Bucket>> find(const Connection& connection, const std::string& name,
                                            const std::stop_token& stop);

  Result<std::optional<Entry>> get(const std::string& key, const std::stop_token& stop) const;
  Result<std::vector<std::string>> keys(const std::stop_token& stop) const;
  // False if there is one already.
  Result<bool> create(const std::string& key, const std::string& value,
                      const std::stop_token& stop) const;
  // The new revision, or nothing if `revision` is not the present one.
  Result<std::optional<std::uint64_t>> update(const std::string& key, const std::string& value,
                                              std::uint64_t revision) const;
  Result<void> remove(const std::string& key) const;

 private:
  struct End {
    void operator()(kvStore* store) const { kvStore_Destroy(store); }
  };
  Bucket(const Connection& connection, std::string name, kvStore* store)
      : connection_(&connection), name_(std::move(name)), store_(store) {}
  std::string doing(const std::string& key) const { return "bucket " + name_ + ", " + key; }
  const Connection* connection_;
  std::string name_;
  std::unique_ptr<kvStore, End> store_;
};

struct StoredFile {
  std::string note;  // as put_file() was given
  std::vector<std::byte> bytes;
};

// Replaces the file of that name once all of it is stored; the old one is removed.
Result<void> put_file(const std::shared_ptr<Connection>& connection, const std::string& stream,
                      const std::string& name, const std::string& note,
                      std::span<const std::byte> bytes, const std::stop_token& stop);
// The newest; nothing if there is none.
Result<std::optional<StoredFile>> get_file(const std::shared_ptr<Connection>& connection,
                                           const std::string& stream, const std::string& name,
                                           const std::stop_token& stop);
// Only its note.
Result<std::optional<std::string>> file_note(const std::shared_ptr<Connection>& connection,
                                             const std::string& stream, const std::string& name,
                                             const std::stop_token& stop);

}  // namespace paco::bus
