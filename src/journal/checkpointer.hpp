// Carries what the log holds into the file itself, beside the writer: a thread and a connection of
// its own do the bulk, so that a commit waits for its own sync only. The writer does what came
// since then, a small rest, because SQLite starts the log anew only where nothing is left in it.
//
// Where no thread can be started, the writer does all of it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "journal/database.hpp"

namespace paco::journal {

class Checkpointer {
 public:
  explicit Checkpointer(std::string path) : path_(std::move(path)) {}
  ~Checkpointer() { stop(); }
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Called by the writer after every commit, with the pages that are in the log. A checkpoint that
  // fails costs nothing: the log goes on growing and it is tried again.
  void committed(int pages, Database& writer);
  // Ends the thread and its connection; the next round would start another.
  void stop();

 private:
  void request();
  void serve();

  std::string path_;
  std::thread thread_;
  bool can_start_ = true;
  int next_ = 0;            // pages at which the next round is due
  int carried_before_ = 0;  // `carried_` of the round before

  std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  bool requested_ = false;  // from the request to the end of the round
  bool finished_ = false;   // a round has ended that the writer has not seen
  int carried_ = 0;         // pages of the log that are in the file after it
  bool ending_ = false;
};

}  // namespace paco::journal
