// An evaluation as people and programs read it: tables, one JSON object, and the text of `paco
// evaluate`.
//
// Shared by the command line, the report and studies, so that the same numbers are never written
// twice.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evaluate/evaluation.hpp"
#include "report/table.hpp"

namespace paco::report {

// One row as papers print it: strict and greedy all, old, new; known accuracy; sizes; NMI, ARI.
Table score_table(const evaluate::Evaluation& evaluation);
// The same accuracies one by one, with counts and intervals; the closed-set row below if there
// is one.
Table accuracy_table(const evaluate::Evaluation& evaluation);
// Samples, truth, classes, clusters, categories, NMI, ARI.
Table overview_table(const evaluate::Evaluation& evaluation);
// One row per true class.
Table class_table(const evaluate::Evaluation& evaluation);
// Where samples went instead.
Table confused_table(const evaluate::Evaluation& evaluation);
// Categories born and novel classes seen after 1, 2, 4, 8, ... samples and at the end.
Table birth_table(const evaluate::Evaluation& evaluation);
// All of the above, in this order.
std::vector<Table> evaluation_tables(const evaluate::Evaluation& evaluation);

// Keys strict{all,old,new}, greedy{all,old,new}, known_accuracy, clusters_seen, nmi, ari are relied
// on by other programs. Beside them: false_new (share of old samples called new),
// strict_ties{old,new} (ends over equally good matchings), interval (the accuracies' keys with
// [low, high]), keep, bootstrap, coverage, classes, categories, closed (the first keys again, or
// null), per_class, confused, births. Undefined values are null.
nlohmann::ordered_json evaluation_json(const evaluate::Evaluation& evaluation);

// For a terminal of 80 columns or more.
std::string evaluation_text(const evaluate::Evaluation& evaluation);

}  // namespace paco::report
