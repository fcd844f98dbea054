// A session as a Python object: usable from any thread, one at a time; closed once; safe in a
// forked process.
//
// A journal and helper threads do not survive a fork, so a session with either can be used only in
// the process that opened it. A session in memory with one thread is copied by the fork, and the
// copies are independent.
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
  // finaliser that runs during a call and uses the session gets an exception.
  class Hold {
   public:
    explicit Hold(Handle& handle);
    ~Hold();
    Hold(const Hold&) = delete;

   private:
    Handle& handle_;
    std::unique_lock<std::mutex> lock_;
  };

  // Exclusive use of the open session during the lifetime of this object. Raises if the session is
  // closed or belongs to another process. Waits without the GIL.
  class Use {
   public:
    explicit Use(Handle& handle);
    Session* operator->() const { return &*handle_.session_; }
    Session& operator*() const { return *handle_.session_; }

   private:
    Handle& handle_;
    Hold hold_;
  };

  // Requires that a Use or a Hold exists.
  Past& past() { return past_; }

  // Valid for closed sessions too, because their decisions need these functions.
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
  // Closes the session; further calls do nothing.
  void close();

 private:
  std::optional<Session> session_;  // kept after close() to read its memory
  const MethodInfo* info_;
  std::string path_;
  std::vector<std::string> class_names_;
  Settings settings_;
  Past past_;
  std::string fingerprint_;  // computed on first use
  int threads_;
  bool bound_;  // usable in its own process only
  unsigned forks_;
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_{};
};

// The Python object: empty until _start() creates the session.
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

// Functions about past samples: members, attributes, embeddings (sessions_past.cpp).
void add_past(py::class_<PySession>& sessions);

}  // namespace paco::python
