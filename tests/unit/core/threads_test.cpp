// Loops over threads visit every range once, nest, and hand on what a body throws.
#include "core/threads.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "sanitized.hpp"

namespace paco::core {
namespace {

using Ranges = std::set<std::pair<std::size_t, std::size_t>>;

Ranges ranges_of(ThreadPool& pool, std::size_t count, std::size_t grain) {
  std::mutex mutex;
  Ranges ranges;
  pool.parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ranges.insert({begin, end}).second) << "range " << begin << " came twice";
  });
  return ranges;
}

TEST(ThreadPool, TheRangesDoNotDependOnTheNumberOfThreads) {
  ThreadPool one(1), three(3), eight(8);
  for (const std::size_t count : {0, 1, 7, 8, 9, 64, 1000}) {
    const Ranges expected = ranges_of(one, count, 8);
    EXPECT_EQ(ranges_of(three, count, 8), expected) << count;
    EXPECT_EQ(ranges_of(eight, count, 8), expected) << count;
  }
}

TEST(ThreadPool, AsManyThreadsAsNobodyNeedsAreCutToAFew) {
  ThreadPool pool(100'000);
  EXPECT_LE(pool.threads(), kMostThreads);
  EXPECT_EQ(ranges_of(pool, 64, 8).size(), 8U);
}

// The limit holds for the whole process, so this test has one of its own.
TEST(ThreadPool, ThreadsThatCannotStartAreDoneWithout) {
  if (PACO_SANITIZED) GTEST_SKIP() << "a sanitizer needs the memory itself";
  const auto without_room = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = 1 << 20;  // less than is taken already: no stack can be had
    if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
    ThreadPool pool(8);
    std::atomic<int> ranges{0};
    pool.parallel_for(64, 8, [&](std::size_t, std::size_t) { ++ranges; });
    std::_Exit(pool.threads() < 8 && ranges == 8 ? 0 : 1);
  };
  EXPECT_EXIT(without_room(), ::testing::ExitedWithCode(0), "");
}

TEST(ThreadPool, EveryIndexIsVisitedOnce) {
  ThreadPool pool(4);
  std::vector<int> visits(10'001, 0);
  for (int round = 0; round < 20; ++round) {
    pool.parallel_for(visits.size(), 13, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
  }
  EXPECT_THAT(visits, ::testing::Each(20));
}

TEST(ThreadPool, WithOneThreadTheCallerDoesTheWorkInOrder) {
  ThreadPool pool(1);
  std::vector<std::size_t> begins;
  pool.parallel_for(10, 3,
                    [&, caller = std::this_thread::get_id()](std::size_t begin, std::size_t) {
                      EXPECT_EQ(std::this_thread::get_id(), caller);
                      begins.push_back(begin);
                    });
  EXPECT_THAT(begins, ::testing::ElementsAre(0, 3, 6, 9));
}

TEST(ThreadPool, ALoopInsideALoopRuns) {
  ThreadPool pool(3);
  std::atomic<int> total{0};
  pool.parallel_for(6, 1, [&](std::size_t, std::size_t) {
    pool.parallel_for(5, 1, [&](std::size_t, std::size_t) { ++total; });
  });
  EXPECT_EQ(total, 30);
}

TEST(ThreadPool, SeveralCallersTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        pool.parallel_for(8, 2, [&](std::size_t begin, std::size_t end) {
          total += static_cast<int>(end - begin);
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 50 * 8);
}

TEST(ThreadPool, WhatABodyThrowsReachesTheCallerAndThePoolGoesOn) {
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 20; ++round) {
      EXPECT_THROW(pool.parallel_for(100, 1,
                                     [](std::size_t begin, std::size_t) {
                                       if (begin % 7 == 3) throw std::bad_alloc();
                                     }),
                   std::bad_alloc);
      std::atomic<int> visited = 0;
      pool.parallel_for(100, 1, [&](std::size_t, std::size_t) { ++visited; });
      EXPECT_EQ(visited, 100);
    }
  }
}

TEST(ThreadPool, ZeroMeansWhatTheMachineHas) {
  EXPECT_EQ(ThreadPool(0).threads(), available_threads());
  EXPECT_GE(available_threads(), 1U);
}

}  // namespace
}  // namespace paco::core
