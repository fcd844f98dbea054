// Attention of one image: every query looks at all keys and takes its mixture of the values, head
// by head. The queries come scaled, 1 / sqrt(head width) being part of their weights.
//
// The scores of a few queries at a time stay in the cache between the two products; a matrix of all
// scores is never made.
#pragma once

#include <cstddef>
#include <vector>

namespace paco::embed {

struct AttentionCall {
  // Row t of each is token t; head h has the columns h * head_width and up. Behind the last row
  // there must be 32 further numbers that may be read.
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

// `scratch` grows as needed and may be kept for the next call.
void attend(const AttentionCall& call, std::vector<float>& scratch);

}  // namespace paco::embed
