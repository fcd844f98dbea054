#include "bus/program_embedder.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bus/bytes.hpp"
#include "core/try.hpp"

extern char** environ;

namespace paco::bus {

Result<std::unique_ptr<ProgramEmbedder>> ProgramEmbedder::start(const std::string& command,
                                                                std::stop_token stop) {
  std::unique_ptr<ProgramEmbedder> made(new ProgramEmbedder(command, std::move(stop)));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{ErrorCode::io, fmt::format("{}: {}", command, std::strerror(errno)), ""};
  made->socket_ = ends[0];
  const timeval second{1, 0};  // interval between checks of the stop token
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string shell = "/bin/sh", flag = "-c", line = command;
  char* words[] = {shell.data(), flag.data(), line.data(), nullptr};
  const int failed =
      ::posix_spawn(&made->process_, shell.c_str(), &actions, nullptr, words, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0)
    return Error{ErrorCode::io, fmt::format("{}: {}", command, std::strerror(failed)), ""};
  return made;
}

ProgramEmbedder::~ProgramEmbedder() {
  if (socket_ >= 0) ::close(socket_);  // ends the input of the program
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

Error ProgramEmbedder::gone(const char* doing) const {
  return {ErrorCode::io, fmt::format("'{}' ended while {}", command_, doing),
          "run it by hand to see why; docs/how-to/scale.md has what it is given and must answer"};
}

Result<void> ProgramEmbedder::send(const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(socket_, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return gone("it was given pictures");
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return {};
}

Result<void> ProgramEmbedder::receive(void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::recv(socket_, at, size, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (stop_.stop_requested())
        return Error{ErrorCode::interrupted, fmt::format("'{}': interrupted", command_), ""};
      continue;
    }
    if (got <= 0) return gone("it was to answer");
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

Result<void> ProgramEmbedder::embed(std::span<const embed::Image> images, Rows<float> out) {
  std::string batch;
  ByteWriter writer(batch);
  writer.number(static_cast<std::uint32_t>(images.size()));
  for (const embed::Image& image : images) {
    writer.number(static_cast<std::uint32_t>(image.width));
    writer.number(static_cast<std::uint32_t>(image.height));
    writer.bytes(image.pixels.data(), image.pixels.size());
  }
  PACO_TRY(send(batch.data(), batch.size()));
  std::uint32_t shape[2];
  PACO_TRY(receive(shape, sizeof shape));
  if (shape[0] != images.size() || shape[1] != out.columns) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("'{}' answers {} embeddings of {} numbers, {} of {} are expected",
                             command_, shape[0], shape[1], images.size(), out.columns),
                 "it must be the network that the model's support set was embedded with"};
  }
  return receive(out.data, out.rows * out.columns * sizeof(float));
}

}  // namespace paco::bus
