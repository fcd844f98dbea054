// Storage beside the log of events: buckets (values by name, with compare-and-set by revision) and
// files (bytes of any size, split into messages).
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
  // `seconds`: how long a value lasts unless it is written again; 0: forever.
  static Result<Bucket> make(const Connection& connection, const std::string& name,
                             std::uint64_t replicas, std::uint64_t seconds,
                             const std::stop_token& stop);
  // Nothing if the bucket does not exist.
  static Result<std::optional<Bucket>> find(const Connection& connection, const std::string& name,
                                            const std::stop_token& stop);

  Result<std::optional<Entry>> get(const std::string& key, const std::stop_token& stop) const;
  Result<std::vector<std::string>> keys(const std::stop_token& stop) const;
  // False if the key already exists.
  Result<bool> create(const std::string& key, const std::string& value,
                      const std::stop_token& stop) const;
  // Returns the new revision, or nothing if `revision` is not the present one.
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
  std::string note;  // as passed to put_file()
  std::vector<std::byte> bytes;
};

// Replaces the file of that name when all of it is stored; then the old one is removed.
Result<void> put_file(const std::shared_ptr<Connection>& connection, const std::string& stream,
                      const std::string& name, const std::string& note,
                      std::span<const std::byte> bytes, const std::stop_token& stop);
// The newest version; nothing if there is none.
Result<std::optional<StoredFile>> get_file(const std::shared_ptr<Connection>& connection,
                                           const std::string& stream, const std::string& name,
                                           const std::stop_token& stop);
// The note only.
Result<std::optional<std::string>> file_note(const std::shared_ptr<Connection>& connection,
                                             const std::string& stream, const std::string& name,
                                             const std::stop_token& stop);

}  // namespace paco::bus
