// The entry of each of the programs. What it does is in program.hpp; verb_table.hpp says how the
// programs differ.
#include "program.hpp"

int main(int argc, char** argv) { return paco::run_program(argc, argv); }
