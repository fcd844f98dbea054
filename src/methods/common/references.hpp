// The two banks of references that can represent the known classes, and how well each separates the
// classes of the support set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/matrix.hpp"
#include "paco/model.hpp"

namespace paco::core {
class ThreadPool;
}

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

class WorkDone;

// Scores of one support sample in a bank. "Masked": its true class is left out.
struct BankView {
  std::int64_t nearest = 0;  // class with the largest cosine; the lowest id on a tie
  double top = 0;            // largest cosine
  double second = 0;
  double masked_top = 0;
  double masked_second = 0;
};

// (K, d) unit rows: the normalised sum of each class's units. Fails if the samples of a class
// cancel to zero.
Result<math::Matrix<float>> class_prototypes(Rows<const float> units,
                                             std::span<const std::int64_t> labels,
                                             std::span<const std::string> class_names);

// (K, d) unit rows: trained class weights, converted to standardised coordinates.
Result<math::Matrix<float>> classifier_references(Rows<const double> classifier,
                                                  std::span<const double> deviation,
                                                  std::span<const std::string> class_names);

// Returns one BankView per support sample. Approximate products screen, exact scores in double
// decide. plain_view_bank computes the same in plain loops and is the reference for tests. Needs at
// least 3 classes. If the work is stopped, some views are missing.
std::vector<BankView> view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                const math::Matrix<float>& bank, core::ThreadPool& pool,
                                WorkDone& work);
std::vector<BankView> plain_view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                      const math::Matrix<float>& bank);

ReferenceQuality bank_quality(std::span<const BankView> views,
                              std::span<const std::int64_t> labels);

}  // namespace paco::methods
