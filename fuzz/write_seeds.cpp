// write_seeds FOLDER: writes the seeds that are made (models, states) into FOLDER/PARSER/NAME.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "parsers.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: write_seeds FOLDER\n", stderr);
    return 2;
  }
  for (const std::string_view parser : paco::fuzz::kParsers) {
    const auto folder = std::filesystem::path(arguments[1]) / parser;
    for (const paco::fuzz::Seed& seed : paco::fuzz::made_seeds(parser)) {
      std::filesystem::create_directories(folder);
      std::ofstream file(folder / seed.name, std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.bytes.data()),
                 static_cast<std::streamsize>(seed.bytes.size()));
      if (!file.flush()) {
        std::fprintf(stderr, "cannot write %s\n", (folder / seed.name).c_str());
        return 1;
      }
    }
  }
}
