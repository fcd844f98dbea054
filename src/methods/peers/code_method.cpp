// The rule of every peer that keeps codes: SMILE and its baseline, MLDG, RankStat and WTA (a list
// of codes that starts empty, exact matches only), and PHE (a list that starts with the known
// classes, and a radius). Codes in the list never change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "methods/peers/codes.hpp"
#include "methods/peers/head.hpp"
#include "methods/peers/peer_method.hpp"
#include "methods/peers/peer_options.hpp"
#include "methods/peers/peers.hpp"

namespace paco::methods {
namespace {

enum Field : std::size_t { kCode, kWeakest, kRunnerUpScore };

struct CodeRule {
  Head head;
  Coding coding = Coding::signs;
  int bits = 0;
  int radius = 0;
  std::vector<Code> centres;  // of the known classes; empty: the list starts empty
  // Compare codes as PHE's released code does. Its centres are -1 and +1 and its codes 0 and 1, so
  // a centre agrees with a code only at bits where both are +1.
  bool literal = false;
};

class CodeMethod final : public PeerMethod {
 public:
  CodeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
             const MethodOptions& options, CodeRule rule)
      : PeerMethod(info, std::move(model), options), rule_(std::move(rule)) {
    codes_ = rule_.centres;
    codes_.resize(static_cast<std::size_t>(known()));
  }

  std::vector<Statistic> statistics() const override {
    std::vector<Statistic> out{{"bits", static_cast<double>(rule_.bits), true},
                               {"radius", static_cast<double>(rule_.radius), true}};
    return out;
  }

  std::string explain_rule(const Decision& d) const override {
    const std::string name = categories().name(d.category);
    const int apart = std::isnan(d.score) ? 0 : static_cast<int>(-d.score);
    if (d.verdict != Verdict::created) {
      return apart == 0 ? fmt::format("Sample {} has the code of '{}'.", d.sequence, name)
                        : fmt::format(
                              "Sample {} goes to '{}': their codes differ in {} of {} bits, "
                              "at most {} may.",
                              d.sequence, name, apart, rule_.bits, rule_.radius);
    }
    if (std::isnan(d.score))
      return fmt::format("Sample {} starts '{}': there was no code yet.", d.sequence, name);
    return fmt::format(
        "Sample {} starts '{}': its code differs from the closest one, that of '{}', in {} of {} "
        "bits, more than {}.",
        d.sequence, name, categories().name(d.runner_up), apart, rule_.bits, rule_.radius);
  }

 private:
  void look(Rows<const float> units) override { outputs_ = rule_.head.apply(units, pool()); }

  int distance(PrototypeId id, Code code) const {
    const Code stored = codes_[static_cast<std::size_t>(id)];
    if (rule_.literal && id < known()) return rule_.bits - std::popcount(stored & code);
    return differing(stored, code);
  }

  void choose(std::size_t i, Decision& out) override {
    const Code code = code_of(outputs_[i], rule_.coding);
    BestTwo best;
    for (PrototypeId id = rule_.centres.empty() ? known() : 0; id < all(); ++id) {
      if (table()[id].competing()) best.offer(id, -distance(id, code));
    }
    float weakest = std::abs(outputs_[i][0]);
    for (const float value : outputs_[i]) weakest = std::min(weakest, std::abs(value));
    out.evidence[kCode] = static_cast<double>(code);
    out.evidence[kWeakest] = static_cast<double>(weakest);
    out.score = best.score;
    out.threshold = -static_cast<double>(rule_.radius);
    const bool joins = best.first != kNoId && best.score >= out.threshold;
    out.prototype = joins ? best.first : kNoId;
    out.runner_up = joins ? best.second : best.first;
    out.evidence[kRunnerUpScore] = joins ? best.second_score : best.score;
  }

  void joined(std::size_t i, Decision& decision) override {
    if (decision.verdict == Verdict::created) codes_.push_back(code_of(outputs_[i], rule_.coding));
  }

  void save_own(Section& own) const override {
    const auto first = codes_.begin() + known();
    std::vector<std::int64_t> kept(first, codes_.end());
    const std::uint64_t count = kept.size();
    own.tensors["codes"] = {{count}, std::move(kept)};
  }

  Result<void> restore_own(const Section& own, const std::string& name) override {
    const std::size_t count = table().size() - static_cast<std::size_t>(known());
    PACO_ASSIGN(const std::vector<std::int64_t>* kept, own.tensor<std::int64_t>("codes", count));
    for (const std::int64_t code : *kept) {
      if (code >= 0 && code >> rule_.head.outputs() == 0) continue;
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: {} is no code of {} bits", name, code, rule_.head.outputs()),
                   "the file is damaged; use an earlier state"};
    }
    codes_.resize(static_cast<std::size_t>(known()));
    codes_.insert(codes_.end(), kept->begin(), kept->end());
    return {};
  }

  CodeRule rule_;
  std::vector<Code> codes_;      // by prototype; unused for known classes if there are no centres
  math::Matrix<float> outputs_;  // of the block
};

}  // namespace

const std::vector<EvidenceField>& code_fields() {
  static const std::vector<EvidenceField> fields{
      {"code", "code", "the marks of its code as one number, the first output lowest"},
      {"weakest", "output", "smallest size of an output: how nearly a bit was the other one"},
      {"runner_up_score", "bits", "of the runner-up: less the bits in which its code differs"}};
  return fields;
}

Result<std::unique_ptr<Method>> make_code_method(const MethodInfo& info,
                                                 std::shared_ptr<const Model> model,
                                                 const MethodOptions& options) {
  PACO_ASSIGN(const Section* section, model->section(info.section));
  const auto damaged = [](const char* what) {
    return Error{ErrorCode::bad_format, what, "the file is damaged; calibrate again"};
  };
  CodeRule rule;
  PACO_ASSIGN(rule.head, Head::get(*section, "head", model->dimension));
  if (rule.head.outputs() > kMostBits) return damaged("its head has too many outputs");
  rule.bits = static_cast<int>(rule.head.outputs());
  const auto coding = section->words.find("coding");
  if (coding == section->words.end() || !kCodings.value(coding->second))
    return damaged("its section does not say how outputs become codes");
  rule.coding = *kCodings.value(coding->second);
  if (rule.coding == Coding::groups && rule.head.outputs() % kGroups != 0)
    return damaged("its head's outputs are not groups of one size");
  if (const auto centres = section->tensors.find("centres"); centres != section->tensors.end()) {
    PACO_ASSIGN(const std::vector<std::int64_t>* codes,
                section->tensor<std::int64_t>("centres", model->known_classes()));
    rule.centres.assign(codes->begin(), codes->end());
    PACO_ASSIGN(const CodeOptions own, phe_table().read(section->settings, options.settings));
    PACO_ASSIGN(const double radius, section->number(own.ssc ? "ssc.radius" : "radius"));
    if (!(radius >= 0 && radius <= static_cast<double>(kMostBits)))
      return damaged("its radius is impossible");
    rule.radius = static_cast<int>(radius);
    rule.literal = own.rule == PheRule::literal;
  }
  return std::unique_ptr<Method>(
      std::make_unique<CodeMethod>(info, std::move(model), options, std::move(rule)));
}

}  // namespace paco::methods
