// Kills a writing process with SIGKILL, and under the power-loss shim cuts its power at every write
// and sync, fails every sync and every write. Each time the store must open, hold every
// acknowledged step and none in part, and its indexes must agree with its items.
// TABLECAST_LONG_TESTS=N multiplies the rounds.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store/lmdb_item_store.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/crash_workload.h"
#include "tests/store/store_test_directory.h"

namespace tablecast::testing {
namespace {

int Multiplier() {
  const char* text = std::getenv("TABLECAST_LONG_TESTS");
  return text != nullptr ? std::max(1, std::atoi(text)) : 1;
}

struct Outcome {
  int acknowledged = 0;               // the last number the writer told
  int first = 0;                      // and the first
  std::vector<std::string> failures;  // reasons it told
  int exit_code = -1;                 // -1: killed
};

// Runs the writer; kills it once it has told `kill_after` lines (0: lets it end).
Outcome RunWriter(const std::string& directory, const std::string& mode, int steps, int kill_after,
                  const std::vector<std::string>& environment = {}) {
  int pipe_ends[2];
  EXPECT_EQ(::pipe(pipe_ends), 0);
  // Everything that allocates is made before the fork.
  const std::string steps_text = std::to_string(steps);
  const char* arguments[] = {TABLECAST_CRASH_WRITER, directory.c_str(), mode.c_str(),
                             steps_text.c_str(), nullptr};
  std::vector<const char*> variables;
  for (const std::string& variable : environment) variables.push_back(variable.c_str());
  variables.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe_ends[1], STDOUT_FILENO);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    ::execve(TABLECAST_CRASH_WRITER, const_cast<char* const*>(arguments),
             const_cast<char* const*>(variables.data()));
    ::_exit(6);
  }
  ::close(pipe_ends[1]);
  Outcome outcome;
  std::string buffered;
  int lines = 0;
  char bytes[256];
  for (ssize_t got = 0; (got = ::read(pipe_ends[0], bytes, sizeof bytes)) > 0;) {
    buffered.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = buffered.find('\n')) != std::string::npos;
         buffered.erase(0, end + 1)) {
      const std::string line = buffered.substr(0, end);
      if (const int number = std::atoi(line.c_str()); number > 0) {
        outcome.acknowledged = number;
        if (outcome.first == 0) outcome.first = number;
      } else {
        outcome.failures.push_back(line);
      }
      if (++lines == kill_after) ::kill(child, SIGKILL);
    }
  }
  ::close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

std::unique_ptr<LmdbItemStore> OpenAfterwards(const std::string& directory) {
  LmdbOptions options;
  options.change_log.max_entries = 50;
  auto store = LmdbItemStore::Open(directory, options);
  EXPECT_TRUE(store.ok()) << store.error().ToString();
  return store.ok() ? *std::move(store) : nullptr;
}

// Integrity, then the steps that the store says it holds. -1 after a failure. A table that was not
// yet created holds none.
int CheckedSteps(LmdbItemStore& store) {
  const auto snapshot = *store.BeginRead();
  if (snapshot->ListTables()->empty()) return 0;
  const Status maintained = store.SetMaintainer(kCrashTable, std::make_shared<TestMaintainer>());
  EXPECT_TRUE(maintained.ok()) << maintained.error().ToString();
  const auto report = store.CheckIntegrity();
  EXPECT_TRUE(report.ok()) << report.error().ToString();
  if (!report.ok()) return -1;
  for (const Issue& issue : report->issues) ADD_FAILURE() << issue.code << ": " << issue.message;
  if (!report->issues.empty()) return -1;
  return std::atoi(snapshot->GetMeta(kStepsDone)->value_or("0").c_str());
}

std::map<std::string, Item> StoredItems(LmdbItemStore& store) {
  std::map<std::string, Item> items;
  const auto snapshot = *store.BeginRead();
  if (snapshot->ListTables()->empty()) return items;
  EXPECT_TRUE(snapshot
                  ->Scan(kCrashTable, {},
                         [&](const ItemView& view) {
                           items.emplace(KeyText(view), *view.ToItem());
                           return true;
                         })
                  .ok());
  return items;
}

// Every acknowledged step and at most the one that was under way; exactly their items.
void ExpectStepsKept(const std::string& directory, const Outcome& outcome) {
  const auto store = OpenAfterwards(directory);
  ASSERT_NE(store, nullptr);
  const int steps = CheckedSteps(*store);
  ASSERT_GE(steps, outcome.acknowledged) << "an acknowledged write is lost";
  ASSERT_LE(steps, outcome.acknowledged + 1);
  ASSERT_EQ(StoredItems(*store), ItemsAfter(steps));
}

