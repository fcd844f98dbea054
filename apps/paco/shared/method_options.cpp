#include "shared/method_options.hpp"

#include <fmt/format.h>

namespace paco {

void add_set_option(Options& verb, std::vector<std::string>& given, const char* stage) {
  verb.add_texts("--set", given,
                 fmt::format("an option of the method for {}, as NAME=VALUE; 'paco methods' lists "
                             "them",
                             stage))
      .type("NAME=VALUE")
      .shown_default("none");
}

Result<Settings> parse_settings(const std::vector<std::string>& given) {
  Settings settings;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{ErrorCode::bad_argument, fmt::format("--set {}: it has no name and value", text),
                   "write --set NAME=VALUE"};
    }
    settings.insert_or_assign(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

}  // namespace paco
