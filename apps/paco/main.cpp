// The program's entry: knows the verbs, nothing of what they do.
#include "verb.hpp"

int main(int argc, char** argv) {
  CLI::App app{"paco: on-the-fly category discovery"};
  CLI11_PARSE(app, argc, argv);
  return 0;
}