TEST(CrashTest, KilledWritersLoseNothing) {
  const StoreTestDirectory directory;
  std::mt19937 random(1);
  int acknowledged = 0;
  for (int round = 0; round < 8 * Multiplier(); ++round) {
    SCOPED_TRACE(round);
    Outcome outcome =
        RunWriter(directory.path(), "write", 1'000'000, 1 + static_cast<int>(random() % 30));
    ASSERT_EQ(outcome.exit_code, -1);
    ASSERT_GT(outcome.acknowledged, acknowledged)
        << "the writer goes on where the last one was killed";
    acknowledged = outcome.acknowledged;
    ExpectStepsKept(directory.path(), outcome);
    if (HasFatalFailure()) return;
  }
}

// The items of a load up to its journal, no less than acknowledged. Returns how many.
int ExpectLoadKept(const std::string& directory, const Outcome& outcome) {
  const auto store = OpenAfterwards(directory);
  if (store == nullptr) return -1;
  const int steps = CheckedSteps(*store);
  EXPECT_GE(steps, outcome.acknowledged) << "an acknowledged batch is lost";
  std::map<std::string, Item> want;
  for (int i = 0; i < steps; ++i) want.emplace(LoadItem(i).at("pk").text() + "/s", LoadItem(i));
  EXPECT_EQ(StoredItems(*store), want);
  return steps;
}

// A store with items and a maintainer's indexes still to be built.
void PrepareBuild(const std::string& directory) {
  const auto store = OpenAfterwards(directory);
  ASSERT_NE(store, nullptr);
  ASSERT_OK(store->CreateTable(CrashSchema()));
  ASSERT_OK(store->Write([](WriteTransaction& txn) -> Status {
    for (int i = 0; i < kBuildItems; ++i) {
      TABLECAST_RETURN_IF_ERROR(txn.Put(kCrashTable, LoadItem(i)));
    }
    return {};
  }));
}

TEST(CrashTest, AKilledLoadResumesFromItsJournal) {
  const StoreTestDirectory directory;
  std::mt19937 random(2);
  int rounds = 0;
  for (int steps = 0; steps != kLoadItems && rounds < 100; ++rounds) {
    const Outcome outcome =
        RunWriter(directory.path(), "load", 0, 1 + static_cast<int>(random() % 5));
    steps = ExpectLoadKept(directory.path(), outcome);
    if (HasFailure()) return;
  }
  EXPECT_GT(rounds, 2);
  EXPECT_LT(rounds, 100);
}

TEST(CrashTest, AKilledBuildGoesOn) {
  const StoreTestDirectory directory;
  PrepareBuild(directory.path());
  Outcome outcome;
  int rounds = 0;
  for (; outcome.exit_code != 0 && rounds < 100; ++rounds) {
    outcome = RunWriter(directory.path(), "build", 0, 3);
    const auto store = OpenAfterwards(directory.path());
    ASSERT_NE(store, nullptr);
    ASSERT_EQ(CheckedSteps(*store), 0);
  }
  EXPECT_GT(rounds, 2);
  const auto store = OpenAfterwards(directory.path());
  EXPECT_EQ(*(*store->BeginRead())->CountDerived(kCrashTable, TestMaintainer().member()),
            static_cast<std::uint64_t>(kBuildItems));
}

TEST(ProcessesTest, WritersOfSeveralProcessesTakeTurns) {
  const StoreTestDirectory directory;
  constexpr int kProcesses = 3;
  constexpr int kEach = 40;
  std::vector<std::thread> runners;
  std::vector<Outcome> outcomes(kProcesses);
  for (Outcome& outcome : outcomes) {
    runners.emplace_back([&] { outcome = RunWriter(directory.path(), "count", kEach, 0); });
  }
  for (std::thread& runner : runners) runner.join();
  for (const Outcome& outcome : outcomes)
    EXPECT_EQ(outcome.exit_code, 0) << (outcome.failures.empty() ? "" : outcome.failures[0]);
  // Every process saw the attribute names that the others gave numbers to.
  Item want = CounterItem();
  want.insert_or_assign("n", N(std::to_string(kProcesses * kEach)));
  for (int i = 1; i <= kProcesses * kEach; ++i)
    want.emplace("step" + std::to_string(i), S(std::to_string(i)));
  const auto store = OpenAfterwards(directory.path());
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(CheckedSteps(*store), 0);
  EXPECT_EQ(StoredItems(*store), (std::map<std::string, Item>{{"counter/s", want}}));
}

class ShimTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef TABLECAST_NO_PRELOAD
    GTEST_SKIP() << "a sanitizer's runtime must be the first library of a process, so nothing can "
                    "be preloaded";
#endif
  }
  static std::vector<std::string> With(const std::string& setting, int value, int seed = 0) {
    return {std::string("LD_PRELOAD=") + TABLECAST_POWER_LOSS_SHIM,
            "TABLECAST_SHIM_" + setting + "=" + std::to_string(value),
            "TABLECAST_SHIM_SEED=" + std::to_string(seed)};
  }
  static constexpr int kSteps = 12;
};

