#ifndef TABLECAST_TESTS_STORE_CRASH_WORKLOAD_H_
#define TABLECAST_TESTS_STORE_CRASH_WORKLOAD_H_

// What the crash writer does and what must be there afterwards: step n of a workload is a function
// of n alone, so the test knows the items after every number of steps.

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/item_store.h"
#include "tests/conformance/store_test_items.h"

namespace tablecast::testing {

inline constexpr const char* kCrashTable = "Things";
inline constexpr const char* kStepsDone = "crash/steps";  // meta value, written by every step
inline constexpr int kBuildItems = 300;
inline constexpr int kLoadItems = 600;

inline TableSchema CrashSchema() {
  TableSchema schema = PairTable(kCrashTable);
  schema.indexes = {IndexOn("byKind", {"kind", AttributeType::kS},
                            KeyColumn{"score", AttributeType::kN}, ProjectionType::kInclude,
                            {"note"})};
  return schema;
}

struct CrashStep {
  std::vector<Item> puts;
  std::vector<ItemKey> deletes;
};

inline CrashStep StepOf(int n) {
  std::mt19937 random(static_cast<unsigned>(n) * 2654435761U);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const auto key = [&] {
    return below(5) == 0 ? std::string(600, 'L') + std::to_string(below(9))
                         : std::to_string(below(60));
  };
  CrashStep step;
  for (unsigned i = 0; i <= below(4); ++i) {
    Item item = Pair(key(), std::to_string(below(3)), {{"n", N(std::to_string(n))}});
    if (below(3) != 0) item.emplace("kind", S("k" + std::to_string(below(4))));
    if (below(3) != 0) item.emplace("score", N(std::to_string(below(100))));
    if (below(6) == 0) item.emplace("note", S(std::string(below(20'000), 'x')));
    if (below(8) == 0) item.emplace("extra" + std::to_string(below(30)), N("1"));
    step.puts.push_back(std::move(item));
  }
  step.deletes.push_back({S(key()), S(std::to_string(below(3)))});
  return step;
}

inline ItemKey CounterKey() { return {S("counter"), S("s")}; }
inline Item CounterItem() { return Pair("counter", "s", {{"n", N("0")}}); }

inline Item LoadItem(int i) {
  std::string digits = std::to_string(i);
  return Pair(std::string(6 - digits.size(), '0') + digits, "s",
              {{"kind", S("k" + std::to_string(i % 5))}, {"score", N(std::to_string(i % 7))}});
}

// Key -> item after the first `steps` steps.
inline std::map<std::string, Item> ItemsAfter(int steps) {
  std::map<std::string, Item> items;
  const auto text = [](const AttributeValue& partition, const AttributeValue& sort) {
    return partition.text() + "/" + sort.text();
  };
  for (int n = 1; n <= steps; ++n) {
    const CrashStep step = StepOf(n);
    for (const Item& item : step.puts) items[text(item.at("pk"), item.at("sk"))] = item;
    for (const ItemKey& key : step.deletes) items.erase(text(key.partition, *key.sort));
  }
  return items;
}

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_STORE_CRASH_WORKLOAD_H_
