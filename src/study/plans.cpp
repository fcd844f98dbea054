#include "study/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/enum_names.hpp"
#include "core/try.hpp"
#include "paco/false_new.hpp"
#include "study/questions.hpp"

namespace paco::study {
namespace {

constexpr auto kOrders = core::enum_names<StreamOrder>({{StreamOrder::given, "given"},
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
    const Settings ssc{{"ssc", "on"}}, literal{{"rule", "literal"}};
    for (const char* method : {"smile-head", "phe-head"}) {
      add(method, method);
      for (const char* bits : {"16", "32"})
        add(fmt::format("{}-{}", method, bits), method, {{"bits", bits}});
    }
    add("phe-head-literal", "phe-head", {}, literal);
    add("phe-head+ssc", "phe-head", {}, ssc);
    for (const char* bits : {"16", "32"})
      add(fmt::format("phe-head-{}+ssc", bits), "phe-head", {{"bits", bits}}, ssc);
    for (const char* method : {"hash-head", "mldg-head", "diffgre-s-head", "diffgre-p-head",
                               "rankstat-head", "wta-head"})
      add(method, method);
    // SynC's rule as published: towards class names, 3.5 deviations, refitted; without names and
    // with 3 it is nearest class mean with a threshold for each class.
    add("sync-head", "ncm-threshold", {{"deviations", "3.5"}}, {{"refit", "on"}});
    out.back().needs_class_vectors = true;
    add("ncm-threshold", "ncm-threshold", {{"names", "none"}});
    for (const char* method : {"age-head", "ltc-head"}) {
      add(method, method);
      add(fmt::format("{}+ssc", method), method, {}, ssc);
    }
    add("talon-head", "talon-head");
    add("mirror+prior", "mirror", {{"prior", "on"}});
    for (const char* method : {"paco", "mirror"}) {
      for (const char* asking : {"merges", "names", "looks", "questions", "verified"}) {
        add(fmt::format("{}+{}", method, asking), method);
        out.back().asking = asking;
      }
    }
    return out;
  }();
  return list;
}

std::vector<std::string> everybody() {
  return {"paco",           "mirror",         "closed",        "leader",      "slc",
          "smile-head",     "smile-head-16",  "smile-head-32", "hash-head",   "mldg-head",
          "diffgre-s-head", "phe-head",       "phe-head-16",   "phe-head-32", "phe-head-literal",
          "phe-head+ssc",   "diffgre-p-head", "rankstat-head", "wta-head",    "sync-head",
          "ncm-threshold",  "age-head",       "age-head+ssc",  "ltc-head",    "talon-head"};
}

// Of cross-validation, however many labelled samples there are.
constexpr std::size_t kMostHeldOut = 3000;
// Of a stream's samples of known classes, where the embedding was trained on the support set.
constexpr double kKeptApart = 1.0 / 3;

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What a value changes in the training of a backbone: nothing, for most.
train::Training training_for(std::string_view factor, std::string_view value) {
  if (factor == "margin" || factor == "stat_weight")
    return {0, std::string(factor), std::string(value)};
  if (value == "no angular margin") return {0, "margin", "off"};
  if (value == "no statistical loss") return {0, "stat_weight", "off"};
  return {};
}

std::uint64_t trainings_wanted(const Plan& plan, std::uint64_t seeds) {
  return std::max(seeds, plan.least_trainings);
}

// True if a run with this seed and value uses this data set. Given embeddings are used for every
// seed, and only for values that do not change a training.
bool fits(const DataSet& data, const Plan& plan, std::string_view value, std::uint64_t seed,
          std::uint64_t trainings) {
  train::Training wanted = training_for(plan.factor, value);
  if (!data.training) return wanted.factor.empty();
  wanted.seed = seed % trainings;
  return *data.training == wanted;
}

// Comma-separated options, "tie=low,routing=off". The choice of the reference has the same form.
void read_as(Contender& contender, std::string_view reading) {
  while (reading.find('=') != reading.npos) {
    const std::size_t end = std::min(reading.find(','), reading.size());
    const std::string_view one = reading.substr(0, end);
    const std::size_t equals = one.find('=');
    const std::string name(one.substr(0, equals)), value(one.substr(equals + 1));
    if (name == "reference") {
      contender.reference = ReferenceChoice::prototype;
    } else {
      contender.calibrating[name] = value;
    }
    reading.remove_prefix(std::min(end + 1, reading.size()));
  }
}

// One value of what a plan varies, in a run.
void vary(Run& run, std::string_view factor, const std::string& value) {
  run.factors.emplace_back(std::string(factor), value);
  const auto count = [&] { return static_cast<std::size_t>(number_of(value)); };
  if (factor == "answers") {
    run.answers = count();
    run.shape.order = StreamOrder::shuffled;
    if (run.contender.asking.empty()) run.contender.asking = "questions";
  } else if (factor == "support_share") {
    run.shape.support_share = number_of(value);
  } else if (factor == "known_classes") {
    run.shape.known = count();
  } else if (factor == "shots") {
    run.shape.shots = count();
  } else if (factor == "false_new") {
    run.false_new = number_of(value);
  } else if (factor == "order") {
    run.shape.order = kOrders.value(value).value_or(StreamOrder::given);
  } else if (factor == "variant") {
    if (value == "fixed reference") run.contender.reference = ReferenceChoice::prototype;
    if (value == "no routing") run.contender.calibrating["routing"] = "off";
    if (value == "static birth") run.contender.calibrating["adaptive_birth"] = "off";
  } else if (factor == "reading") {
    read_as(run.contender, value);
  } else if (training_for(factor, value).factor.empty()) {
    run.contender.calibrating[std::string(factor)] = value;
  }
}

// "all" means all available data. A value is left out if a set has no more than that, because "all"
// covers it.
bool applies(const DataSet& data, std::string_view factor, const std::string& value) {
  if (factor == "known_classes" && value != "all")
    return static_cast<std::size_t>(number_of(value)) < data.class_names.size();
  if (factor == "shots" && value != "all") {
    const std::size_t mean = data.support_labels.size() / data.class_names.size();
    return static_cast<std::size_t>(number_of(value)) < mean;
  }
  // A rate needs a minimum number of held-out samples, and a class with one sample provides none.
  if (factor == "false_new" && value != "none") {
    std::vector<std::size_t> sizes(data.class_names.size());
    for (const std::int64_t label : data.support_labels) ++sizes[static_cast<std::size_t>(label)];
    std::size_t held_out = 0;
    for (const std::size_t size : sizes) held_out += size > 1 ? size : 0;
    if (data.classifier.rows() > 0) {
      const auto known = static_cast<std::int64_t>(data.class_names.size());
      held_out = static_cast<std::size_t>(
          kKeptApart *
          static_cast<double>(std::count_if(data.truth.begin(), data.truth.end(),
                                            [&](std::int64_t label) { return label < known; })));
    }
    return std::min(held_out, kMostHeldOut) >= FalseNew::samples_needed(number_of(value));
  }
  return true;
}

}  // namespace

namespace {

std::vector<Plan> own_plans() {
  static const std::vector<std::string> main{"paco",       "mirror",   "closed",        "slc",
                                             "smile-head", "phe-head", "ncm-threshold", "age-head"};
  return {
      {"comparison", "Every method on every data set, under both protocols", "", Question::accuracy,
       everybody()},
      {"category-count",
       "How many categories are found, and how good they are",
       "The paper counts PACO's memory, known classes included; here the different answers of "
       "every "
       "method are counted.",
       Question::accuracy,
       {"smile-head", "smile-head-16", "smile-head-32", "phe-head", "phe-head-16", "phe-head-32",
        "sync-head", "ncm-threshold", "age-head", "slc", "paco"}},
      {"ablation",
       "PACO without one of its parts",
       "Two variants of the paper, without the statistical loss and without the angular margin, "
       "change the training of the backbone: they are there for sets of images.",
       Question::accuracy,
       {"paco"},
       "variant",
       {"full", "no statistical loss", "no angular margin", "fixed reference", "no routing",
        "static birth"}},
      {"sensitivity-alpha",
       "PACO under other size priors",
       "",
       Question::accuracy,
       {"paco"},
       "alpha",
       {"1e2", "1e3", "1e4", "1e5", "1e6", "1e7", "1e8"}},
      {"sensitivity-beta",
       "PACO with other sizes of a mature category",
       "",
       Question::accuracy,
       {"paco"},
       "beta",
       {"0.1", "0.3", "0.5", "0.7", "0.9"}},
      {"sensitivity-margin",
       "PACO with backbones of other angular margins (images only)",
       "The margin m in radians, in training.",
       Question::accuracy,
       {"paco"},
       "margin",
       {"0", "0.1", "0.3", "0.5", "0.7"}},
      {"sensitivity-stat-weight",
       "PACO with backbones of other weights of the statistical loss (images only)",
       "The weight lambda_stat, in training.",
       Question::accuracy,
       {"paco"},
       "stat_weight",
       {"0", "0.1", "0.2", "0.5", "1"}},
      {"seeds",
       "The same with five seeds",
       "Of given embeddings every seed but the first draws another support set and another order "
       "of "
       "the stream; from images the backbone is trained anew with each, as in the paper.",
       Question::accuracy,
       main,
       {},
       {},
       5,
       5,
       0,
       true},
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
       "The paper gives one sentence on PHE and on AGE and does not name LTC; this is our "
       "reading.",
       Question::accuracy,
       {"phe-head", "phe-head+ssc", "phe-head-16", "phe-head-16+ssc", "phe-head-32",
        "phe-head-32+ssc", "age-head", "age-head+ssc", "ltc-head", "ltc-head+ssc"}},
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
      {"questions",
       "What a person's answers in the middle of a shuffled stream gain",
       "Merges, names and looks count on everything that is shown at the end; verified (pages of "
       "20 members, then a new model for the whole stream) on its second half alone.",
       Question::accuracy,
       {"paco+merges", "paco+names", "paco+looks", "paco+questions", "paco+verified",
        "mirror+merges", "mirror+names", "mirror+looks", "mirror+questions", "mirror+verified"},
       "answers",
       {"0", "5", "10", "20", "50", "100"},
       3},
      {"false-new",
       "With a promise how many samples of known classes may be called new",
       "A rate that a set has too few labelled samples for is left out. Where a classifier was "
       "trained on the support set, a third of the stream's samples of known classes is kept "
       "apart. Every seed but the first draws another support set and another order.",
       Question::accuracy,
       {"paco", "mirror", "leader"},
       "false_new",
       {"none", "0.005", "0.01", "0.02", "0.05", "0.1"},
       1,
       1,
       0,
       true},
  };
}

}  // namespace

