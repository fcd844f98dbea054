#include "study/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/enum_names.hpp"
#include "base/try.hpp"

namespace paco {
namespace {

constexpr auto kOrders = enum_names<StreamOrder>({{StreamOrder::given, "given"},
                                                  {StreamOrder::shuffled, "shuffled"},
                                                  {StreamOrder::by_class, "by_class"},
                                                  {StreamOrder::drifting, "drifting"}});

const std::vector<Contender>& listed_contenders() {
  static const std::vector<Contender> list = [] {
    std::vector<Contender> out;
    const auto add = [&](std::string label, std::string method, Settings calibrating = {},
                         Settings deciding = {}) {
      out.push_back({std::move(label), std::move(method), std::move(calibrating),
                     std::move(deciding), ReferenceChoice::automatic});
    };
    for (const char* method : {"paco", "mirror", "closed", "leader", "slc"}) add(method, method);
    const Settings ssc{{"ssc", "on"}}, literal{{"rule", "literal"}}, refit{{"refit", "on"}};
    for (const char* method : {"smile", "phe"}) {
      add(method, method);
      for (const char* bits : {"16", "32"})
        add(fmt::format("{}-{}", method, bits), method, {{"bits", bits}});
    }
    add("phe-literal", "phe", {}, literal);
    add("phe+ssc", "phe", {}, ssc);
    for (const char* bits : {"16", "32"})
      add(fmt::format("phe-{}+ssc", bits), "phe", {{"bits", bits}}, ssc);
    for (const char* method : {"hash", "mldg", "diffgre-s", "diffgre-p", "rankstat", "wta", "sync"})
      add(method, method);
    add("sync+refit", "sync", {}, refit);
    add("age", "age");
    add("age+ssc", "age", {}, ssc);
    add("mirror+prior", "mirror", {{"prior", "on"}});
    return out;
  }();
  return list;
}

std::vector<std::string> everybody() {
  return {"paco",     "mirror",   "closed",      "leader",  "slc",       "smile",
          "smile-16", "smile-32", "hash",        "mldg",    "diffgre-s", "phe",
          "phe-16",   "phe-32",   "phe-literal", "phe+ssc", "diffgre-p", "rankstat",
          "wta",      "sync",     "sync+refit",  "age",     "age+ssc"};
}

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// One value of what a plan varies, in a run.
void vary(Run& run, std::string_view factor, const std::string& value) {
  run.factors.emplace_back(std::string(factor), value);
  const auto count = [&] { return static_cast<std::size_t>(number_of(value)); };
  if (factor == "support_share") {
    run.shape.support_share = number_of(value);
  } else if (factor == "known_classes") {
    run.shape.known = count();
  } else if (factor == "shots") {
    run.shape.shots = count();
  } else if (factor == "order") {
    run.shape.order = kOrders.value(value).value_or(StreamOrder::given);
  } else if (factor == "variant") {
    if (value == "fixed reference") run.contender.reference = ReferenceChoice::prototype;
    if (value == "no routing") run.contender.calibrating["routing"] = "off";
    if (value == "static birth") run.contender.calibrating["adaptive_birth"] = "off";
  } else {
    run.contender.calibrating[std::string(factor)] = value;
  }
}

// "all" stands for everything there is, and a set that has no more than a value has it as "all".
bool applies(const DataSet& data, std::string_view factor, const std::string& value) {
  if (factor == "known_classes" && value != "all")
    return static_cast<std::size_t>(number_of(value)) < data.class_names.size();
  if (factor == "shots" && value != "all") {
    const std::size_t mean = data.support_labels.size() / data.class_names.size();
    return static_cast<std::size_t>(number_of(value)) < mean;
  }
  return true;
}

}  // namespace

std::span<const Plan> all_plans() {
  static const std::vector<std::string> main{"paco",  "mirror", "closed", "slc",
                                             "smile", "phe",    "sync",   "age"};
  static const std::vector<Plan> plans{
      {"comparison", "Every method on every data set, under both protocols", "", Question::accuracy,
       everybody()},
      {"category-count",
       "How many categories are found, and how good they are",
       "The paper counts PACO's memory, known classes included; here everybody's different answers "
       "are counted.",
       Question::accuracy,
       {"smile", "smile-16", "smile-32", "phe", "phe-16", "phe-32", "sync", "age", "slc", "paco"}},
      {"ablation",
       "PACO without one of its parts",
       "Two variants of the paper, without the statistical loss and without the angular margin, "
       "change the training of the backbone: 'paco train' makes such embeddings from images.",
       Question::accuracy,
       {"paco"},
       "variant",
       {"full", "fixed reference", "no routing", "static birth"}},
      {"sensitivity-alpha",
       "PACO under other size priors",
       "The angular margin and the weight of the statistical loss belong to 'paco train'.",
       Question::accuracy,
       {"paco"},
       "alpha",
       {"1e2", "1e3", "1e4", "1e5", "1e6", "1e7", "1e8"}},
      {"sensitivity-beta",
       "PACO under other ideas of a mature category",
       "",
       Question::accuracy,
       {"paco"},
       "beta",
       {"0.1", "0.3", "0.5", "0.7", "0.9"}},
      {"seeds",
       "The same with five seeds",
       "The seed moves PACO's replay order alone; the paper's runs also train anew.",
       Question::accuracy,
       main,
       {},
       {},
       5},
      {"support-ratio",
       "With fewer support samples of each class",
       "",
       Question::accuracy,
       main,
       "support_share",
       {"0.25", "0.5", "0.75", "1"}},
      {"birth-trace", "When categories are born, beside when novel classes appear", "",
       Question::births, main},
      {"calibration-time",
       "Seconds that a calibration takes, trained heads included",
       "",
       Question::calibration_time,
       main,
       "support_share",
       {"0.25", "0.5", "0.75", "1"}},
      {"latency", "Microseconds that a decision takes, one sample at a time", "", Question::latency,
       main},
      {"plug-and-play",
       "PACO's calibration inside other methods",
       "The paper gives one sentence on each; this is our reading.",
       Question::accuracy,
       {"phe", "phe+ssc", "phe-16", "phe-16+ssc", "phe-32", "phe-32+ssc", "age", "age+ssc"}},
      {"order",
       "The same stream in another order",
       "",
       Question::accuracy,
       main,
       "order",
       {"given", "shuffled", "by_class", "drifting"}},
      {"calibration-regions",
       "The scores that PACO's thresholds were chosen from",
       "",
       Question::regions,
       {"paco"}},
      {"few-known",
       "With fewer known classes; the others become novel",
       "",
       Question::accuracy,
       main,
       "known_classes",
       {"5", "10", "20", "50", "all"},
       3},
      {"few-shot",
       "With few support samples of each class",
       "",
       Question::accuracy,
       main,
       "shots",
       {"2", "3", "5", "10", "all"},
       3},
  };
  return plans;
}

Result<std::vector<const Plan*>> plans_called(std::string_view name) {
  std::vector<const Plan*> found;
  std::vector<std::string_view> names;
  for (const Plan& plan : all_plans()) {
    names.push_back(plan.name);
    const bool begins =
        plan.name.starts_with(name) && plan.name.substr(name.size()).starts_with("-");
    if (name == "all" || plan.name == name || begins) found.push_back(&plan);
  }
  if (!found.empty() && !name.empty()) return found;
  return Error{ErrorCode::bad_argument, fmt::format("no study is called '{}'", name),
               fmt::format("choose one of: all, {}", fmt::join(names, ", "))};
}

std::vector<std::string> contender_labels() {
  std::vector<std::string> labels;
  for (const Contender& contender : listed_contenders()) labels.push_back(contender.label);
  return labels;
}

Result<Contender> contender_called(std::string_view label) {
  for (const Contender& contender : listed_contenders()) {
    if (contender.label == label) return contender;
  }
  if (method_info(label).ok())
    return Contender{std::string(label), std::string(label), {}, {}, ReferenceChoice::automatic};
  return Error{ErrorCode::bad_argument, fmt::format("no method is called '{}'", label),
               fmt::format("choose among: {}", fmt::join(contender_labels(), ", "))};
}

Result<std::vector<Run>> runs_of(const Plan& plan, const std::vector<DataSet>& data,
                                 const std::vector<std::string>& wanted, std::uint64_t seeds) {
  std::vector<Run> runs;
  seeds = std::max(seeds, plan.least_seeds);
  for (std::size_t d = 0; d < data.size(); ++d) {
    for (const std::string& label : wanted.empty() ? plan.contenders : wanted) {
      PACO_ASSIGN(const Contender contender, contender_called(label));
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Run run;
        run.data = d;
        run.contender = contender;
        run.seed = seed;
        run.shape.draw = seed;
        run.timed =
            plan.question == Question::latency || plan.question == Question::calibration_time;
        if (plan.values.empty()) {
          // Nothing is drawn from the data, so that studies share the run.
          run.shape.draw = 0;
          runs.push_back(std::move(run));
          continue;
        }
        for (const std::string& value : plan.values) {
          if (!applies(data[d], plan.factor, value)) continue;
          Run one = run;
          vary(one, plan.factor, value);
          const bool draws = one.shape.support_share < 1 || one.shape.known > 0 ||
                             one.shape.shots > 0 || one.shape.order != StreamOrder::given;
          if (!draws) one.shape.draw = 0;
          runs.push_back(std::move(one));
        }
      }
    }
  }
  return runs;
}

}  // namespace paco
