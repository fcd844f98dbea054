// A table of the paper rebuilt in its own layout: our figures, the paper's beside them, and the
// difference. Every figure of the paper's table is there, whether or not we have one for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "study/plans.hpp"

namespace paco::study {

// One figure. Shares are percent, as the paper prints them.
struct LayoutCell {
  std::string protocol, data, method, measure;
  std::optional<double> ours, deviation, paper, paper_deviation;
  int rank = 0;  // among our figures of this column and protocol: 1 best, 2 second; 0 neither
  std::string label = {};  // of our contender: "smile-head" if the method is "smile"
};

std::vector<LayoutCell> layout_cells(const Plan& plan, const std::vector<Run>& runs,
                                     const std::vector<RunResult>& results,
                                     const std::vector<DataSet>& data);

// The cells one below the other, and as a table whose rows and columns are the paper's; `what`
// chooses what stands in it.
report::Table cells_table(const Plan& plan, const std::vector<LayoutCell>& cells);
enum class LayoutPart : std::uint8_t { ours, paper, difference };
report::Table layout_table(const Plan& plan, const std::vector<LayoutCell>& cells, LayoutPart part);

}  // namespace paco::study
