#include "handle.hpp"

#include <fmt/format.h>

namespace paco::python {

Handle::Handle(Session session, int threads)
    : session_(std::move(session)),
      info_(&session_->method().info()),
      path_(session_->path()),
      class_names_(session_->model().class_names),
      settings_(session_->method().settings()),
      threads_(threads),
      bound_(session_->has_journal() || threads != 1),
      forks_(forks()) {}

Handle::~Handle() {
  // After a fork the session's threads do not exist here and its file belongs to the parent
  // process, so the session is leaked.
  if (!closed_ && bound_ && forks_ != forks()) static_cast<void>(new Session(std::move(*session_)));
}

Handle::Hold::Hold(Handle& handle) : handle_(handle) {
  const bool elsewhere = handle.forks_ != forks();
  const std::string& path = handle.path_;
  if (elsewhere && handle.bound_) {
    raise({ErrorCode::unsupported,
           fmt::format("{}: this session belongs to the process that opened it",
                       path.empty() ? "in memory, with threads" : path),
           path.empty() ? "make it in the process that uses it, or with threads=1"
                        : "open it there, or look at it with Session.look"});
  }
  if (handle.holder_.load() == std::this_thread::get_id()) {
    raise({ErrorCode::unsupported, "this session is in the middle of a call on this very thread",
           "use it when the call has returned"});
  }
  lock_ = std::unique_lock(handle.mutex_, std::try_to_lock);
  if (!lock_) {
    if (elsewhere) {
      raise({ErrorCode::unsupported, "this session was in use when the process was forked",
             "fork between two calls, or copy the session first"});
    }
    if (is_ending() && !is_left_behind()) {
      raise({ErrorCode::unsupported, "this session was in use when the program ended",
             "let threads that use it come to their end first"});
    }
    const ReleaseGil release(ReleaseGil::For::wait);
    lock_.lock();
  }
  handle.holder_.store(std::this_thread::get_id());
}

Handle::Hold::~Hold() { handle_.holder_.store({}); }

Handle::Use::Use(Handle& handle) : handle_(handle), hold_(handle) {
  if (handle.closed_) {
    raise(py::module_::import("pacodiscovery.errors")
              .attr("ClosedError")(fmt::format("{}: the session is closed",
                                               handle.path_.empty() ? "in memory" : handle.path_),
                                   handle.path_.empty() ? "start another one"
                                                        : "Session.open goes on where it ended"));
  }
}

std::string Handle::explain(const Decision& decision) {
  const Hold held(*this);
  return session_->method().explain(decision);
}

std::shared_ptr<const MemoryView> Handle::view() {
  const Hold held(*this);
  return session_->view();
}

std::uint64_t Handle::samples() {
  const Hold held(*this);
  return session_->samples();
}

// No Hold is needed: the model never changes, and the GIL is held.
const std::string& Handle::fingerprint() {
  if (fingerprint_.empty()) fingerprint_ = session_->model().fingerprint();
  return fingerprint_;
}

void Handle::close() {
  const Hold held(*this);
  if (closed_.exchange(true)) return;
  Result<void> done;
  {
    const ReleaseGil release;
    done = session_->close();
  }
  take(done);
}

}  // namespace paco::python
