// The methods of every program but the demonstration's: PACO's own, mirror and the peers.
#include "methods/mirror/mirror_method.hpp"
#include "methods/peers/peers.hpp"
#include "methods/registry.hpp"

namespace paco::methods {
namespace {

// Of a method whose prototypes have no directions, or are no sums of members.
std::vector<OperationKind> category_operations() {
  using enum OperationKind;
  return {rename, merge, separate, retire, revive, undo};
}

// A peer that keeps codes, under a section of its own.
Registration code_method(std::string_view name, std::string_view summary,
                         const std::vector<MethodOption>& options,
                         Result<Section> (*calibrate)(SupportView&, const Settings&)) {
  return {{name, summary, name, kNeedsSupport, options, code_fields(), category_operations()},
          calibrate,
          make_code_method,
          nullptr};
}

std::vector<Registration> all() {
  std::vector<Registration> list = own_methods();
  const std::vector<Registration> others{
      {{"mirror", "threshold chosen by playing the task on the support set; for few known classes",
        "mirror", kNeedsSupport, mirror_options(), mirror_fields(), all_operations()},
       calibrate_mirror_section,
       make_mirror_method,
       summarise_mirror},
      code_method("smile", "SMILE: signs and magnitudes, a list of codes that starts empty",
                  hash_options(), calibrate_smile),
      code_method("hash", "SMILE's baseline: plain hashing, a list of codes that starts empty",
                  hash_options(), calibrate_hash),
      code_method("mldg", "the hash baseline trained by meta-learning over classes (our reading)",
                  hash_options(), calibrate_mldg),
      code_method("diffgre-s", "SMILE trained with virtual samples (DiffGRE without its generator)",
                  hash_options(), calibrate_diffgre_smile),
      code_method("phe", "PHE: hash centres of the known classes, and a radius around each code",
                  phe_options(), calibrate_phe),
      code_method("diffgre-p", "PHE trained with virtual samples (DiffGRE without its generator)",
                  phe_options(), calibrate_diffgre_phe),
      code_method("rankstat", "RankStat: the 3 largest of 32 numbers are the code",
                  descriptor_options(), calibrate_rankstat),
      code_method("wta", "winner takes all: the largest of each 16 of 48 numbers are the code",
                  descriptor_options(), calibrate_wta),
      {{"sync", "SynC: nearest class mean, a threshold for each class; with or without class names",
        "sync", kNeedsSupport, sync_options(), sync_fields(), category_operations()},
       calibrate_sync,
       make_sync_method,
       nullptr},
      {{"ltc", "LTC: nearest direction in a learned space, a threshold that training leaves behind",
        "ltc", kNeedsSupport, ltc_options(), space_fields(), category_operations()},
       calibrate_ltc,
       make_space_method,
       nullptr},
      {{"talon", "TALON: nearest direction in a learned space; prototypes follow their samples",
        "talon", kNeedsSupport, talon_options(), space_fields(), category_operations()},
       calibrate_talon,
       make_space_method,
       nullptr},
      {{"age", "AGE-like: a gate on the classifier's confidence, then densities", "age",
        kNeedsSupport, age_options(), age_fields(), category_operations()},
       calibrate_age,
       make_age_method,
       nullptr},
  };
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace

std::span<const Registration> registered_methods() {
  static const std::vector<Registration> list = all();
  return list;
}

}  // namespace paco::methods
