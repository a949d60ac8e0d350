// `why` on every item of every example: the conditions that it prints decide, and only they, whether an object claims the
// item; an item that nobody claims has a nearest object and a condition that refuses it, with the value that was seen.

#include <gtest/gtest.h>

#include <algorithm>

#include "connector/item_judge.h"
#include "connector/record_types.h"
#include "tests/service/fixture.h"

namespace tablecast::testing {
namespace {

class WhyTest : public ::testing::TestWithParam<const char*> {};

TEST_P(WhyTest, ExplainsEveryItem) {
  ServedExample example(GetParam(), StoreKind::kMemory);
  const auto snapshot = example.store().BeginRead();
  ASSERT_TRUE(snapshot.ok());
  std::size_t claimed = 0, refused = 0, left_out = 0;
  for (const std::string& table : example.catalog().Tables()) {
    auto judge = ItemJudge::Make(example.catalog(), **snapshot, table, Timestamp{1717200000, 0});
    ASSERT_TRUE(judge.ok());
    const auto scanned = (*snapshot)->Scan(table, {}, [&](const ItemView& item) {
      const std::string key = KeyForPeople(item);
      const std::vector<ItemClaim> claims = judge->Claims(item);
      for (const auto& object : example.catalog().objects()) {
        if (object->table() != table || object->embedded() != nullptr) continue;
        const bool claims_it =
            std::any_of(claims.begin(), claims.end(), [&](const ItemClaim& claim) { return claim.object == object.get(); });
        const std::vector<ConditionVerdict> verdicts = judge->Explain(*object, item);
        const auto first = std::find_if(verdicts.begin(), verdicts.end(), [](const auto& verdict) { return !verdict.holds; });
        EXPECT_EQ(claims_it, first == verdicts.end()) << object->name() << " and " << key;
        for (const ConditionVerdict& verdict : verdicts) {
          EXPECT_FALSE(verdict.column.empty() || verdict.condition.empty() || verdict.seen.empty()) << object->name();
        }
        (claims_it ? claimed : refused) += 1;
      }
      if (claims.empty()) {
        ++left_out;
        const ItemJudge::Nearest nearest = judge->NearestObject(item);
        EXPECT_NE(nearest.object, nullptr) << key;
        EXPECT_FALSE(nearest.failed.holds) << key;
        EXPECT_FALSE(nearest.failed.condition.empty() || nearest.failed.seen.empty()) << key;
      }
      return true;
    });
    ASSERT_TRUE(scanned.ok());
  }
  EXPECT_GT(claimed, 0U);
  if (std::string(GetParam()) == "order-management") {
    EXPECT_GE(left_out, 3U);  // the example holds some on purpose
    EXPECT_GT(refused, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, WhyTest, ::testing::Values("order-management", "customers", "bookshop", "salesforce"),
                         [](const auto& at) {
                           std::string name = at.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tablecast::testing
