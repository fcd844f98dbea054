// The studies that rebuild a table or figure of the paper in its own layout.
#include "study/plans.hpp"

namespace paco::study {

namespace {

// Every reading alone, without routing, and without adaptive birth.
std::vector<std::string> readings() {
  std::vector<std::string> values;
  for (const char* reading : {"", "tie=low", "tie=high", "spread=0", "spread=0.5", "spread=2",
                              "spread=3", "reference=prototype"}) {
    for (const char* variant : {"", "routing=off", "adaptive_birth=off"}) {
      std::string value = reading;
      if (!value.empty() && *variant != 0) value += ",";
      value += variant;
      values.push_back(value.empty() ? "as it is" : value);
    }
  }
  return values;
}

}  // namespace

const std::vector<Plan>& paper_plans() {
  static const std::vector<Plan> plans = [] {
    std::vector<Plan> list;
    const auto table = [&](int number, std::string_view name, std::string_view title,
                           std::string_view remark, std::vector<std::string> contenders,
                           Question question = Question::accuracy) -> Plan& {
      Plan& plan = list.emplace_back(Plan{name, title, remark, question, std::move(contenders)});
      plan.table = number;
      return plan;
    };
    table(1, "table1", "Table 1: methods on all data sets, under both protocols", "",
          {"slc", "mldg-head", "rankstat-head", "wta-head", "smile-head", "phe-head",
           "diffgre-s-head", "diffgre-p-head", "sync-head", "age-head", "paco", "ncm-threshold"});
    table(
        2, "table2", "Table 2: numbers of categories, and accuracy",
        "The paper counts PACO's memory, known classes included, and the different answers of the "
        "others; so does this table.",
        {"smile-head-16", "smile-head-32", "phe-head-16", "phe-head-32", "sync-head", "age-head",
         "paco", "ncm-threshold"});
    Plan& ablation =
        table(3, "table3", "Table 3: PACO without one of its parts",
              "Without the statistical loss and without the angular margin the backbone is trained "
              "anew: for sets of images.",
              {"paco"});
    ablation.factor = "variant";
    ablation.values = {"no statistical loss", "no angular margin", "fixed reference",
                       "no routing",          "static birth",      "full"};
    table(4, "table4", "Table 4: PACO's calibration inside other methods",
          "The paper gives one sentence on each; this is our reading.",
          {"age-head", "age-head+ssc", "phe-head", "phe-head+ssc"});
    table(5, "table5", "Table 5: the data sets", "", {}, Question::data_sets);
    Plan& seeds = table(6, "table6", "Table 6: mean and deviation over five seeds", "", {"paco"});
    seeds.least_seeds = seeds.least_trainings = 5;
    Plan& time =
        table(7, "table7", "Table 7: seconds of a calibration",
              "Extraction is the time in which a study embedded the support set; of embeddings "
              "that were given it is not known. The paper's times are of another machine.",
              {"paco"}, Question::calibration_time);
    time.least_seeds = 5;
    list.push_back({"readings",
                    "What the paper leaves open, each with and without routing and adaptive birth",
                    "The end of a plateau of equally good thresholds, the spread below the birth "
                    "threshold, and references from prototypes. The paper's ablation loses by "
                    "taking routing or adaptive birth away; a reading under which it does so here "
                    "would be the paper's.",
                    Question::accuracy,
                    {"paco"},
                    "reading",
                    readings()});
    list.push_back({"figure-support-ratio",
                    "Accuracy with fewer support samples of each class",
                    "",
                    Question::accuracy,
                    {"paco"},
                    "support_share",
                    {"0.25", "0.5", "0.75", "1"}});
    list.push_back({"figure-birth",
                    "The birth boundary, its mixing weight and the categories",
                    "",
                    Question::birth_track,
                    {"paco"}});
    list.push_back({"figure-regions",
                    "Samples of the stream in the regions of the decision",
                    "",
                    Question::region_track,
                    {"paco"}});
    list.push_back({"figure-latency",
                    "Time of a decision over the stream, in steps of 4 %",
                    "",
                    Question::latency_track,
                    {"paco"}});
    return list;
  }();
  return plans;
}

}  // namespace paco::study
