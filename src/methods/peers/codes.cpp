#include "methods/peers/codes.hpp"

#include <algorithm>
#include <map>

namespace paco::methods {

Code code_of(std::span<const float> outputs, Coding coding) {
  Code code = 0;
  const auto mark = [&](std::size_t i) { code |= Code{1} << i; };
  switch (coding) {
    case Coding::signs:
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] > 0) mark(i);
      }
      break;
    case Coding::top:
      for (std::size_t place = 0; place < std::min(kTop, outputs.size()); ++place) {
        std::size_t best = outputs.size();
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if ((code >> i & 1) != 0) continue;
          if (best == outputs.size() || outputs[i] > outputs[best]) best = i;
        }
        mark(best);
      }
      break;
    case Coding::groups: {
      const std::size_t width = outputs.size() / kGroups;
      for (std::size_t g = 0; g < kGroups; ++g) {
        const auto group = outputs.subspan(g * width, width);
        mark(g * width + static_cast<std::size_t>(std::max_element(group.begin(), group.end()) -
                                                  group.begin()));
      }
      break;
    }
  }
  return code;
}

std::vector<Code> codes_of(Rows<const float> outputs, Coding coding) {
  std::vector<Code> codes;
  for (std::size_t i = 0; i < outputs.rows; ++i) codes.push_back(code_of(outputs[i], coding));
  return codes;
}

CodeQuality code_quality(std::span<const Code> codes, std::span<const std::int64_t> labels) {
  std::map<Code, std::map<std::int64_t, std::size_t>> counts;
  for (std::size_t i = 0; i < codes.size(); ++i) ++counts[codes[i]][labels[i]];
  CodeQuality out;
  out.codes = counts.size();
  std::size_t right = 0;
  for (const auto& [code, classes] : counts) {
    std::size_t most = 0;
    for (const auto& [label, count] : classes) most = std::max(most, count);
    right += most;
  }
  out.purity = static_cast<double>(right) / static_cast<double>(codes.size());
  return out;
}

}  // namespace paco::methods
