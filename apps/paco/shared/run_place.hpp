// Records where and when a run was made.
#pragma once

#include "study/run_record.hpp"

namespace paco {

// This program, this machine, the present time.
study::RunPlace this_place();

}  // namespace paco
