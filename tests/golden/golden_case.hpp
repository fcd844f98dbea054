// A recorded case: a support set, a stream, and what the method decided on it according to the
// specification.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/embeddings.hpp"
#include "io/npy.hpp"
#include "paco/method.hpp"
#include "paco/model.hpp"

namespace paco::testing {

struct GoldenCase {
  std::string folder;
  nlohmann::json expected;
  math::Matrix<double> support, stream, classifier;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> category;
  std::vector<std::int64_t> branch;
  std::vector<double> tau_birth_after, eta_after;

  CalibrationOptions options() const {
    const auto& o = expected.at("options");
    CalibrationOptions options;
    options.set("temperature", o.at("T").get<double>());
    options.set("alpha", o.at("alpha").get<double>());
    options.set("beta", o.at("beta").get<double>());
    options.set("spread", o.at("c_spread").get<double>());
    options.set("replays", o.at("replays").get<double>());
    options.set("seed", expected.at("seed").get<double>());
    options.set("tie", o.at("tie").get<std::string>());
    options.set("routing", o.at("routing").get<bool>() ? "on" : "off");
    options.set("adaptive_birth", o.at("dyn").get<bool>() ? "on" : "off");
    options.epsilon = o.at("eps");
    options.reference =
        o.at("refsel") == "auto" ? ReferenceChoice::automatic : ReferenceChoice::prototype;
    return options;
  }
  SupportSet support_set() const { return {support, labels, {}, classifier}; }
};

template <class T>
std::vector<T> read_vector(const std::string& path) {
  auto array = io::read_npy<T>(path);
  EXPECT_TRUE(array.ok()) << (array.ok() ? "" : array.error().message);
  return array.ok() ? std::move(array->data) : std::vector<T>();
}

inline math::Matrix<double> read_matrix(const std::string& path) {
  auto matrix = io::read_embeddings(path);
  EXPECT_TRUE(matrix.ok()) << (matrix.ok() ? "" : matrix.error().message);
  return matrix.ok() ? std::move(matrix).value() : math::Matrix<double>();
}

inline GoldenCase load_case(const std::string& folder) {
  GoldenCase c;
  c.folder = folder;
  c.expected = nlohmann::json::parse(std::ifstream(folder + "/expected.json"));
  c.support = read_matrix(folder + "/support.npy");
  c.stream = read_matrix(folder + "/stream.npy");
  if (std::filesystem::exists(folder + "/classifier.npy"))
    c.classifier = read_matrix(folder + "/classifier.npy");
  c.labels = read_vector<std::int64_t>(folder + "/support_labels.npy");
  c.category = read_vector<std::int64_t>(folder + "/expected_category.npy");
  c.branch = read_vector<std::int64_t>(folder + "/expected_branch.npy");
  c.tau_birth_after = read_vector<double>(folder + "/expected_tau_birth_after.npy");
  c.eta_after = read_vector<double>(folder + "/expected_eta_after.npy");
  return c;
}

// Real data that is not part of the project lies beside it, or where PACO_SHARED says.
inline std::string shared_folder() {
  const char* elsewhere = std::getenv("PACO_SHARED");
  return elsewhere != nullptr ? elsewhere : std::string(PACO_SOURCE_DIR) + "/../shared";
}

}  // namespace paco::testing
