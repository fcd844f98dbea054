// The entry of `paco`, which loads no torch. What it does is in cli/program.hpp.
#include "cli/program.hpp"

int main(int argc, char** argv) { return paco::run_program(argc, argv, nullptr); }
