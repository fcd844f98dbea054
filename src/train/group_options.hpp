// Who takes part in a distributed run and where they meet. Torch-free.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "paco/result.hpp"

namespace paco::train {

struct GroupOptions {
  int rank = 0;                       // of this process, from 0
  int size = 1;                       // processes in all
  std::string address = "127.0.0.1";  // of the process with rank 0, as the others reach it
  int port = 29500;
  int timeout_seconds = 300;  // how long to wait for the others, at the start and in every step
};

// Fills what is not given from RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, the names that
// launchers set. `variable` looks one up; the program passes getenv, a test a map.
struct GroupArguments {
  std::optional<int> rank, size, port;
  std::optional<std::string> address;
};
Result<GroupOptions> group_options(
    const GroupArguments& arguments,
    const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace paco::train
