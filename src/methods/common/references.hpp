// The two candidate banks that can stand for the known classes, and how well each tells the support
// set apart.
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

// What one support sample sees in a bank. "Masked": its true class does not take part.
struct BankView {
  std::int64_t nearest = 0;  // class with the largest cosine; the lowest id on a tie
  double top = 0;            // largest cosine
  double second = 0;
  double masked_top = 0;
  double masked_second = 0;
};

// (K, d) unit rows: the normalised sum of each class's units. Fails where a class's samples cancel
// to nothing.
Result<math::Matrix<float>> class_prototypes(Rows<const float> units,
                                             std::span<const std::int64_t> labels,
                                             std::span<const std::string> class_names);

// (K, d) unit rows: trained class weights carried over to standardised coordinates.
Result<math::Matrix<float>> classifier_references(Rows<const double> classifier,
                                                  std::span<const double> deviation,
                                                  std::span<const std::string> class_names);

// One BankView per support sample. Approximate products screen, doubles decide; plain_view_bank
// computes the same in plain loops and checks it. Needs at least 3 classes. Where the work is
// stopped, views are missing.
std::vector<BankView> view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                const math::Matrix<float>& bank, core::ThreadPool& pool,
                                WorkDone& work);
std::vector<BankView> plain_view_bank(Rows<const float> units, std::span<const std::int64_t> labels,
                                      const math::Matrix<float>& bank);

ReferenceQuality bank_quality(std::span<const BankView> views,
                              std::span<const std::int64_t> labels);

}  // namespace paco::methods
