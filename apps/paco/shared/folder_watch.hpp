// Reports that something in a folder or below has changed: files that were added, completed or
// removed. The caller finds out what changed.
#pragma once

#include <stop_token>
#include <string>

#include "paco/result.hpp"

namespace paco {

class FolderWatch {
 public:
  // New subfolders are watched too; hidden ones never.
  static Result<FolderWatch> begin(const std::string& folder);
  FolderWatch(FolderWatch&&) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  // Waits for a change since the last call; false if the token was set first.
  Result<bool> wait(std::stop_token stop);

 private:
  explicit FolderWatch(int descriptor) : descriptor_(descriptor) {}
  Result<void> add(const std::string& folder, int depth);
  int descriptor_;
  std::string folder_;
};

}  // namespace paco
