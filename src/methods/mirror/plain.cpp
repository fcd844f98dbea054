#include "methods/mirror/plain.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "core/try.hpp"
#include "math/plain.hpp"
#include "math/trmv_int16.hpp"
#include "methods/common/standardise.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {
namespace {

double product(std::span<const float> a, std::span<const float> b) {
  return math::plain::dot(a.data(), b.data(), a.size());
}

std::vector<float> whitened(const MirrorEmbedding& embedding, std::span<const float> u) {
  std::vector<float> v;
  if (embedding.whitening.rows() == 0) {
    for (const float x : u) v.push_back(on_grid(static_cast<double>(x)));
    return v;
  }
  if (u.size() >= kWhitenedInShorts) {
    v = math::plain::multiply_short(embedding.whitening, u.data());
  } else {
    for (std::size_t i = 0; i < u.size(); ++i)
      v.push_back(math::plain::fused_dot(u.data(), embedding.whitening[i].data(), u.size()));
  }
  const double length = std::sqrt(product(v, v));
  const double inverse = length > 0 ? 1 / length : 0.0;
  for (float& x : v) x = on_grid(static_cast<double>(x) * inverse);
  return v;
}

}  // namespace

MirrorPlain::MirrorPlain(std::shared_ptr<const MirrorModel> model)
    : model_(std::move(model)), state_(first_state(*model_)) {}

Result<void> MirrorPlain::decide_block(Rows<const double> embeddings,
                                       std::span<MirrorDecision> decisions,
                                       std::vector<MirrorBirth>& births) {
  PACO_TRY(check_block_shape(embeddings, model_->dimension(), decisions.size()));
  PACO_ASSIGN(const math::Matrix<float> v, embed(embeddings));
  for (std::size_t i = 0; i < embeddings.rows; ++i) decisions[i] = decide(v[i], births);
  return {};
}

Result<math::Matrix<float>> MirrorPlain::embed(Rows<const double> embeddings) {
  PACO_TRY(check_block_shape(embeddings, model_->dimension(), embeddings.rows));
  core::ThreadPool pool(1);
  math::Matrix<float> units(embeddings.rows, embeddings.columns);
  PACO_TRY(standardise_rows(embeddings, model_->embedding.mean, model_->embedding.deviation,
                            units.view(), "stream", state_.samples, pool));
  for (std::size_t i = 0; i < embeddings.rows; ++i) {
    const std::vector<float> v = whitened(model_->embedding, units[i]);
    std::copy(v.begin(), v.end(), units[i].begin());
  }
  return units;
}

MirrorDecision MirrorPlain::decide(std::span<const float> v, std::vector<MirrorBirth>& births) {
  const auto known = static_cast<std::int64_t>(model_->known());
  MirrorDecision d;
  d.sequence = state_.samples;
  d.confident = state_.confident;
  d.length = stream_length(*model_, state_.confident);
  d.threshold = threshold_at(*model_, d.length);
  d.at_once = 2 * std::count(state_.answered.begin(), state_.answered.end(), 1) < known;

  NearestTwo references, visible, all;
  for (std::int64_t k = 0; k < known; ++k) {
    if (state_.reference_competing[static_cast<std::size_t>(k)] == 0) continue;
    const double c = product(model_->references[static_cast<std::size_t>(k)], v);
    references.offer(k, c);
    visible.offer(k, c);
    all.offer(k, c);
  }
  for (const MirrorPrototype& p : state_.prototypes) {
    if (!p.adapts() && !(p.competing && p.fixed())) continue;
    const double c = cosine(p.number, v);
    if (p.fixed()) references.offer(p.number, c);
    if (p.category != kNoCategory) visible.offer(p.number, c);
    all.offer(p.number, c);
  }
  d.cosine = all.cosine;
  d.known_cosine = references.cosine;
  d.visible_cosine = visible.cosine;

  double answered_cosine = all.cosine;
  std::int64_t answering = all.first;  // the prototype whose category is the answer
  if (all.first == kNoPrototype || all.cosine < d.threshold) {
    MirrorPrototype p;
    p.number = d.prototype = state_.next_prototype++;
    p.members = 1;
    p.sum.assign(v.begin(), v.end());
    if (d.at_once || visible.first == kNoPrototype) {
      p.category = state_.next_category++;
      births.push_back({d.sequence, p.number, p.category});
      d.verdict = MirrorVerdict::created;
      answering = p.number;
      d.category = p.category;
    } else {
      d.verdict = MirrorVerdict::tentative;
      answering = visible.first;
      answered_cosine = visible.cosine;
      d.category = category_of(answering);
    }
    state_.prototypes.push_back(std::move(p));
    while (candidates() > static_cast<std::size_t>(model_->options.candidates)) {
      const auto oldest =
          std::find_if(state_.prototypes.begin(), state_.prototypes.end(),
                       [](const MirrorPrototype& q) { return q.category == kNoCategory; });
      state_.prototypes.erase(oldest);
    }
  } else {
    d.prototype = answering;
    const std::size_t before = births.size();
    d.counted = is_fixed(answering);
    if (d.counted) {
      count(answering, 1);
    } else {
      join(*find(answering), v, births);
    }
    d.category = category_of(answering);
    d.verdict = births.size() > before ? MirrorVerdict::created
                : d.category < known   ? MirrorVerdict::known
                                       : MirrorVerdict::existing;
  }
  const bool first_answers = answering == visible.first;
  const std::int64_t runner_up = first_answers ? visible.second : visible.first;
  d.runner_up_cosine = first_answers ? visible.second_cosine : visible.cosine;
  if (runner_up != kNoPrototype) d.runner_up = category_of(runner_up);
  if (d.category < known) {
    state_.answered[static_cast<std::size_t>(d.category)] = 1;
    if (answered_cosine >= model_->sure) ++state_.confident;
  }

  const auto rehearsals = static_cast<std::size_t>(model_->options.rehearse);
  const auto buffer = static_cast<std::uint64_t>(model_->options.buffer);
  const std::uint64_t t = state_.samples, low = t > buffer ? t - buffer : 0;
  const std::uint64_t oldest = t - state_.stored_prototype.size();
  for (std::size_t r = 0; r < rehearsals && t > 0; ++r) {
    if (state_.cursor < low || state_.cursor >= t) state_.cursor = low;
    rehearse(state_.cursor++ - oldest, d.threshold, births);
  }
  ++state_.samples;
  if (rehearsals > 0) remember(v, {d.prototype, d.counted});
  d.candidates = candidates();
  return d;
}

