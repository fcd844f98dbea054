// Simulates a user who answers questions in the middle of a stream, to measure the gain. The
// simulated user knows the truth of every sample. For a category the answer is the most frequent
// true class of its members.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "study/run.hpp"

namespace paco::study {

// What is asked, by the word after the plus of a contender's label:
//   merges     "are these two one thing?", the best score first, ranked anew after each yes
//   names      "what is this?" of the largest category without a name; a name that is taken merges
//   looks      "where does this sample belong?", the closest decisions first
//   questions  twenty merges, then names
//   verified   pages of 20 members, wrong ones struck out; then a new model of the support set and
//              the verified samples decides the stream from its start
bool is_asking(std::string_view word);

struct AnsweredRun {
  std::vector<CategoryId> shown;  // as people see them at the end, from sample `first` on
  std::size_t first = 0;
};

// Decides the first half, asks run.answers questions and decides the rest. For `verified` only the
// rest is in the result, because its new model has learned from the first half.
Result<AnsweredRun> decide_with_answers(const Run& run, const DataSet& data,
                                        std::shared_ptr<const Model> model, std::stop_token stop);

}  // namespace paco::study
