// Says when something in a folder or below has changed: files that came, were finished or went.
// What changed is for the caller to look up.
#pragma once

#include <stop_token>
#include <string>

#include "paco/result.hpp"

namespace paco {

class FolderWatch {
 public:
  // Subfolders that come later are watched too; hidden ones never.
  static Result<FolderWatch> begin(const std::string& folder);
  FolderWatch(FolderWatch&&) noexcept;
  FolderWatch& operator=(FolderWatch&&) = delete;
  ~FolderWatch();

  // Waits for a change that came since the last call; false if the token was set first.
  Result<bool> wait(std::stop_token stop);

 private:
  explicit FolderWatch(int descriptor) : descriptor_(descriptor) {}
  Result<void> add(const std::string& folder, int depth);
  int descriptor_;
  std::string folder_;
};

}  // namespace paco
