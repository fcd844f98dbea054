// The result of calibration: everything that is learned from the support set, and all that a method
// needs to decide.
//
// A Model has a part that all methods share (the support set's statistics and the references of the
// known classes) and a section for each method it was calibrated for, which only that method reads.
// It is made once by calibrate(), never changes afterwards, and can be shared by any number of
// threads. On disk it is one safetensors file (extension .paco) that opens in Python with two
// lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paco/embedding_record.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"
#include "paco/settings.hpp"

namespace paco {

// Which references represent the known classes: those that separate the support set better, or
// always one kind.
enum class ReferenceChoice : std::uint8_t { automatic, prototype, classifier };

std::string_view reference_choice_name(ReferenceChoice choice);

// How well one candidate bank of references tells the support classes apart.
struct ReferenceQuality {
  bool available = false;
  double accuracy = 0;     // support top-1 accuracy
  double mean_margin = 0;  // mean of best minus second best cosine
};

// Numbers of any shape, row-major.
struct Tensor {
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>> values;
};

// What one method learned: its options, named numbers, and larger data as tensors. The method that
// wrote it converts it into its own type.
struct Section {
  Settings settings;  // complete
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> words;
  std::map<std::string, Tensor, std::less<>> tensors;

  // The number with this name; an error if it is missing.
  Result<double> number(std::string_view name) const;
  // The values of the tensor with this name; an error if it is missing or has another type or
  // number of elements.
  template <class T>
  Result<const std::vector<T>*> tensor(std::string_view name, std::size_t elements) const;
};

struct Model {
  double epsilon = 1e-5;  // added to each coordinate's variance
  ReferenceChoice wanted = ReferenceChoice::automatic;
  std::size_t dimension = 0;
  std::vector<std::string> class_names;                    // one per known class, by id
  std::vector<std::int64_t> class_sizes;                   // support samples per known class
  std::vector<double> mean;                                // (d) support mean
  std::vector<double> deviation;                           // (d) sqrt(variance + epsilon)
  std::vector<float> references;                           // (K, d) unit rows, fixed for good
  ReferenceChoice reference = ReferenceChoice::prototype;  // which bank won
  ReferenceQuality prototype_quality;
  ReferenceQuality classifier_quality;
  std::string method = "paco";                           // the one it was made for
  std::map<std::string, Section, std::less<>> sections;  // by method
  std::optional<EmbeddingRecord> embedding;              // what made the support set, if known

  std::size_t known_classes() const { return class_names.size(); }
  // The section of a method, or an error that says how to add one.
  Result<const Section*> section(std::string_view method) const;
  // Identifies the model in states and journals: equal for models with equal content.
  std::string fingerprint() const;
};

// Receives the number of finished steps and the number of all steps of a calibration. Calls do not
// overlap, but can come from any of its threads. May be empty.
using CalibrationProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct CalibrationOptions {
  std::string method = "paco";  // as in method_names()
  Settings settings;            // of that method
  double epsilon = 1e-5;
  ReferenceChoice reference = ReferenceChoice::automatic;
  // At most this share of the samples of known classes may be called new; 0: no guarantee. See
  // false_new.hpp.
  double false_new = 0;
  bool false_new_price = true;  // also measure what the guarantee costs
  int threads = 1;              // changes the speed only, never a decision; 0: all cores
  CalibrationProgress progress = {};

  void set(std::string_view name, double value) {
    settings.insert_or_assign(std::string(name), setting_text(value));
  }
  void set(std::string_view name, std::string_view value) {
    settings.insert_or_assign(std::string(name), std::string(value));
  }
};

// The labelled samples that calibration starts from. Labels are class ids 0 .. K-1; each must
// occur.
struct SupportSet {
  Rows<const double> embeddings;         // (N, d), as the backbone gave them
  std::span<const std::int64_t> labels;  // (N)
  std::vector<std::string> class_names;  // (K), or empty: the ids are the names
  Rows<const double> classifier;         // (K, d) trained class weights, or no rows
  // Samples of known classes that no reference was made from, for the false-new guarantee; may be
  // empty.
  Rows<const double> held_out = {};
  std::span<const std::int64_t> held_out_labels = {};
};

// Deterministic: the same support set, options and seed give the same bytes for any number of
// threads. The time grows with samples times classes. The model also gets the sections of the cheap
// baselines. With a false-new rate, the cost of the guarantee is measured by calibrating on parts
// of the support set, which takes as long again.
Result<Model> calibrate(const SupportSet& support, const CalibrationOptions& options = {},
                        std::stop_token stop = {});

Result<void> save_model(const Model& model, const std::string& path);
Result<Model> load_model(const std::string& path);
// The same as bytes, for a model that lives inside another file; `name` stands for the path in
// error texts.
Result<std::vector<std::byte>> model_to_bytes(const Model& model);
Result<Model> model_from_bytes(std::vector<std::byte> bytes, const std::string& name);

}  // namespace paco
