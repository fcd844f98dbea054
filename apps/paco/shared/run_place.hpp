// Where and when a run was made, for its record.
#pragma once

#include "study/run_record.hpp"

namespace paco {

// This program, this machine, now.
study::RunPlace this_place();

}  // namespace paco
