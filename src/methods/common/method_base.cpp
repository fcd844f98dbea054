#include "methods/common/method_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/files.hpp"
#include "core/try.hpp"
#include "methods/common/false_new.hpp"

namespace paco {

bool MethodInfo::supports(OperationKind kind) const {
  return std::find(operations.begin(), operations.end(), kind) != operations.end();
}

int MethodInfo::field(std::string_view wanted) const {
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (evidence[i].name == wanted) return static_cast<int>(i);
  }
  return -1;
}

Result<Decision> Method::decide(std::span<const double> embedding) {
  Decision decision;
  PACO_TRY(decide_block({embedding.data(), 1, embedding.size()}, {&decision, 1}));
  return decision;
}

Result<Decision> Method::decide(std::span<const float> embedding) {
  const std::vector<double> wide(embedding.begin(), embedding.end());
  return decide(std::span<const double>(wide));
}

Result<void> Method::restore(const std::string& path) {
  PACO_ASSIGN(std::vector<std::byte> bytes, core::read_file(path));
  return restore(std::move(bytes), path);
}

}  // namespace paco

namespace paco::methods {

MethodBase::MethodBase(const MethodInfo& info, std::shared_ptr<const Model> model,
                       Settings settings)
    : MethodBase(info, model, std::move(settings), std::make_shared<const StandardTransform>(model),
                 {model->references.data(), model->known_classes(), model->dimension}) {}

MethodBase::MethodBase(const MethodInfo& info, std::shared_ptr<const Model> model,
                       Settings settings, std::shared_ptr<const StandardTransform> space,
                       Rows<const float> references)
    : info_(info),
      model_(std::move(model)),
      space_(std::move(space)),
      references_(references),
      settings_(std::move(settings)),
      gate_(gate_of(*model_->section(info.section).value())),
      gate_field_(static_cast<std::size_t>(info.field(kGateField))),
      categories_(model_->class_names),
      table_(*model_) {
  recount_categories();
}

void MethodBase::answer_by_gate(const BestTwo& nearest, double gate, Decision& d) const {
  d.prototype = nearest.first;
  d.runner_up = nearest.second;
  d.score = nearest.score;
  d.threshold = d.evidence[gate_field_] = gate;
}

std::string MethodBase::explain(const Decision& d) const {
  if (std::isnan(d.evidence[gate_field_])) return explain_rule(d);
  const auto promise = false_new_of(*model_, info_.name);
  return fmt::format(
      "Sample {} is known class '{}': its cosine {:.4f} reaches the {:.4f} from which a sample "
      "stays with its known class, so that at most {:g} % of known samples are called new.",
      d.sequence, categories_.name(d.category), d.score, d.threshold,
      promise ? 100 * promise->rate : 0.0);
}

PrototypeId MethodBase::begin_prototype() {
  PrototypeRecord record;
  record.birth = samples_;
  record.members = 1;
  return table_.add(record);
}

CategoryId MethodBase::open_category(PrototypeId id) {
  const CategoryId category = categories_.open(id, samples_);
  table_.edit(id).owner = category;
  known_.push_back(0);
  ++discovered_;
  return category;
}

void MethodBase::conclude(Decision& d) {
  d.sequence = samples_++;
  // Up to this point `runner_up` is a prototype id. If there is no runner-up, it becomes the
  // winner.
  d.runner_up = d.runner_up == kNoId ? d.category : table_[d.runner_up].owner;
  ++categories_.edit(d.category).answered;
  d.categories_after = discovered_;
}

void MethodBase::complete(Decision& d) {
  if (d.prototype == kNoId) {
    d.prototype = begin_prototype();
    d.category = open_category(d.prototype);
    d.verdict = Verdict::created;
  } else {
    const PrototypeRecord& record = table_[d.prototype];
    d.category = record.owner;
    d.verdict = is_known(d.category) ? Verdict::known : Verdict::existing;
    d.counted = record.reference();
    join(d.prototype);
  }
  conclude(d);
}

Prototype MethodBase::prototype(PrototypeId id) const {
  const PrototypeRecord& record = table_[id];
  Prototype out;
  out.owner = record.owner;
  out.reference = record.reference();
  out.competing = record.competing();
  out.members = record.members;
  out.counted = record.counted;
  out.birth = record.birth;
  if (!record.support && record.members > 0)
    out.resultant_length = resultant(id) / static_cast<double>(record.members);
  return out;
}

std::shared_ptr<const MemoryView> MethodBase::view() {
  for (const PrototypeId id : table_.take_changed()) {
    while (shown_.size() <= static_cast<std::size_t>(id)) shown_.push_back({});
    shown_.edit(static_cast<std::size_t>(id)) = prototype(id);
  }
  auto view = std::make_shared<MemoryView>();
  view->samples = samples_;
  view->categories = categories_.share();
  view->prototypes = shown_.share();
  view->discovered = discovered_;
  for (CategoryId id = 0; id < static_cast<CategoryId>(model_->known_classes()); ++id)
    view->known += is_known(id) && categories_.is_live(id);
  view->known += promoted_;
  return view;
}

State MethodBase::state() const {
  State state;
  state.samples = samples_;
  state.categories = categories_;
  state.prototypes = table_;
  save_own(state.own);
  const std::size_t d = model_->dimension;
  std::vector<float> rows;
  for (const auto& [id, values] : rows_) rows.insert(rows.end(), values.begin(), values.end());
  state.own.tensors["rows"] = {{rows_.size(), d}, std::move(rows)};
  return state;
}

Result<std::vector<std::byte>> MethodBase::save(const std::string& note) const {
  return state_to_bytes(state(), *this, note);
}

Result<std::string> MethodBase::digest() const { return state_digest(state(), *this); }

Result<void> MethodBase::restore(std::vector<std::byte> bytes, const std::string& name) {
  PACO_ASSIGN(State state, state_from_bytes(std::move(bytes), name, *this, keeps_candidates()));
  Result<void> done = take(state, name);
  if (done.ok()) return done;
  // An error in a section does not contain the file name, because only this function has it.
  Error error = done.error();
  if (!error.message.starts_with(name)) {
    error.message = fmt::format("{}: {}", name, error.message);
    error.hint = "the file is damaged; use an earlier state";
  }
  return error;
}

// If an error occurs, the previous state is restored, also if the method's own part reports it.
Result<void> MethodBase::take(State& state, const std::string& name) {
  const std::size_t d = model_->dimension;
  std::vector<PrototypeId> promoted;
  for (std::size_t i = 0; i < state.prototypes.size(); ++i) {
    const auto id = static_cast<PrototypeId>(i);
    if (state.prototypes[id].promoted) promoted.push_back(id);
  }
  std::map<PrototypeId, std::vector<float>> rows;
  PACO_ASSIGN(const std::vector<float>* values,
              state.own.tensor<float>("rows", promoted.size() * d));
  if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
    return Error{ErrorCode::bad_format, "a promoted prototype's direction is not finite", ""};
  for (std::size_t i = 0; i < promoted.size(); ++i) {
    const auto begin = values->begin() + static_cast<std::ptrdiff_t>(i * d);
    rows[promoted[i]].assign(begin, begin + static_cast<std::ptrdiff_t>(d));
  }
  const auto swap = [&] {
    std::swap(samples_, state.samples);
    std::swap(categories_, state.categories);
    std::swap(table_, state.prototypes);
    std::swap(rows_, rows);
    recount_categories();
  };
  swap();
  const Result<void> done = restore_own(state.own, name);
  if (done.ok()) {
    shown_ = {};
  } else {
    swap();
  }
  return done;
}

void MethodBase::recount_categories() {
  known_.assign(static_cast<std::size_t>(categories_.next()), 0);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const PrototypeRecord& record = table_[static_cast<PrototypeId>(i)];
    if (record.exists && record.owner != kNoId && record.reference())
      known_[static_cast<std::size_t>(record.owner)] = 1;
  }
  discovered_ = promoted_ = 0;
  for (CategoryId id = 0; id < categories_.next(); ++id) {
    if (!categories_.is_live(id)) continue;
    discovered_ += !is_known(id);
    promoted_ += is_known(id) && id >= static_cast<CategoryId>(model_->known_classes());
  }
}

