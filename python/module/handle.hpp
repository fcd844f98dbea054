// A session as Python holds it: usable from any thread, one at a time; closed once; and with manners
// in a process that was forked.
//
// A journal and helper threads do not survive a fork: a session that has them belongs to the process
// that opened it. One in memory with one thread is simply there twice, and the copies go their own
// ways.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "errors.hpp"
#include "origin.hpp"
#include "paco/session.hpp"
#include "past.hpp"

namespace paco::python {

class Handle : public Origin {
 public:
  Handle(Session session, int threads);
  ~Handle() override;
  Handle(const Handle&) = delete;

  // Held by one thread at a time. The same thread cannot hold it twice: a signal handler or a
  // finaliser that runs in the middle of a call and asks for the session gets an exception.
  class Hold {
   public:
    explicit Hold(Handle& handle);
    ~Hold();
    Hold(const Hold&) = delete;

   private:
    Handle& handle_;
    std::unique_lock<std::mutex> lock_;
  };

  // Exclusive use of the open session, until this is gone. Raises where it is closed or another
  // process's. Waits without the GIL.
  class Use {
   public:
    explicit Use(Handle& handle);
    Session* operator->() const { return &*handle_.session_; }
    Session& operator*() const { return *handle_.session_; }

   private:
    Handle& handle_;
    Hold hold_;
  };

  // Needs a Use or a Hold beside it.
  Past& past() { return past_; }

  // Closed or not, as long as the object lives: what its decisions need.
  std::string explain(const Decision& decision) override;
  std::shared_ptr<const MemoryView> view();
  std::uint64_t samples();
  const MethodInfo& info() const override { return *info_; }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& class_names() const override { return class_names_; }
  const Settings& settings() const override { return settings_; }
  const std::string& fingerprint() override;
  int threads() const { return threads_; }

  bool closed() const { return closed_.load(); }
  // Once; again it does nothing.
  void close();

 private:
  std::optional<Session> session_;  // after close() to read its memory
  const MethodInfo* info_;
  std::string path_;
  std::vector<std::string> class_names_;
  Settings settings_;
  Past past_;
  std::string fingerprint_;  // once somebody asked
  int threads_;
  bool bound_;  // to its process
  unsigned forks_;
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_{};
};

// What Python holds: without a session until _start() has made one.
class PySession {
 public:
  const std::shared_ptr<Handle>& handle() const {
    if (!handle_) {
      raise({ErrorCode::unsupported, "this session was never started",
             "Session(model), Session.create or Session.open make one"});
    }
    return handle_;
  }
  void start(std::shared_ptr<Handle> handle) {
    if (handle_) raise({ErrorCode::unsupported, "this session is started already", ""});
    handle_ = std::move(handle);
  }

 private:
  std::shared_ptr<Handle> handle_;
};

// What a session remembers and where things lie (sessions_past.cpp).
void add_past(py::class_<PySession>& sessions);

}  // namespace paco::python
