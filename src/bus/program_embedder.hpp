// An embedder in a separate program, in any language and on any device: the worker writes batches
// of pictures to its standard input and reads embeddings from its standard output.
//
// A batch: the number of pictures (u32); then for each its width and height (u32) and its RGB
// bytes. The answer: the number of rows (u32), the numbers per row (u32), and the numbers
// (float32). All little-endian. The program must exit when its input ends.
#pragma once

#include <stop_token>
#include <string>

#include "bus/worker.hpp"

namespace paco::bus {

class ProgramEmbedder final : public PictureEmbedder {
 public:
  // `command` is run by the shell. Setting the token ends a wait for an answer.
  static Result<std::unique_ptr<ProgramEmbedder>> start(const std::string& command,
                                                        std::stop_token stop);
  ~ProgramEmbedder() override;
  Result<void> embed(std::span<const embed::Image> images, Rows<float> out) override;

 private:
  ProgramEmbedder(std::string command, std::stop_token stop)
      : command_(std::move(command)), stop_(std::move(stop)) {}
  Result<void> send(const void* data, std::size_t size);
  Result<void> receive(void* data, std::size_t size);
  Error gone(const char* doing) const;

  const std::string command_;
  const std::stop_token stop_;
  int socket_ = -1;
  int process_ = -1;
};

}  // namespace paco::bus
