// An evaluation as text and data: tables, one JSON object, and the text of `paco evaluate`.
//
// The command line, the report and studies share it, so that the same numbers are formatted in one
// place only.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evaluate/evaluation.hpp"
#include "report/table.hpp"

namespace paco::report {

// One row as papers print it: strict and greedy all, old, new; known accuracy; sizes; NMI, ARI.
Table score_table(const evaluate::Evaluation& evaluation);
// The same accuracies one by one, with counts and intervals. If there is a closed-set row, it is
// below.
Table accuracy_table(const evaluate::Evaluation& evaluation);
// Samples, truth, classes, clusters, categories, NMI, ARI.
Table overview_table(const evaluate::Evaluation& evaluation);
// One row per true class.
Table class_table(const evaluate::Evaluation& evaluation);
// The pairs of classes that were confused most.
Table confused_table(const evaluate::Evaluation& evaluation);
// Categories born and novel classes seen after 1, 2, 4, 8, ... samples and at the end.
Table birth_table(const evaluate::Evaluation& evaluation);
// All of the above, in this order.
std::vector<Table> evaluation_tables(const evaluate::Evaluation& evaluation);

// Other programs rely on the keys strict{all,old,new}, greedy{all,old,new}, known_accuracy,
// clusters_seen, nmi and ari. The other keys are false_new (share of old samples called new),
// strict_ties{old,new} (ends over equally good matchings), interval (the accuracies' keys with
// [low, high]), keep, bootstrap, coverage, classes, categories, closed (the first keys again, or
// null), per_class, confused and births. Undefined values are null.
nlohmann::ordered_json evaluation_json(const evaluate::Evaluation& evaluation);

// For a terminal of 80 columns or more.
std::string evaluation_text(const evaluate::Evaluation& evaluation);

}  // namespace paco::report