// A sum without members is zero.
bool MethodBase::has_sum(PrototypeId id) const {
  const PrototypeRecord& record = table_[id];
  return record.exists && !record.support && record.members > 0;
}

void MethodBase::save_own(Section& own) const {
  std::vector<double> sums;
  std::uint64_t count = 0;
  for (PrototypeId id = 0; id < next_prototype(); ++id) {
    if (!has_sum(id)) continue;
    const std::vector<double> values = sum(id);
    sums.insert(sums.end(), values.begin(), values.end());
    ++count;
  }
  own.tensors["sums"] = {{count, model_->dimension}, std::move(sums)};
}

Result<void> MethodBase::restore_own(const Section& own, const std::string& name) {
  const std::size_t d = model_->dimension;
  std::vector<NewSum> sums;
  for (PrototypeId id = 0; id < next_prototype(); ++id) {
    if (has_sum(id)) sums.push_back({id, {}});
  }
  PACO_ASSIGN(const std::vector<double>* values, own.tensor<double>("sums", sums.size() * d));
  if (!std::all_of(values->begin(), values->end(), [](double x) { return std::isfinite(x); })) {
    return Error{ErrorCode::bad_format, fmt::format("{}: a prototype's sum is not finite", name),
                 "the file is damaged; use an earlier state"};
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto begin = values->begin() + static_cast<std::ptrdiff_t>(i * d);
    sums[i].sum.assign(begin, begin + static_cast<std::ptrdiff_t>(d));
  }
  edited(std::move(sums));
  return {};
}

const std::vector<float>& MethodBase::row(PrototypeId id) const { return rows_.at(id); }

}  // namespace paco::methods