std::span<const Plan> all_plans() {
  static const std::vector<Plan> plans = [] {
    std::vector<Plan> list = own_plans();
    list.insert(list.end(), paper_plans().begin(), paper_plans().end());
    return list;
  }();
  return plans;
}

Result<std::vector<const Plan*>> plans_called(std::string_view name) {
  if (name == "figure-sensitivity") name = "sensitivity";
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

bool about_training(const Plan& plan) {
  return !plan.values.empty() &&
         std::all_of(plan.values.begin(), plan.values.end(), [&](const std::string& value) {
           return !training_for(plan.factor, value).factor.empty();
         });
}

std::vector<train::Training> trainings_of(const Plan& plan, std::uint64_t seeds) {
  std::vector<train::Training> all;
  for (std::uint64_t seed = 0; seed < trainings_wanted(plan, seeds); ++seed) {
    std::vector<train::Training> kinds{{}};
    if (!plan.values.empty()) kinds.clear();
    for (const std::string& value : plan.values) {
      const train::Training one = training_for(plan.factor, value);
      if (std::find(kinds.begin(), kinds.end(), one) == kinds.end()) kinds.push_back(one);
    }
    for (train::Training& kind : kinds) {
      kind.seed = seed;
      all.push_back(std::move(kind));
    }
  }
  return all;
}

bool is_preset(std::string_view label) { return label == method_names().front(); }

std::optional<std::string> preset_value(const Plan& plan, const Contender& contender) {
  using Preset = std::pair<std::string_view, const char*>;
  static constexpr Preset kPresets[] = {
      {"support_share", "1"}, {"answers", "0"},    {"known_classes", "all"}, {"shots", "all"},
      {"order", "given"},     {"variant", "full"}, {"reading", "as it is"},  {"false_new", "none"}};
  for (const auto& [factor, value] : kPresets) {
    if (factor == plan.factor) return value;
  }
  const Result<const MethodInfo*> info = method_info(contender.method);
  if (!info.ok()) return std::nullopt;
  for (const MethodOption& option : (*info)->options) {
    if (option.name != plan.factor) continue;
    for (const std::string& value : plan.values) {
      if (number_of(value) == number_of(std::string(option.preset))) return value;
    }
  }
  return std::nullopt;
}

bool has_order(const Plan& plan) {
  return plan.factor != "variant" && plan.factor != "order" && plan.factor != "reading";
}

Result<std::vector<Run>> runs_of(const Plan& plan, const std::vector<DataSet>& data,
                                 const std::vector<std::string>& wanted, std::uint64_t seeds) {
  std::vector<Run> runs;
  const std::uint64_t trainings = trainings_wanted(plan, seeds);
  seeds = std::max(seeds, plan.least_seeds);
  const std::vector<std::string> nothing{""};
  for (std::size_t d = 0; d < data.size(); ++d) {
    for (const std::string& label : wanted.empty() ? plan.contenders : wanted) {
      PACO_ASSIGN(const Contender contender, contender_called(label));
      if (contender.needs_class_vectors && data[d].class_vectors.empty()) {
        if (wanted.empty()) continue;
        return Error{ErrorCode::not_found,
                     fmt::format("{} on {}: it needs a vector for the name of each known class",
                                 label, data[d].name),
                     "put class_vectors.npy into the folder ('paco embed' makes it of a text with "
                     "one name a line), or take ncm-threshold, which needs none"};
      }
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        for (const std::string& value : plan.values.empty() ? nothing : plan.values) {
          if (!fits(data[d], plan, value, seed, trainings) || !applies(data[d], plan.factor, value))
            continue;
          Run run;
          run.data = d;
          run.contender = contender;
          run.seed = run.shape.draw = seed;
          run.timed = plan.question == Question::latency ||
                      plan.question == Question::calibration_time ||
                      plan.question == Question::latency_track;
          if (plan.question == Question::birth_track) run.track = TrackKind::birth;
          if (plan.question == Question::region_track) run.track = TrackKind::regions;
          if (plan.question == Question::latency_track) run.track = TrackKind::latency;
          if (!plan.values.empty()) vary(run, plan.factor, value);
          if (plan.factor == "false_new" && data[d].classifier.rows() > 0)
            run.shape.kept_apart = kKeptApart;
          if (plan.redraws && seed > 0 && !data[d].training) {
            run.shape.redraw = true;
            run.shape.order = StreamOrder::shuffled;
          }
          // If nothing is drawn from the data, studies share the run.
          const bool draws = run.shape.support_share < 1 || run.shape.known > 0 ||
                             run.shape.shots > 0 || run.shape.kept_apart > 0 ||
                             run.shape.order != StreamOrder::given;
          if (!draws) run.shape.draw = 0;
          runs.push_back(std::move(run));
        }
      }
    }
  }
  return runs;
}

}  // namespace paco::study
