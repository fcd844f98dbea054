// Says groups of decisions aloud without waiting for the answer: while one group is on its way,
// its replica goes on folding, and says all of that in the next one.
//
// A group is sent with the number of the message that it expects to stand last, so that JetStream
// takes it where nobody else has spoken, and refuses it otherwise. One group is on its way at a
// time: the number that a second one would have to expect could by then be somebody else's group,
// and the other thing that NATS 2.9 can be asked to expect, the id of the last message, is not
// what it should be on a server that has just caught up with the others. An id is used once: a
// server may remember the id of a message that it refused.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
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
  // now. Not while another one is on its way.
  Result<bool> say(const Group& group, std::uint64_t after);

  struct News {
    std::uint64_t first = 0;  // event that the group began with that is stored now; 0: none is
    bool refused = false;     // somebody else spoke, or nobody answers: nothing is on its way now
  };
  // What became of the group on its way. An error where the servers will not take any.
  Result<News> news();
  bool waits() const { return sent_.has_value(); }
  // What is on its way counts no more.
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
  std::optional<Sent> sent_;

  std::mutex mutex_;
  std::vector<Postman::Answer> answers_;  // guarded; the library's thread fills it
  std::unique_ptr<Postman> postman_;      // ends before all above
};

}  // namespace paco::bus
