// A trained head: the layers between an embedding and the values that a peer uses. Training makes
// it, and the section of its method stores it as plain matrices; no other method needs it.
//
// The output for a row depends only on that row, bit for bit. It does not depend on the block, the
// threads or the instruction set.
#pragma once

#include <vector>

#include "methods/peers/network.hpp"
#include "paco/model.hpp"

namespace paco::methods {

class Head {
 public:
  Head() = default;
  explicit Head(std::vector<AffineLayer> layers);

  std::size_t inputs() const { return layers_.front().weight.columns(); }
  std::size_t outputs() const { return layers_.back().weight.rows(); }
  // (n, outputs) of (n, inputs).
  math::Matrix<float> apply(Rows<const float> units, core::ThreadPool& pool) const;

  // Tensors "NAME.0.weight", "NAME.0.bias", ..., and "NAME.gelu": the Bend of each layer.
  void put(Section& section, std::string_view name) const;
  static Result<Head> get(const Section& section, std::string_view name, std::size_t inputs);

 private:
  std::vector<AffineLayer> layers_;
  std::vector<math::PackedRows> packed_;
};

// A float32 tensor of a section with this many columns, as a matrix of finite numbers.
Result<math::Matrix<float>> matrix_of(const Section& section, std::string_view name,
                                      std::size_t columns);
void put_matrix(Section& section, std::string_view name, Rows<const float> matrix);

}  // namespace paco::methods