TEST_F(ShimTest, ThePowerMayFailAtEveryWriteAndSync) {
  for (int seed = 0; seed < Multiplier(); ++seed) {
    int at = 1;
    for (;; ++at) {
      SCOPED_TRACE("event " + std::to_string(at) + ", seed " + std::to_string(seed));
      const StoreTestDirectory directory;
      const Outcome outcome =
          RunWriter(directory.path(), "write", kSteps, 0, With("LOSE_AT", at, seed));
      if (outcome.exit_code == 0) break;
      ASSERT_EQ(outcome.exit_code, 137);
      ExpectStepsKept(directory.path(), outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(at, 3 * kSteps) << "a commit writes pages, syncs them and writes the head";
  }
}

// The control: the same harness must see losses where syncs do nothing.
TEST_F(ShimTest, ADiskThatLiesAboutSyncsIsFoundOut) {
  int found_out = 0;
  for (int seed = 0; seed < 5; ++seed) {
    const StoreTestDirectory directory;
    std::vector<std::string> environment = With("LOSE_AT", 40, seed);
    environment.push_back("TABLECAST_SHIM_LIE=1");
    const Outcome outcome = RunWriter(directory.path(), "write", kSteps, 0, environment);
    ASSERT_EQ(outcome.exit_code, 137);
    ASSERT_GT(outcome.acknowledged, 3);
    // In a process of its own: what is left may make LMDB abort.
    const Outcome after = RunWriter(directory.path(), "write", kSteps, 0);
    if (after.exit_code != 0 || after.first <= outcome.acknowledged) ++found_out;
  }
  EXPECT_GT(found_out, 0);
}

TEST_F(ShimTest, AFailedSyncIsNoCommit) {
  int failed = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    const StoreTestDirectory directory;
    const Outcome outcome =
        RunWriter(directory.path(), "write", kSteps, 0, With("FAIL_SYNC_AT", at));
    if (outcome.failures.empty()) {
      ASSERT_EQ(outcome.exit_code, 0);
      break;
    }
    ++failed;
    EXPECT_EQ(outcome.failures.front(), "disk-error");
    ExpectStepsKept(directory.path(), outcome);
    if (HasFatalFailure()) return;
    if (outcome.exit_code == 0) {
      EXPECT_EQ(outcome.acknowledged, kSteps) << "the step succeeds when tried again";
    }
  }
  EXPECT_GT(failed, kSteps);
}

TEST_F(ShimTest, AFullDiskIsReportedAndLeavesNothing) {
  int failed = 0;
  for (int at = 1;; ++at) {
    SCOPED_TRACE(at);
    const StoreTestDirectory directory;
    const Outcome outcome =
        RunWriter(directory.path(), "write", kSteps, 0, With("FAIL_WRITE_AT", at));
    if (outcome.failures.empty()) {
      ASSERT_EQ(outcome.exit_code, 0);
      break;
    }
    ++failed;
    EXPECT_EQ(outcome.failures.front(), "disk-full");
    ExpectStepsKept(directory.path(), outcome);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(failed, kSteps);
}

// Loads and builds under every fault, at every ninth event (every one in long runs): what is there
// is whole, and the next run without a fault completes it.
TEST_F(ShimTest, LoadsAndBuildsSurviveEveryFault) {
  const int stride = Multiplier() > 1 ? 1 : 9;
  for (const char* fault : {"LOSE_AT", "FAIL_SYNC_AT", "FAIL_WRITE_AT"}) {
    for (const char* mode : {"load", "build"}) {
      const bool load = std::string(mode) == "load";
      bool finished = false;
      int faults = 0;
      for (int at = 1; !finished; at += stride) {
        SCOPED_TRACE(std::string(mode) + " " + fault + " " + std::to_string(at));
        const StoreTestDirectory directory;
        if (!load) PrepareBuild(directory.path());
        const Outcome outcome = RunWriter(directory.path(), mode, 0, 0, With(fault, at));
        finished = outcome.exit_code == 0;
        faults += finished ? 0 : 1;
        if (!outcome.failures.empty()) {
          EXPECT_EQ(outcome.failures.front(),
                    std::string(fault) == "FAIL_WRITE_AT" ? "disk-full" : "disk-error");
        }
        if (load) {
          ExpectLoadKept(directory.path(), outcome);
        } else {
          const auto store = OpenAfterwards(directory.path());
          ASSERT_NE(store, nullptr);
          EXPECT_EQ(CheckedSteps(*store), 0);
        }
        ASSERT_EQ(RunWriter(directory.path(), mode, 0, 0).exit_code, 0);
        const auto store = OpenAfterwards(directory.path());
        ASSERT_NE(store, nullptr);
        EXPECT_EQ(CheckedSteps(*store), load ? kLoadItems : 0);
        EXPECT_EQ(*(*store->BeginRead())->CountDerived(kCrashTable, TestMaintainer().member()),
                  static_cast<std::uint64_t>(load ? kLoadItems : kBuildItems));
        if (HasFailure()) return;
      }
      EXPECT_GT(faults, 0);
    }
  }
}

}  // namespace
}  // namespace tablecast::testing
