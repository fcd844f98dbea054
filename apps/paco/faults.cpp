// In programs that are built with PACO_FAULTS: the disk of journals fails as PACO_JOURNAL_FAULT
// says.
#include "journal/faulty_disk.hpp"

namespace {

[[maybe_unused]] const bool kInjected = paco::journal::inject_fault_of_environment();

}  // namespace
