// The memory's sizes and shares are those of the samples that it was given.
#include "methods/common/prototype_store.hpp"

#include <gtest/gtest.h>

#include "synthetic_data.hpp"

namespace paco::methods {
namespace {

std::shared_ptr<const Model> model_of(std::size_t dimension) {
  testing::MadePlan plan;
  plan.dimension = dimension;
  return testing::calibrated(testing::make_data(plan, 1).support_set());
}

Rows<const float> references_of(const Model& model) {
  return {model.references.data(), model.known_classes(), model.dimension};
}

TEST(PrototypeStore, StaysWithinItsBytesPerPrototype) {
  for (const std::size_t d : {2, 16, 768}) {
    const auto model = model_of(d);
    const PrototypeTable table(*model);
    EXPECT_LE(PrototypeStore(references_of(*model), table, 128).bytes_per_prototype(), 12 * d + 64);
  }
}

// A table and what follows it, with the model's references alone and promoted ones beside them.
class Follower {
 public:
  explicit Follower(std::size_t dimension)
      : model_(model_of(dimension)),
        table_(*model_),
        memory_(references_of(*model_), table_, 128) {}

  PrototypeId create(const std::vector<float>& unit) {
    PrototypeRecord record;
    record.owner = static_cast<CategoryId>(table_.size());
    record.members = 1;
    const PrototypeId id = table_.add(record);
    memory_.create(id, unit.data(), 0);
    return id;
  }
  void follow() {
    table_.recount();
    memory_.follow([&](PrototypeId id) {
      const std::size_t d = model_->dimension;
      const float* row = model_->references.data() + static_cast<std::size_t>(id) * d;
      return table_[id].support ? std::vector<float>(row, row + d) : std::vector<float>(d, 0.5f);
    });
  }
  PrototypeTable& table() { return table_; }
  PrototypeStore& memory() { return memory_; }
  std::size_t known() const { return model_->known_classes(); }
  const Model& model() const { return *model_; }

