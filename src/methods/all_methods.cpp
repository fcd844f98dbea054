// The list of methods: the paper's rule, its plain form and the baselines, mirror, and the peers.
#include "methods/common/false_new.hpp"
#include "methods/common/methods.hpp"
#include "methods/mirror/mirror_method.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "methods/paco/paco_section.hpp"
#include "methods/paco/paco_summary.hpp"
#include "methods/peers/peers.hpp"
#include "methods/registry.hpp"

namespace paco::methods {

std::vector<OperationKind> all_operations() {
  using enum OperationKind;
  return {rename, merge, separate, move, promote, demote, retire, revive, verify, undo};
}

namespace {

Result<Section> nothing_to_learn(SupportView&, const Settings&) { return Section{}; }

// For a method whose prototypes have no directions or are not sums of their members.
std::vector<OperationKind> category_operations() {
  using enum OperationKind;
  return {rename, merge, separate, retire, revive, verify, undo};
}

// A peer that keeps codes, under a section of its own.
Registration code_method(std::string_view name, std::string_view summary,
                         const std::vector<MethodOption>& options,
                         Result<Section> (*calibrate)(SupportView&, const Settings&),
                         bool starts_empty = true) {
  return {{name, summary, name, kNeedsSupport, options, code_fields(), category_operations()},
          calibrate,
          make_code_method,
          nullptr,
          false,
          nullptr,
          starts_empty};
}

// A method in its published form: its network was trained from images.
Registration given(Registration method) {
  method.takes_head = true;
  method.info.needs = kNeedsHead;
  return method;
}

std::vector<Registration> all() {
  static const std::vector<MethodOption> nothing;
  return {
      {{"paco", "the paper's method: calibrated routing, birth test, attaching", "paco",
        kNeedsSupport, paco_options(), paco_fields(), all_operations()},
       calibrate_paco,
       make_paco_method,
       summarise_paco,
       false,
       paco_details},
      {{"reference", "the same in plain loops: slow, and what the fast form must agree with",
        "paco", kNeedsSupport, paco_options(), paco_fields(), all_operations()},
       nullptr,
       make_reference_method,
       summarise_paco,
       false,
       paco_details},
      {{"closed",
        "never discovers: every sample goes to the closest known class",
        "closed",
        kNeedsSupport,
        {},
        baseline_fields(),
        all_operations()},
       nothing_to_learn,
       make_closed_method,
       nullptr,
       true},
      {{"leader", "sequential leader clustering that starts from the known classes", "leader",
        kNeedsSupport, leader_options(), baseline_fields(), all_operations()},
       calibrate_leader,
       make_leader_method,
       nullptr,
       true},
      {{"slc", "sequential leader clustering that starts from nothing", "leader", kNeedsSupport,
        leader_options(), baseline_fields(), all_operations()},
       nullptr,
       make_slc_method,
       nullptr,
       false,
       nullptr,
       true},
      {{"mirror", "recommended: threshold chosen by playing the task on the support set", "mirror",
        kNeedsSupport, mirror_options(), mirror_fields(), all_operations()},
       calibrate_mirror_section,
       make_mirror_method,
       summarise_mirror},
      {{"mirror-reference", "the same in plain loops: slow, and what the fast form must agree with",
        "mirror", kNeedsSupport, mirror_options(), mirror_fields(), all_operations()},
       nullptr,
       make_mirror_reference_method,
       summarise_mirror},
      code_method("smile-head",
                  "SMILE's head on embeddings: signs and magnitudes, a list of codes that starts "
                  "empty",
                  hash_options(), calibrate_smile),
      code_method("hash-head",
                  "the head of SMILE's baseline: plain hashing, a list of codes that starts empty",
                  hash_options(), calibrate_hash),
      code_method("mldg-head", "the same trained by meta-learning over classes (our reading)",
                  hash_options(), calibrate_mldg),
      code_method("diffgre-s-head",
                  "SMILE's head with virtual samples (DiffGRE without its generator)",
                  hash_options(), calibrate_diffgre_smile),
      code_method("phe-head",
                  "PHE's head on embeddings: hash centres of the known classes, a radius around "
                  "each code",
                  phe_options(), calibrate_phe, false),
      code_method("diffgre-p-head",
                  "PHE's head with virtual samples (DiffGRE without its generator)", phe_options(),
                  calibrate_diffgre_phe, false),
      code_method("rankstat-head", "RankStat: the 3 largest of 32 numbers are the code",
                  descriptor_options(), calibrate_rankstat),
      code_method("wta-head", "winner takes all: the largest of each 16 of 48 numbers are the code",
                  descriptor_options(), calibrate_wta),
      {{"ncm-threshold",
        "nearest class mean, a threshold for each class; with class names SynC's head on "
        "embeddings",
        "ncm-threshold", kNeedsSupport, sync_options(), sync_fields(), category_operations()},
       calibrate_sync,
       make_sync_method,
       nullptr},
      {{"ltc-head",
        "LTC's head on embeddings: nearest direction, a threshold that training leaves behind",
        "ltc-head", kNeedsSupport, ltc_options(), space_fields(), category_operations()},
       calibrate_ltc,
       make_ltc_method,
       nullptr},
      {{"talon-head",
        "TALON's head on embeddings: nearest direction; prototypes follow their samples",
        "talon-head", kNeedsSupport, talon_options(), space_fields(), category_operations()},
       calibrate_talon,
       make_talon_method,
       nullptr},
      {{"age-head",
        "AGE-like, on embeddings: a gate on the classifier's confidence, then densities",
        "age-head", kNeedsSupport, age_options(), age_fields(), category_operations()},
       calibrate_age,
       make_age_method,
       nullptr},
      given(code_method("smile", "SMILE, with the backbone and head that were trained together",
                        nothing, calibrate_given_smile)),
      given(code_method("phe", "PHE, with the backbone and head that were trained together",
                        given_phe_options(), calibrate_given_phe, false)),
      given({{"ltc", "LTC, in the space of the backbone that was trained with its losses", "ltc",
              kNeedsSupport, given_ltc_options(), space_fields(), category_operations()},
             calibrate_given_ltc,
             make_ltc_method,
             nullptr}),
      given({{"talon", "TALON, in the space of the backbone that was trained with its losses",
              "talon", kNeedsSupport, given_talon_options(), space_fields(), category_operations()},
             calibrate_given_talon,
             make_talon_method,
             nullptr}),
  };
}

std::vector<Registration>& list() {
  static std::vector<Registration> methods = [] {
    std::vector<Registration> made = all();
    for (Registration& method : made) method.info.evidence.push_back(gate_field());
    return made;
  }();
  return methods;
}

}  // namespace

std::span<const Registration> registered_methods() { return list(); }

void add_method(Registration method) {
  method.info.evidence.push_back(gate_field());
  list().push_back(std::move(method));
}

}  // namespace paco::methods
