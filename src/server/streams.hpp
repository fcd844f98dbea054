// The streams of a folder by name: one journal each, NAME.journal. Finds those that are there, also
// those that come later, makes new ones, gives up those that are not ready, and takes others out of
// service: archived, renamed or removed.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/log.hpp"
#include "server/stream.hpp"
#include "server/support_sets.hpp"

namespace paco::server {

// 1 to 64 of letters, digits, '.', '_' and '-', beginning with a letter, digit or '_': a name can
// never be a path.
bool is_stream_name(std::string_view name);

struct NewStream {
  std::string method;  // empty: the model's
  JournalOptions journal;
};

class Streams {
 public:
  // `own`: the streams of the folder are this server's; else they are made elsewhere and added.
  Streams(std::string folder, JournalOptions::Durability durability, bool own,
          std::shared_ptr<Log> log)
      : folder_(std::move(folder)), durability_(durability), own_(own), log_(std::move(log)) {}

  // Begins to open every journal of the folder, where they are its own, and looks for more every
  // two seconds.
  Result<void> open();
  ~Streams();

  void add(std::shared_ptr<Stream> stream);
  std::shared_ptr<Stream> find(const std::string& name) const;
  std::vector<std::shared_ptr<Stream>> all() const;  // by name

  struct Made {
    std::shared_ptr<Stream> stream;
    bool is_new = true;  // false: it was there, with this very model
  };
  // ErrorCode::mismatch where the name is taken, or streams are made elsewhere.
  Result<Made> create(const std::string& name, std::shared_ptr<const Model> model,
                      const NewStream& settings);
  Result<std::shared_ptr<Stream>> calibrate(const std::string& name,
                                            std::shared_ptr<const Support> support,
                                            const CalibrationOptions& options,
                                            const NewStream& settings);
  // ErrorCode::mismatch where it is ready, not_found where it is not there.
  Result<void> give_up(const std::string& name);
  // Of a stream that is ready or failed; the caller holds it no more. Those that follow its events
  // are sent away; ErrorCode::mismatch where somebody else still needs it after some seconds.
  Result<void> remove(const std::string& name);
  // Its journal goes to FOLDER/archive, under the name and the time; where it is now.
  Result<std::string> archive(const std::string& name, const std::string& time);
  Result<void> rename(const std::string& name, const std::string& to);
  void close();
  // A file for a copy of a journal. Those that are left behind go when the folder is opened again.
  std::string copy_path(const std::string& name);

 private:
  // How a journal's file was when it was last looked at. One that changes is being written.
  struct Seen {
    std::int64_t size = -1, changed = -1;
    bool operator==(const Seen&) const = default;
  };
  Result<void> take_out(const std::string& name);
  void begin(const std::string& name);
  void look_again();
  std::string path_of(const std::string& name) const;
  Result<void> may_make() const;
  // Says what became of a stream that began in the background.
  std::function<void(const Stream&)> teller() const;

  const std::string folder_;
  const JournalOptions::Durability durability_;
  const bool own_;
  const std::shared_ptr<Log> log_;  // null: nothing is said
  std::atomic<std::uint64_t> copies_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Stream>> streams_;
  std::set<std::string> leaving_;        // names that are taken until their files are gone
  std::map<std::string, Seen> seen_;     // of journals that are not in service
  std::map<std::string, Seen> refused_;  // as they were when they could not be opened
  std::jthread looker_;                  // ends before all above
};

}  // namespace paco::server
