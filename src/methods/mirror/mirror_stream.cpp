#include "methods/mirror/mirror_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "methods/mirror/rule.hpp"

namespace paco::methods {

WhiteningTransform::WhiteningTransform(std::shared_ptr<const Model> model,
                                       std::shared_ptr<const MirrorModel> mirror)
    : StandardTransform(std::move(model), mirror->embedding.mean, mirror->embedding.deviation),
      mirror_(std::move(mirror)),
      embedder_(mirror_->embedding) {}

bool WhiteningTransform::apply(Rows<const double> embeddings, Rows<float> units) const {
  return embedder_.embed(embeddings, units);
}

MirrorStream::MirrorStream(std::shared_ptr<const MirrorModel> model, std::size_t block)
    : stored(model->options.rehearse > 0 ? static_cast<std::size_t>(model->options.buffer) : 0,
             block, model->dimension()),
      model_(std::move(model)),
      answered_(model_->known(), 0) {}

void MirrorStream::begin(Decision& d) const {
  const double length = stream_length(*model_, confident_);
  d.threshold = threshold_at(*model_, length);
  d.evidence[kThresholdBy] = static_cast<double>(threshold_by(*model_, length, d.threshold));
  d.evidence[kLength] = length;
  d.evidence[kConfident] = static_cast<double>(confident_);
  d.evidence[kAtOnce] = 2 * classes_answered_ < model_->known() ? 1 : 0;
}

void MirrorStream::answer(CategoryId category, double cosine) {
  if (category >= static_cast<CategoryId>(model_->known())) return;
  std::uint8_t& answered = answered_[static_cast<std::size_t>(category)];
  classes_answered_ += answered == 0;
  answered = 1;
  if (cosine >= model_->sure) ++confident_;
}

void MirrorStream::add(const Decision& d) {
  ++verdicts_[static_cast<std::size_t>(d.verdict)];
  length_ = d.evidence[kLength];
}

std::vector<Statistic> MirrorStream::figures(std::size_t candidates) const {
  return {{"threshold", threshold_at(*model_, length_)},
          {"samples_per_class", length_},
          {"candidates", static_cast<double>(candidates), true},
          {"verdicts.known", static_cast<double>(verdicts_[0]), true},
          {"verdicts.existing", static_cast<double>(verdicts_[1]), true},
          {"verdicts.created", static_cast<double>(verdicts_[2]), true},
          {"verdicts.tentative", static_cast<double>(verdicts_[3]), true}};
}

Result<std::pair<PrototypeId, bool>> MirrorStream::place(std::uint64_t sequence,
                                                         PrototypeId prototype, bool counted,
                                                         std::uint64_t samples,
                                                         const PrototypeTable& table) const {
  if (const auto kept = stored.filed(sequence, samples)) {
    std::tie(prototype, counted) = *kept;
  } else if (rehearsals() > 0) {
    return Error{ErrorCode::not_found,
                 fmt::format("where sample {} is filed now is not known any more: mirror keeps "
                             "that of the last {} samples",
                             sequence, model_->options.buffer),
                 "calibrate with a larger '--set buffer=', or with '--set rehearse=0'"};
  }
  return std::pair{prototype, counted || table[prototype].gone()};
}

void MirrorStream::save(Section& own, std::uint64_t samples) const {
  own.numbers["confident"] = static_cast<double>(confident_);
  own.numbers["length"] = length_;
  own.tensors["answered"] = {{answered_.size()},
                             std::vector<std::int64_t>(answered_.begin(), answered_.end())};
  own.tensors["verdicts"] = {{verdicts_.size()},
                             std::vector<std::int64_t>(verdicts_.begin(), verdicts_.end())};
  stored.save(own, samples);
}

Result<void> MirrorStream::restore(const Section& own, std::uint64_t samples,
                                   PrototypeId next_prototype, const std::string& name) {
  const auto damaged = [&](const char* what) {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", name, what),
                 "the file is damaged; use an earlier state"};
  };
  PACO_ASSIGN(const double confident, own.number("confident"));
  PACO_ASSIGN(length_, own.number("length"));
  PACO_ASSIGN(const auto* answered, own.tensor<std::int64_t>("answered", answered_.size()));
  PACO_ASSIGN(const auto* verdicts, own.tensor<std::int64_t>("verdicts", verdicts_.size()));
  if (!(confident >= 0 && confident <= static_cast<double>(samples)) || !(length_ >= 1))
    return damaged("its counters are impossible");
  confident_ = static_cast<std::uint64_t>(confident);
  std::transform(answered->begin(), answered->end(), answered_.begin(),
                 [](std::int64_t x) { return static_cast<std::uint8_t>(x != 0); });
  classes_answered_ =
      static_cast<std::size_t>(std::count(answered_.begin(), answered_.end(), std::uint8_t{1}));
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if ((*verdicts)[i] < 0) return damaged("its counts of verdicts are impossible");
    verdicts_[i] = static_cast<std::uint64_t>((*verdicts)[i]);
    counted += verdicts_[i];
  }
  if (counted != samples) return damaged("its counts of verdicts do not add up");
  return stored.restore(own, samples, next_prototype, name);
}

}  // namespace paco::methods
