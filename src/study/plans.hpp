// The studies by name: the question of each one, and the runs that answer it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/run.hpp"

namespace paco::study {

// What a study's rows are about.
enum class Question : std::uint8_t {
  accuracy,
  calibration_time,
  latency,
  births,
  regions,
  data_sets,      // how large they are; nothing is run
  birth_track,    // what PACO's birth boundary did along the stream
  region_track,   // where samples of the stream lie among PACO's thresholds
  latency_track,  // the time of a decision along the stream
};

struct Plan {
  std::string_view name;
  std::string_view title;   // for people, one line
  std::string_view remark;  // what it leaves out and why; may be empty
  Question question = Question::accuracy;
  // The contenders if the user names none.
  std::vector<std::string> contenders;
  // What is varied, once for each contender: the name of an option of the method, of the data's
  // shape or of the training. If it is empty, there is one run.
  std::string_view factor = {};
  std::vector<std::string> values = {};
  std::uint64_t least_seeds = 1;      // even if fewer are asked for
  std::uint64_t least_trainings = 1;  // of each set of images, likewise
  int table = 0;                      // of the paper, if it is rebuilt in the paper's layout
  bool redraws = false;               // seeds from 1 on draw support set and order anew
};

std::span<const Plan> all_plans();
// The part of them that rebuilds the paper's tables and figures, in paper_plans.cpp.
const std::vector<Plan>& paper_plans();
// The study of this name; those whose names begin with it and a dash ("sensitivity", which is also
// "figure-sensitivity"); or "all".
Result<std::vector<const Plan*>> plans_called(std::string_view name);

// The trainings that a plan needs of every set of images; seeds: as many as are asked for.
std::vector<train::Training> trainings_of(const Plan& plan, std::uint64_t seeds);

// Does it vary nothing but the training of backbones?
bool about_training(const Plan& plan);

// A contender by its label: one of contender_labels(), or any registered method.
Result<Contender> contender_called(std::string_view label);
std::vector<std::string> contender_labels();

// The contender that is used unless another one is asked for: the first of method_names().
bool is_preset(std::string_view label);
// Of the values that a plan varies for a contender, the one that is used if nothing is varied.
// Nothing if the training of the backbone determines it.
std::optional<std::string> preset_value(const Plan& plan, const Contender& contender);
// Do the values have an order, as numbers do?
bool has_order(const Plan& plan);

// All runs of a plan. `wanted`: labels that replace the plan's own; may be empty. A run on a set of
// images uses the backbone that was trained with the run's seed. Empty if the plan is about
// training and only embeddings are given.
Result<std::vector<Run>> runs_of(const Plan& plan, const std::vector<DataSet>& data,
                                 const std::vector<std::string>& wanted, std::uint64_t seeds);

}  // namespace paco::study
