// Says groups of decisions aloud, several on their way at once, so that nobody else can come
// between.
//
// Each group is sent with the number of the message that it expects to stand last; one that follows
// an own group without an answer, with that group's id as well. So JetStream takes a row of them
// unbroken, or refuses everything from the first on that does not fit. An id is used once: a server
// remembers the id of a message that it refused.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bus/postman.hpp"
#include "bus/record.hpp"

namespace paco::bus {

class Speaker {
 public:
  // `name`: of the replica, which begins every id.
  static Result<std::unique_ptr<Speaker>> open(std::shared_ptr<Connection> connection,
                                               const std::string& stream, const std::string& name);

  // Sends a group that is to stand right after message `after`; false where that cannot be done
  // now.
  Result<bool> say(const Group& group, std::uint64_t after);

  struct News {
    std::uint64_t first = 0;  // event of the first group that is stored now; 0: none is
    bool refused = false;     // somebody else spoke, or nobody answers: nothing is under way now
  };
  // What became of the groups under way. An error where the servers will not take any.
  Result<News> news();
  std::size_t under_way() const { return sent_.size(); }
  // Whatever is under way counts no more.
  void forget();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Sent {
    std::string id;
    std::uint64_t first;    // event
    std::uint64_t message;  // that it will be
    Time since;
  };

  Speaker(std::shared_ptr<Connection> connection, const std::string& stream,
          const std::string& name);

  const std::shared_ptr<Connection> connection_;
  const std::string subject_, prefix_;
  std::uint64_t count_ = 0;
  std::deque<Sent> sent_;

  std::mutex mutex_;
  std::vector<Postman::Answer> answers_;  // guarded; the library's thread fills it
  std::unique_ptr<Postman> postman_;      // ends before all above
};

}  // namespace paco::bus