 private:
  std::shared_ptr<const Model> model_;
  PrototypeTable table_;
  PrototypeStore memory_;
};

std::vector<double> sum_of(const PrototypeStore& memory, PrototypeId id) {
  const auto sum = memory.sum(id);
  return {sum.begin(), sum.end()};
}

TEST(PrototypeStore, PrototypesThatStandAsideKeepTheirSumsAndComeBack) {
  Follower f(4);
  const PrototypeId a = f.create({1, 0, 0, 0}), b = f.create({0, 1, 0, 0}),
                    c = f.create({0, 0, 1, 0});
  f.table().edit(a).retired = true;
  f.follow();
  EXPECT_EQ(f.memory().adapting().size(), 2u);
  EXPECT_EQ(sum_of(f.memory(), a), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(f.memory().resultant(a), 1);
  for (const PrototypeId id : {b, c})
    EXPECT_EQ(f.memory().adapting_ids()[f.memory().place(id)], id);
  EXPECT_EQ(sum_of(f.memory(), c), (std::vector<double>{0, 0, 1, 0}));
  f.memory().set_sum(a, {0, 0, 0, 2});
  f.table().edit(a).members = 2;
  f.table().edit(a).retired = false;
  f.follow();
  EXPECT_EQ(f.memory().adapting().size(), 3u);
  EXPECT_EQ(sum_of(f.memory(), a), (std::vector<double>{0, 0, 0, 2}));
  EXPECT_EQ(f.memory().adapting().members(f.memory().place(a)), 2);
}

TEST(PrototypeStore, PromotedPrototypesStandAmongTheReferencesInOrderOfTheirNumbers) {
  Follower f(4);
  const PrototypeId a = f.create({1, 0, 0, 0}), b = f.create({0, 1, 0, 0});
  f.table().edit(b).promoted = true;
  f.follow();
  ASSERT_EQ(f.memory().references(), f.known() + 1);
  EXPECT_EQ(f.memory().reference_ids()[f.known()], b);
  EXPECT_EQ(f.memory().reference_row(f.memory().place(b))[0], 0.5f);
  EXPECT_EQ(f.memory().reference_row(0)[0], f.model().references[0]);
  EXPECT_EQ(f.memory().adapting().size(), 1u);
  EXPECT_EQ(f.memory().adapting_ids()[0], a);
  EXPECT_EQ(sum_of(f.memory(), b), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_FALSE(f.memory().shares_references());
  f.table().edit(b).owner = 0;
  f.follow();
  EXPECT_TRUE(f.memory().shares_references());
  f.table().edit(b).promoted = false;
  f.follow();
  EXPECT_EQ(f.memory().references(), f.known());
  EXPECT_EQ(f.memory().adapting().size(), 2u);
}

// Members come and go while a block is decided, as in rehearsal.
TEST(PrototypeStore, APrototypeWithoutMembersLeavesItsPlaceToTheNext) {
  Follower f(4);
  const std::vector<float> x{1, 0, 0, 0}, y{0, 1, 0, 0};
  const PrototypeId a = f.create(x), b = f.create(y);
  const std::size_t place = f.memory().place(a);
  f.memory().join(a, y.data(), 0);
  EXPECT_FALSE(f.memory().leave(a, x.data(), 0));
  EXPECT_EQ(sum_of(f.memory(), a), (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(f.memory().resultant(a), 1);
  EXPECT_TRUE(f.memory().leave(a, y.data(), 0));
  f.table().edit(a).members = 0;
  EXPECT_EQ(sum_of(f.memory(), a), (std::vector<double>(4, 0.0)));
  EXPECT_EQ(f.memory().resultant(a), 0);
  EXPECT_EQ(f.memory().adapting_ids()[place], kNoId);
  const PrototypeId c = f.create(x);
  EXPECT_EQ(f.memory().place(c), place);
  EXPECT_EQ(sum_of(f.memory(), c), (std::vector<double>{1, 0, 0, 0}));
  f.memory().drop(b);
  f.table().edit(b).members = 0;
  f.follow();
  EXPECT_EQ(f.memory().adapting().size(), 1u);
  EXPECT_EQ(f.memory().adapting_ids()[0], c);
}

TEST(PrototypeTable, CountsWhoCompetesAndTellsWhatChangedOnce) {
  const auto model = model_of(4);
  PrototypeTable table(*model);
  const auto known = static_cast<std::int64_t>(model->known_classes());
  std::int64_t support = 0;
  for (const std::int64_t size : model->class_sizes) support += size;
  EXPECT_EQ(table.competing(), known);
  EXPECT_EQ(table.samples(), support);
  table.take_changed();
  PrototypeRecord record;
  record.owner = known;
  record.members = 1;
  const PrototypeId id = table.add(record);
  table.joined(id, false);
  table.joined(1, true);
  EXPECT_EQ(table[id].members, 2);
  EXPECT_EQ(table[1].counted, 1);
  EXPECT_EQ(table.competing(), known + 1);
  EXPECT_EQ(table.samples(), support + 3);
  EXPECT_EQ(table.take_changed(), (std::vector<PrototypeId>{id, 1}));
  EXPECT_TRUE(table.take_changed().empty());
  table.left(id, false);
  table.left(1, true);
  EXPECT_EQ(table.samples(), support + 1);
  table.left(id, false);
  EXPECT_EQ(table.competing(), known);
  EXPECT_EQ(table.samples(), support);
  table.joined(id, false);
  table.joined(1, true);
  table.recount();
  EXPECT_EQ(table.competing(), known + 1);
  EXPECT_EQ(table.samples(), support + 2);
  table.edit(id).retired = true;
  table.recount();
  EXPECT_EQ(table.competing(), known);
  EXPECT_EQ(table.samples(), support + 1);
}

}  // namespace
}  // namespace paco::methods
