// Names and look-ups of a Model; calibration and files are elsewhere.
#include "paco/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/logarithm.hpp"
#include "methods/common/option_names.hpp"

namespace paco {

std::string_view tie_name(Tie tie) { return methods::kTies.name(tie); }

std::string_view reference_choice_name(ReferenceChoice choice) {
  return methods::kReferenceChoices.name(choice);
}

std::int64_t PacoParameters::mature_size() const {
  constexpr double kNever = 0x1p62;
  return static_cast<std::int64_t>(
      std::nearbyint(std::min(math::exact_pow(base_median, options.beta), kNever)));
}

Result<const Section*> Model::section(std::string_view name) const {
  const auto found = sections.find(name);
  if (found != sections.end()) return &found->second;
  std::vector<std::string_view> there;
  for (const auto& [other, section] : sections) there.push_back(other);
  return Error{ErrorCode::mismatch,
               fmt::format("the model was not calibrated for method '{}', but for {}", name,
                           fmt::join(there, ", ")),
               fmt::format("make one with 'paco calibrate --method {}'", name)};
}

Result<double> Section::number(std::string_view name) const {
  const auto found = numbers.find(name);
  if (found != numbers.end() && std::isfinite(found->second)) return found->second;
  return Error{ErrorCode::bad_format, fmt::format("its section has no number '{}'", name),
               "the file is damaged; calibrate again"};
}

template <class T>
Result<const std::vector<T>*> Section::tensor(std::string_view name, std::size_t elements) const {
  const auto found = tensors.find(name);
  if (found != tensors.end()) {
    const auto* values = std::get_if<std::vector<T>>(&found->second.values);
    if (values != nullptr && values->size() == elements) return values;
  }
  return Error{ErrorCode::bad_format,
               fmt::format("its section has no tensor '{}' of {} numbers", name, elements),
               "the file is damaged; calibrate again"};
}

template Result<const std::vector<double>*> Section::tensor(std::string_view, std::size_t) const;
template Result<const std::vector<float>*> Section::tensor(std::string_view, std::size_t) const;
template Result<const std::vector<std::int64_t>*> Section::tensor(std::string_view,
                                                                  std::size_t) const;

Result<void> check_embedding(const Model& model, const EmbeddingRecord& record,
                             const std::string& input) {
  return model.embedding ? check_embedding(*model.embedding, record, input) : Result<void>();
}

Result<void> check_embedding(const EmbeddingRecord& own, const EmbeddingRecord& record,
                             const std::string& input) {
  std::string difference;
  const auto compare = [&](const char* what, const std::string& given, const std::string& wanted) {
    if (given == wanted) return;
    difference += fmt::format("{}{} {}, the model's support set {}", difference.empty() ? "" : "; ",
                              what, given, wanted);
  };
  constexpr std::size_t kShown = 12;  // digits of a hash that tell files apart
  compare("dimension", std::to_string(record.dimension), std::to_string(own.dimension));
  if (record.weights != own.weights)
    compare("weights", fmt::format("{} ({})", record.encoder, record.weights.substr(0, kShown)),
            fmt::format("{} ({})", own.encoder, own.weights.substr(0, kShown)));
  compare("preprocessing", fmt::format("'{}'", record.preprocessing),
          fmt::format("'{}'", own.preprocessing));
  if (difference.empty()) return {};
  return Error{ErrorCode::mismatch, fmt::format("{}: embedded otherwise: {}", input, difference),
               "embed both with the same encoder and the same options, or calibrate on a support "
               "set that was embedded like this"};
}

}  // namespace paco
