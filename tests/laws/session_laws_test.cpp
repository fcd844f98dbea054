// What holds for every stream of samples and operations: the fast engine is the plain reference
// with operations mixed in at random, an operation and its undo leave nothing behind, and the log
// rebuilds the state from its start and from every snapshot.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "laws/discover_case.hpp"
#include "paco/session.hpp"
#include "session/fold.hpp"
#include "temporary_folder.hpp"

namespace paco {
namespace {

using testing::law_case;
using testing::LawCase;
using testing::same_decision;
using testing::TemporaryFolder;

Session open_new(const std::string& path, const std::shared_ptr<const Model>& model,
                 const std::string& method, const MethodOptions& options = {}) {
  JournalOptions journal;
  journal.durability = JournalOptions::Durability::relaxed;
  journal.snapshot_samples = 37;
  auto session = Session::create(path, model, method, options, journal);
  EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().message);
  return std::move(session).value();
}

std::string digest(const Session& session) {
  const auto value = session.digest();
  EXPECT_TRUE(value.ok());
  return value.ok() ? *value : "";
}

VerifiedSamples marks(const MemoryView& view) {
  return view.verified == nullptr ? VerifiedSamples() : *view.verified;
}

// Categories, prototypes and verified samples in every field.
::testing::AssertionResult same_memory(Session& a, Session& b) {
  const auto x = a.view(), y = b.view();
  if (x->categories.next() != y->categories.next())
    return ::testing::AssertionFailure() << "other numbers of categories";
  if (x->prototypes.size() != y->prototypes.size())
    return ::testing::AssertionFailure() << "other numbers of prototypes";
  if (x->known != y->known || x->discovered != y->discovered)
    return ::testing::AssertionFailure() << "known or discovered differ";
  if (marks(*x) != marks(*y)) return ::testing::AssertionFailure() << "other samples verified";
  for (CategoryId id = 0; id < x->categories.next(); ++id) {
    const Category &p = x->categories[id], &q = y->categories[id];
    if (p.name != q.name || p.forward != q.forward || p.retired != q.retired ||
        p.exists != q.exists || p.answered != q.answered || p.prototypes != q.prototypes) {
      return ::testing::AssertionFailure() << "category " << id;
    }
  }
  for (std::size_t i = 0; i < x->prototypes.size(); ++i) {
    const Prototype &p = x->prototypes[i], &q = y->prototypes[i];
    const bool lengths = p.resultant_length == q.resultant_length ||
                         (std::isnan(p.resultant_length) && std::isnan(q.resultant_length));
    if (p.owner != q.owner || p.reference != q.reference || p.competing != q.competing ||
        p.members != q.members || p.counted != q.counted || !lengths) {
      return ::testing::AssertionFailure()
             << "prototype " << i << ": members " << p.members << " against " << q.members
             << ", length " << p.resultant_length << " against " << q.resultant_length;
    }
  }
  return ::testing::AssertionSuccess();
}

// A random operation; often one that makes no sense.
Operation random_operation(core::Random& random, const Session& session,
                           const std::vector<std::uint64_t>& events) {
  const Categories& categories = session.method().categories();
  const auto category = [&] {
    return static_cast<CategoryId>(random.below(static_cast<std::size_t>(categories.next()) + 1));
  };
  // One that fits, where there is one and luck has it.
  const auto fitting = [&](auto fits) {
    std::vector<CategoryId> all;
    for (CategoryId id = 0; id < categories.next(); ++id)
      if (categories.is_live(id) && fits(id)) all.push_back(id);
    return all.empty() || random.below(4) == 0 ? category() : all[random.below(all.size())];
  };
  Operation o;
  const std::size_t kind = random.below(13);
  o.kind = kind < 9 ? static_cast<OperationKind>(kind) : OperationKind::undo;
  o.category = category();
  switch (o.kind) {
    case OperationKind::rename:
      o.name = "name " + std::to_string(random.below(6));
      break;
    case OperationKind::merge:
      o.categories = {category(), category()};
      break;
    case OperationKind::demote:
      o.category = fitting([&](CategoryId id) {
        return id >= static_cast<CategoryId>(categories.known_classes()) &&
               !categories[id].prototypes.empty() &&
               session.method().is_reference(categories[id].prototypes.front());
      });
      break;
    case OperationKind::revive:
      o.category = fitting([&](CategoryId id) { return categories[id].retired; });
      break;
    case OperationKind::separate:
      o.category = fitting([&](CategoryId id) { return categories[id].prototypes.size() > 1; });
      if (categories.has(o.category) && !categories[o.category].prototypes.empty()) {
        const auto& owned = categories[o.category].prototypes;
        o.prototypes = {owned[random.below(owned.size())]};
      }
      break;
    case OperationKind::move:
      for (std::size_t i = 0; i < 1 + random.below(3); ++i)
        o.samples.push_back(random.below(static_cast<std::size_t>(session.samples()) + 1));
      if (random.below(2) == 0) o.category = -1;
      break;
    case OperationKind::verify:
      for (std::size_t i = 0; i < 1 + random.below(3); ++i)
        o.samples.push_back(random.below(static_cast<std::size_t>(session.samples()) + 1));
      break;
    case OperationKind::undo:
      o.event = events.empty() ? 0 : events[random.below(events.size())];
      break;
    default:
      break;
  }
  return o;
}

struct Met {
  std::map<OperationKind, int> done, refused;
};

// Two forms of one rule.
struct Forms {
  std::string fast, plain;
  std::function<std::shared_ptr<const Model>(const LawCase&, std::uint64_t seed)> model;
};

Forms forms_of_paco() {
  return {"paco", "reference", [](const LawCase& c, std::uint64_t) { return c.model; }};
}

// With and without rehearsal, with buffers and candidates that are soon full.
Forms forms_of_mirror() {
  return {"mirror", "mirror-reference", [](const LawCase& c, std::uint64_t seed) {
            CalibrationOptions options = testing::quick_options("mirror");
            options.settings["rehearse"] = std::to_string(seed % 4);
            options.settings["buffer"] = seed % 2 == 0 ? "2000" : "40";
            options.settings["candidates"] = seed % 3 == 0 ? "3" : "2000";
            return testing::calibrated(c.data.support_set(), options);
          }};
}

// One stream with operations, by both forms; `all` is how many events it had.
void run_both(const Forms& forms, std::uint64_t seed, std::size_t rounds,
              const TemporaryFolder& folder, Met& met, std::uint64_t& all) {
  const LawCase c = law_case(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::string paths[] = {folder / ("fast" + std::to_string(seed)),
                               folder / ("plain" + std::to_string(seed))};
  const std::shared_ptr<const Model> model = forms.model(c, seed);
  Session fast = open_new(paths[0], model, forms.fast);
  Session plain = open_new(paths[1], model, forms.plain);
  core::Random random(seed, 11);
  std::vector<std::uint64_t> events;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (random.below(3) > 0) {
      const std::size_t count = 1 + random.below(12);
      math::Matrix<double> rows(count, c.data.stream.columns());
      for (std::size_t i = 0; i < count; ++i) {
        const auto from = c.data.stream[random.below(c.data.stream.rows())];
        std::copy(from.begin(), from.end(), rows[i].begin());
        if (random.below(2) == 0) rows[i][0] *= 1 + 0.1 * random.normal();
      }
      std::vector<Decision> a(count), b(count);
      ASSERT_TRUE(fast.decide(rows, a).ok());
      ASSERT_TRUE(plain.decide(rows, b).ok());
      for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(same_decision(a[i], b[i]));
    } else {
      const Operation o = random_operation(random, fast, events);
      const std::string before = digest(fast);
      const VerifiedSamples marked = marks(*fast.view());
      const auto a = fast.apply(o), b = plain.apply(o);
      ASSERT_EQ(a.ok(), b.ok()) << operation_name(o.kind) << ": "
                                << (a.ok() ? b.error().message : a.error().message);
      if (a.ok()) {
        events.push_back(a->event);
        ++met.done[o.kind];
        ASSERT_TRUE(same_memory(fast, plain)) << operation_name(o.kind);
        if (random.below(3) == 0) {
          const auto undone = fast.undo(a->event), other = plain.undo(a->event);
          ASSERT_TRUE(undone.ok()) << operation_name(o.kind) << ": " << undone.error().message;
          ASSERT_TRUE(other.ok());
          ASSERT_EQ(digest(fast), before)
              << "undo of " << operation_name(o.kind) << ": " << a->text << "; " << undone->text;
          ASSERT_EQ(marks(*fast.view()), marked) << "undo of " << operation_name(o.kind);
          events.push_back(undone->event);
        }
      } else {
        ++met.refused[o.kind];
        ASSERT_EQ(a.error().message, b.error().message);
        ASSERT_EQ(digest(fast), before) << "a refused " << operation_name(o.kind);
      }
    }
  }
  ASSERT_TRUE(same_memory(fast, plain));
  const std::string end = digest(fast);
  all = fast.events();
  {
    const auto gone = std::move(fast);  // closed without a snapshot at the end
  }

  // The log from the model, and from every snapshot that is there.
  auto journal = journal::Journal::open(paths[0], journal::OpenMode::read, {});
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  std::vector<std::uint64_t> starts{0};
  const std::vector<journal::SnapshotInfo> snapshots = journal->snapshots().value();
  for (const journal::SnapshotInfo& info : snapshots) starts.push_back(info.event);
  for (const std::uint64_t start : starts) {
    auto method = session::method_of_journal(*journal, 1);
    ASSERT_TRUE(method.ok());
    if (start > 0) {
      auto snapshot = journal->newest_snapshot(start);
      ASSERT_TRUE(snapshot.ok() && snapshot->has_value());
      const auto restored = (*method)->restore((*snapshot)->bytes, "snapshot");
      ASSERT_TRUE(restored.ok()) << restored.error().message;
      EXPECT_EQ((*method)->digest().value(), (*snapshot)->digest);
    }
    const auto folded = session::fold(*journal, **method, start, {});
    ASSERT_TRUE(folded.ok()) << folded.error().message;
    EXPECT_FALSE(folded->first_difference) << "from event " << start;
    EXPECT_EQ(folded->events, all);
    EXPECT_EQ((*method)->digest().value(), end) << "from event " << start;
  }
  // And as a session.
  auto again = Session::open(paths[0]);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(digest(*again), end);
  EXPECT_TRUE(same_memory(*again, plain));
}

class SessionForms : public ::testing::TestWithParam<bool> {};

TEST_P(SessionForms, TheFastEngineIsTheReferenceWithOperationsMixedInAtRandom) {
  const Forms forms = GetParam() ? forms_of_mirror() : forms_of_paco();
  const TemporaryFolder folder;
  Met met;
  // PACO_ROUNDS=2500 makes about 10,000 events of every seed.
  const char* given = std::getenv("PACO_ROUNDS");
  const std::size_t rounds = given != nullptr ? std::strtoull(given, nullptr, 10) : 250;
  std::uint64_t events = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::uint64_t of_seed = 0;
    run_both(forms, seed, rounds, folder, met, of_seed);
    events += of_seed;
    if (HasFatalFailure()) return;
  }
  RecordProperty("events", std::to_string(events));
  if (given != nullptr) std::printf("%llu events\n", static_cast<unsigned long long>(events));
  // The law is worth something only if everything was met.
  for (int k = 0; k <= static_cast<int>(OperationKind::undo); ++k) {
    const auto kind = static_cast<OperationKind>(k);
    EXPECT_GT(met.done[kind], 2) << operation_name(kind);
    EXPECT_GT(met.refused[kind], 0) << operation_name(kind);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, SessionForms, ::testing::Bool(), [](const auto& mirror) {
  return std::string(mirror.param ? "mirror" : "paco");
});

// Whatever a method supports, and a refusal in words where it does not: the memory is then as it
// was, and the log rebuilds the state.
TEST(SessionLaws, TheLogOfEveryMethodRebuildsItsStateWithOperationsMixedInAtRandom) {
  const TemporaryFolder folder;
  for (const std::string& name : method_names()) {
    SCOPED_TRACE(name);
    const LawCase c = law_case(2);
    const std::string path = folder / name;
    std::string end;
    VerifiedSamples verified;
    {
      Session session = open_new(path, c.model_of(name), name);
      core::Random random(3, 11);
      std::vector<std::uint64_t> events;
      for (std::size_t row = 0; row + 5 <= c.data.stream.rows(); row += 5) {
        std::vector<Decision> decisions(5);
        ASSERT_TRUE(session.decide(c.data.stream.view().slice(row, 5), decisions).ok());
        const Operation o = random_operation(random, session, events);
        const std::string before = digest(session);
        const auto done = session.apply(o);
        if (done.ok()) {
          events.push_back(done->event);
          EXPECT_TRUE(session.method().info().supports(o.kind));
        } else {
          EXPECT_FALSE(done.error().message.empty());
          EXPECT_EQ(digest(session), before) << "a refused " << operation_name(o.kind);
        }
      }
      EXPECT_GT(events.size(), 1u);
      end = digest(session);
      verified = marks(*session.view());
    }
    auto journal = journal::Journal::open(path, journal::OpenMode::read, {});
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    auto method = session::method_of_journal(*journal, 1);
    ASSERT_TRUE(method.ok());
    const auto folded = session::fold(*journal, **method, 0, {});
    ASSERT_TRUE(folded.ok()) << folded.error().message;
    EXPECT_FALSE(folded->first_difference);
    EXPECT_EQ((*method)->digest().value(), end);
    auto again = Session::open(path);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(digest(*again), end);
    EXPECT_EQ(marks(*again->view()), verified);
  }
}

TEST(SessionLaws, OperationsOnCategoriesThatShareNothingCommute) {
  const TemporaryFolder folder;
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const LawCase c = law_case(seed);
    const auto run = [&](bool swapped) {
      Session session =
          open_new(folder / (std::to_string(seed) + (swapped ? "b" : "a")), c.model, "paco");
      std::vector<Decision> decisions(c.data.stream.rows());
      EXPECT_TRUE(session.decide(c.data.stream, decisions).ok());
      const auto known = static_cast<CategoryId>(c.model->known_classes());
      if (session.method().categories().next() < known + 3) return std::string();
      Operation rename, merge;
      rename.kind = OperationKind::rename;
      rename.category = known;
      rename.name = "first";
      merge.kind = OperationKind::merge;
      merge.category = known + 1;
      merge.categories = {known + 2};
      EXPECT_TRUE(session.apply(swapped ? merge : rename).ok());
      EXPECT_TRUE(session.apply(swapped ? rename : merge).ok());
      ++tried;
      return digest(session);
    };
    EXPECT_EQ(run(false), run(true)) << "seed " << seed;
  }
  EXPECT_GE(tried, 4);
}

TEST(SessionLaws, EveryAnsweredIdResolvesToALiveCategory) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const LawCase c = law_case(seed);
    Session session = open_new(folder / std::to_string(seed), c.model, "paco");
    core::Random random(seed, 12);
    std::vector<std::uint64_t> events;
    std::set<CategoryId> answered;
    for (std::size_t row = 0; row < c.data.stream.rows(); ++row) {
      std::vector<Decision> one(1);
      ASSERT_TRUE(session.decide(c.data.stream.view().slice(row, 1), one).ok());
      answered.insert(one[0].category);
      const auto done = session.apply(random_operation(random, session, events));
      if (done.ok()) events.push_back(done->event);
      for (const CategoryId id : answered) {
        const Categories& categories = session.method().categories();
        ASSERT_TRUE(categories.has(id)) << id << ", seed " << seed;
        ASSERT_TRUE(categories.is_live(categories.now(id))) << id << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace paco
