// What mirror learned and what it keeps come back from their sections as they were, and damaged
// ones are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "mirror_case.hpp"

namespace paco::testing {
namespace {

using ::testing::HasSubstr;

bool same_sections(const Section& a, const Section& b) {
  if (a.settings != b.settings || a.numbers != b.numbers || a.tensors.size() != b.tensors.size())
    return false;
  return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && x.second.shape == y.second.shape &&
                             x.second.values == y.second.values;
                    });
}

TEST(MirrorSection, WhatWasLearnedComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const MirrorCase c = mirror_case(seed);
    const auto back = methods::mirror_model(*c.model);
    ASSERT_TRUE(back.ok()) << back.error().message;
    const Section& section = c.model->sections.at("mirror");
    EXPECT_TRUE(same_sections(methods::mirror_section(**back, section.settings), section));
  }
}

// Every tensor missing, of another size, of another type, or with a value that is not finite; every
// number and every setting gone.
TEST(MirrorSection, DamagedModelsAreRefused) {
  const MirrorCase c = mirror_case(1);
  const auto refused = [&](auto damage) {
    Model model = *c.model;
    damage(model.sections.at("mirror"));
    return !methods::mirror_model(model).ok();
  };
  EXPECT_FALSE(refused([](Section&) {}));
  const Section whole = c.model->sections.at("mirror");
  for (const auto& [name, tensor] : whole.tensors) {
    const auto change = [&, &name = name](auto with) {
      return refused([&](Section& section) {
        std::visit([&](auto& values) { with(values); }, section.tensors.at(name).values);
      });
    };
    if (name != "whitening") {
      EXPECT_TRUE(refused([&, &name = name](Section& s) { s.tensors.erase(name); })) << name;
    }
    EXPECT_TRUE(change([](auto& values) { values.pop_back(); })) << name;
    EXPECT_TRUE(refused([&, &name = name](Section& s) {
      s.tensors.at(name).values = std::vector<std::int64_t>(3);
    })) << name;
    EXPECT_TRUE(change([](auto& values) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      values.back() = std::numeric_limits<T>::quiet_NaN();
    })) << name;
  }
  for (const auto& [name, value] : whole.numbers) {
    EXPECT_TRUE(refused([&, &name = name](Section& s) { s.numbers.erase(name); })) << name;
    EXPECT_TRUE(refused([&, &name = name](Section& s) { s.numbers[name] = 1e300; })) << name;
  }
  EXPECT_TRUE(refused([](Section& s) { s.settings["rehearse"] = "many"; }));
  EXPECT_TRUE(refused([](Section& s) { s.settings["odds"] = "0"; }));
  EXPECT_TRUE(refused([](Section& s) { s.numbers["rho"] = -1; }));
  EXPECT_TRUE(refused([](Section& s) { s.numbers["alpha"] = 2; }));
}

TEST(MirrorSection, DamagedStatesAreRefused) {
  const MirrorCase c = mirror_case(4);
  const auto method = c.fast();
  decide_all(*method, c.stream, 64);
  const std::vector<std::byte> bytes = method->save().value();
  const auto file = io::artifact_from_bytes(bytes, "state", "state", 1000).value();
  // The same file with other values of one tensor.
  const auto refusal = [&](const std::string& changed, auto damage) -> std::string {
    io::ArtifactWriter writer("state", artifact_version(file).value());
    for (const char* key : {"method", "model", "state"})
      writer.set(key, io::artifact_entry(file, key).value());
    std::map<std::string, io::ArtifactNumbers> kept;
    for (const io::TensorView& tensor : file.tensors()) {
      io::ArtifactNumbers& numbers = kept[tensor.name] = artifact_numbers(file, tensor).value();
      if (tensor.name == changed) std::visit(damage, numbers);
      std::visit(
          [&]<class T>(const std::vector<T>& values) {
            writer.add<T>(tensor.name, {values.size()}, values);
          },
          numbers);
    }
    const auto restored = c.fast()->restore(writer.to_bytes().value(), "a.state");
    return restored.ok() ? "" : restored.error().message;
  };
  EXPECT_EQ(refusal("", [](auto&) {}), "");
  for (const io::TensorView& tensor : file.tensors()) {
    EXPECT_THAT(refusal(tensor.name, [](auto& values) { values.push_back(0); }),
                HasSubstr("a.state"))
        << tensor.name;
  }
  const auto last = [](auto value) {
    return [value](auto& values) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      values.back() = static_cast<T>(value);
    };
  };
  EXPECT_THAT(refusal("own/stored", last(1e9)), HasSubstr("unit sphere"));
  EXPECT_THAT(refusal("own/stored_prototype", last(1e9)), HasSubstr("never made"));
  EXPECT_THAT(refusal("own/verdicts", last(-1)), HasSubstr("verdicts"));
  EXPECT_THAT(refusal("own/sums", last(std::numeric_limits<double>::infinity())),
              HasSubstr("not finite"));
  EXPECT_NE(refusal("prototype.members", last(1e9)), "");
  EXPECT_NE(refusal("prototype.id", last(1e9)), "");
}

}  // namespace
}  // namespace paco::testing
