// The studies by name: what each of them asks, and the runs that answer it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/run.hpp"

namespace paco {

// What a study's rows are about.
enum class Question : std::uint8_t { accuracy, calibration_time, latency, births, regions };

struct Plan {
  std::string_view name;
  std::string_view title;   // for people, one line
  std::string_view remark;  // what it leaves out and why; may be empty
  Question question = Question::accuracy;
  // The contenders where the user names none.
  std::vector<std::string> contenders;
  // What is varied, once for each contender: names of options of the method or of the data's shape.
  // Without one there is a single run.
  std::string_view factor = {};
  std::vector<std::string> values = {};
  std::uint64_t least_seeds = 1;  // even where fewer are asked for
};

std::span<const Plan> all_plans();
// The study of this name; those whose names begin with it and a dash ("sensitivity"); or "all".
Result<std::vector<const Plan*>> plans_called(std::string_view name);

// A contender by its label: one of contender_labels(), or any registered method.
Result<Contender> contender_called(std::string_view label);
std::vector<std::string> contender_labels();

// Every run of a plan. `wanted`: labels in place of the plan's own, where there are any.
Result<std::vector<Run>> runs_of(const Plan& plan, const std::vector<DataSet>& data,
                                 const std::vector<std::string>& wanted, std::uint64_t seeds);

}  // namespace paco
