// Attention for one image: for every query, the weighted mean of the values over all keys, head by
// head. The queries are already scaled: the factor 1 / sqrt(head width) is part of their weights.
//
// The scores of a few queries at a time stay in the cache between the two products; the full matrix
// of scores is never stored.
#pragma once

#include <cstddef>
#include <vector>

namespace paco::embed {

struct AttentionCall {
  // Row t of each array is token t; head h has the columns from h * head_width on. After the last
  // row there must be 32 further readable numbers.
  const float* queries;
  const float* keys;
  const float* values;
  std::size_t query_stride, stride;  // of queries; of keys and values
  std::size_t asking;                // queries
  std::size_t tokens;                // keys and values
  std::size_t heads, head_width;
  float* out;  // (asking, heads * head_width)
  std::size_t out_stride;
};

// `scratch` grows as needed and can be reused in the next call.
void attend(const AttentionCall& call, std::vector<float>& scratch);

}  // namespace paco::embed
