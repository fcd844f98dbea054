// The slow sister of damage_test.cpp: every byte that is in use, and one in forty of the others.
#include <gtest/gtest.h>

#include "flipped_bytes.hpp"

namespace paco::journal {
namespace {

TEST(JournalDamage, EveryChangedByteIsNoticedOrMeansNothing) { testing::flip_through(1); }

}  // namespace
}  // namespace paco::journal
