// The interface of the peers for the list of methods: their options, their calibrations and their
// factories. docs/reference/methods.md describes each of them, and where ours is an interpretation
// of an unpublished original.
#pragma once

#include <memory>
#include <vector>

#include "methods/common/support_view.hpp"
#include "paco/method.hpp"

namespace paco::methods {

// The hash family and its kin: codes.
const std::vector<MethodOption>& hash_options();        // of SMILE, its baseline, MLDG, DiffGRE-S
const std::vector<MethodOption>& phe_options();         // of PHE and DiffGRE-P
const std::vector<MethodOption>& given_phe_options();   // the same with a trained head
const std::vector<MethodOption>& descriptor_options();  // of RankStat and WTA
const std::vector<EvidenceField>& code_fields();
Result<Section> calibrate_smile(SupportView& support, const Settings& settings);
Result<Section> calibrate_given_smile(SupportView& support, const Settings& settings);
Result<Section> calibrate_given_phe(SupportView& support, const Settings& settings);
Result<Section> calibrate_hash(SupportView& support, const Settings& settings);
Result<Section> calibrate_mldg(SupportView& support, const Settings& settings);
Result<Section> calibrate_diffgre_smile(SupportView& support, const Settings& settings);
Result<Section> calibrate_phe(SupportView& support, const Settings& settings);
Result<Section> calibrate_diffgre_phe(SupportView& support, const Settings& settings);
Result<Section> calibrate_rankstat(SupportView& support, const Settings& settings);
Result<Section> calibrate_wta(SupportView& support, const Settings& settings);
Result<std::unique_ptr<Method>> make_code_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options);

// SynC: nearest class mean with a threshold for each class, in the space of class names if names
// are given.
const std::vector<MethodOption>& sync_options();
const std::vector<EvidenceField>& sync_fields();
Result<Section> calibrate_sync(SupportView& support, const Settings& settings);
Result<std::unique_ptr<Method>> make_sync_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options);

// LTC and TALON: the nearest direction in a space that a head learned, with one threshold.
const std::vector<MethodOption>& ltc_options();
const std::vector<MethodOption>& talon_options();
const std::vector<MethodOption>& given_ltc_options();
const std::vector<MethodOption>& given_talon_options();
const std::vector<EvidenceField>& space_fields();
Result<Section> calibrate_ltc(SupportView& support, const Settings& settings);
Result<Section> calibrate_talon(SupportView& support, const Settings& settings);
Result<Section> calibrate_given_ltc(SupportView& support, const Settings& settings);
Result<Section> calibrate_given_talon(SupportView& support, const Settings& settings);
Result<std::unique_ptr<Method>> make_ltc_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options);
Result<std::unique_ptr<Method>> make_talon_method(const MethodInfo& info,
                                                  std::shared_ptr<const Model> model,
                                                  const MethodOptions& options);

// AGE-like: a gate on the classifier's confidence, then densities.
const std::vector<MethodOption>& age_options();
const std::vector<EvidenceField>& age_fields();
Result<Section> calibrate_age(SupportView& support, const Settings& settings);
Result<std::unique_ptr<Method>> make_age_method(const MethodInfo& info,
                                                std::shared_ptr<const Model> model,
                                                const MethodOptions& options);

}  // namespace paco::methods