// The sample goes where it fits best without its own share, unless that is where it is.
void MirrorPlain::rehearse(std::size_t stored, double threshold, std::vector<MirrorBirth>& births) {
  const std::size_t d = model_->dimension();
  const std::span<const float> v(state_.stored.data() + stored * d, d);
  const std::int64_t own = state_.stored_prototype[stored];
  const bool counted = state_.stored_counted[stored] != 0;
  const auto known = static_cast<std::int64_t>(model_->known());
  // What a person has put somewhere, taken out of competition or fixed stays as it is.
  const std::uint64_t sequence = state_.samples - state_.stored_prototype.size() + stored;
  if (find_moved(state_.moved, sequence) != nullptr) return;
  const MirrorPrototype* mine = find(own);
  if (own < known ? state_.reference_competing[static_cast<std::size_t>(own)] == 0
                  : mine != nullptr && (!mine->competing || (mine->fixed() && !counted)))
    return;
  NearestTwo best;
  for (std::int64_t k = 0; k < known; ++k) {
    if (state_.reference_competing[static_cast<std::size_t>(k)] != 0)
      best.offer(k, product(model_->references[static_cast<std::size_t>(k)], v));
  }
  for (const MirrorPrototype& p : state_.prototypes) {
    if (!p.adapts() && !(p.competing && p.fixed())) continue;
    if (p.number != own || counted) {
      best.offer(p.number, cosine(p.number, v));
    } else if (p.members > 1) {
      const double* sum = p.sum.data();
      best.offer(p.number, cosine_without(math::plain::dot(sum, v.data(), d),
                                          math::plain::dot(sum, sum, d), product(v, v)));
    }
  }
  if (best.first == kNoPrototype || best.first == own || best.cosine < threshold) return;
  if (counted) {
    count(own, -1);
  } else {
    leave(own, v);
  }
  state_.stored_prototype[stored] = best.first;
  state_.stored_counted[stored] = is_fixed(best.first) ? 1 : 0;
  if (is_fixed(best.first)) return count(best.first, 1);
  join(*find(best.first), v, births);
}

void MirrorPlain::join(MirrorPrototype& prototype, std::span<const float> v,
                       std::vector<MirrorBirth>& births) {
  for (std::size_t j = 0; j < v.size(); ++j) prototype.sum[j] += static_cast<double>(v[j]);
  ++prototype.members;
  if (prototype.category != kNoCategory) return;
  prototype.category = state_.next_category++;
  births.push_back({state_.samples, prototype.number, prototype.category});
}

void MirrorPlain::leave(std::int64_t number, std::span<const float> v) {
  MirrorPrototype* prototype = find(number);
  if (prototype == nullptr) return;
  for (std::size_t j = 0; j < v.size(); ++j) prototype->sum[j] -= static_cast<double>(v[j]);
  --prototype->members;
  forget_if_gone(number);
}

void MirrorPlain::remember(std::span<const float> v, const MirrorPlace& place) {
  const auto buffer = static_cast<std::size_t>(model_->options.buffer);
  state_.stored.insert(state_.stored.end(), v.begin(), v.end());
  state_.stored_prototype.push_back(place.prototype);
  state_.stored_counted.push_back(place.counted ? 1 : 0);
  if (state_.stored_prototype.size() <= buffer) return;
  state_.stored.erase(state_.stored.begin(),
                      state_.stored.begin() + static_cast<std::ptrdiff_t>(v.size()));
  state_.stored_prototype.erase(state_.stored_prototype.begin());
  state_.stored_counted.erase(state_.stored_counted.begin());
}

}  // namespace paco::methods
