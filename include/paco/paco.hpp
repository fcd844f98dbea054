// The whole public API in one header. A complete program:
//
//     #include <paco/paco.hpp>
//
//     #include <cstdio>
//
//     int main() {
//       // Three known classes, three samples each, as embeddings in three dimensions.
//       const std::vector<double> support{9, 1, 0, 8, 0, 1, 9, 0, 2,   // red
//                                         1, 9, 0, 0, 8, 1, 2, 9, 0,   // green
//                                         0, 1, 9, 1, 0, 8, 0, 2, 9};  // blue
//       const std::vector<std::int64_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
//       const std::vector<std::string> names{"red", "green", "blue"};
//       auto model = paco::calibrate({{support.data(), 9, 3}, labels, names, {}});
//       if (!model.ok()) return std::puts(model.error().message.c_str()), 1;
//
//       // A stream: green, then two samples of something that was never labelled.
//       auto method = paco::make_method("paco", std::make_shared<const paco::Model>(*model));
//       if (!method.ok()) return std::puts(method.error().message.c_str()), 1;
//       const std::vector<std::vector<double>> stream{{1, 9, 1}, {9, 9, 9}, {9, 8, 9}};
//       for (const auto& sample : stream) {
//         const auto decision = (*method)->decide(sample);
//         if (!decision.ok()) return std::puts(decision.error().message.c_str()), 1;
//         std::puts((*method)->explain(*decision).c_str());
//       }
//     }
//
// Embeddings are rows of numbers from any model, row-major (rows.hpp). What can go wrong comes back
// as a Result (result.hpp). One thread decides; the Model and views of the memory may be read by
// any number of threads (method.hpp).
#pragma once

#include "paco/category.hpp"
#include "paco/decision.hpp"
#include "paco/embedding_record.hpp"
#include "paco/false_new.hpp"
#include "paco/given_head.hpp"
#include "paco/method.hpp"
#include "paco/model.hpp"
#include "paco/operation.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"
#include "paco/self_calibration.hpp"
#include "paco/session.hpp"
#include "paco/settings.hpp"
#include "paco/thresholds.hpp"
