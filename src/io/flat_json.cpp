#include "io/flat_json.hpp"

#include <algorithm>

#include "io/numbers.hpp"

namespace paco::io {
namespace {

// A cursor on the line; every step returns whether it found the expected text.
class Walk {
 public:
  explicit Walk(std::string_view line) : rest_(line) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_text(std::string_view& text) {
    if (!take('"')) return false;
    const auto plain = [](char c) {
      const auto code = static_cast<unsigned char>(c);
      return code >= 0x20 && code < 0x80 && c != '"' && c != '\\';
    };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), plain);
    text = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(text.size());
    return take('"');
  }
  bool take_value(FlatValue& value) {
    if (rest_.empty()) return false;
    if (rest_.front() == '"') return take_text(value.text.emplace());
    if (rest_.starts_with("null")) {
      rest_.remove_prefix(4);
      return true;
    }
    const std::size_t length = read_number(rest_, value.number.emplace());
    if (length == 0) return false;
    // A number without a point is an integer, which has no negative zero.
    if (rest_.substr(0, length) == "-0") value.number = 0.0;
    rest_.remove_prefix(length);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

bool read_flat_object(std::string_view line, std::vector<FlatValue>& values) {
  values.clear();
  Walk walk(line);
  if (!walk.take('{')) return false;
  do {
    FlatValue& value = values.emplace_back();
    if (!walk.take_text(value.key) || !walk.take(':') || !walk.take_value(value)) return false;
  } while (walk.take(','));
  return walk.take('}') && walk.at_end();
}

}  // namespace paco::io
