// The process that crash_test kills: `store_crash_writer DIRECTORY write|load|build|count STEPS`.
// Prints the number of steps that are acknowledged, one a line, and the reason of each failed
// write. Exit 0: done; 3: the store must be reopened; 4: another error.

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "store/bulk_load.h"
#include "store/lmdb_item_store.h"
#include "tests/conformance/test_maintainer.h"
#include "tests/store/crash_workload.h"

namespace tablecast::testing {
namespace {

void Say(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) std::_Exit(5);
}

int ExitFor(const Error& error) {
  Say(error.reason);
  return error.reason == "store-needs-reopen" ? 3 : 4;
}

int Number(const std::optional<std::string>& text) { return text ? std::atoi(text->c_str()) : 0; }

int StepsDone(const LmdbItemStore& store) {
  const auto snapshot = store.BeginRead();
  return snapshot.ok() ? Number(*(*snapshot)->GetMeta(kStepsDone)) : 0;
}

// A failed step is tried again: nothing of it may have stayed.
int Write(LmdbItemStore& store, int steps) {
  int failures = 0;
  for (int n = StepsDone(store) + 1; n <= steps;) {
    const CrashStep step = StepOf(n);
    const Status status = store.Write([&](WriteTransaction& txn) -> Status {
      for (const Item& item : step.puts) TABLECAST_RETURN_IF_ERROR(txn.Put(kCrashTable, item));
      for (const ItemKey& key : step.deletes)
        TABLECAST_RETURN_IF_ERROR(txn.Delete(kCrashTable, key));
      return txn.PutMeta(kStepsDone, std::to_string(n));
    });
    if (status.ok()) {
      Say(std::to_string(n++));
    } else if (const int code = ExitFor(status.error()); code == 3 || ++failures > 3) {
      return code;
    }
  }
  return 0;
}

int Load(LmdbItemStore& store) {
  BulkLoadOptions options{.batch_operations = 40, .before_commit = nullptr};
  const int start = StepsDone(store);
  options.before_commit = [&](WriteTransaction& txn, const BulkLoadTotals& totals) {
    return txn.PutMeta(kStepsDone, std::to_string(start + static_cast<int>(totals.operations())));
  };
  auto loader = BulkLoader::Begin(store, kCrashTable, options);
  if (!loader.ok()) return ExitFor(loader.error());
  std::uint64_t told = 0;
  for (int i = start; i <= kLoadItems; ++i) {
    const Status status = i < kLoadItems ? (*loader)->Put(LoadItem(i)) : (*loader)->Finish();
    if (!status.ok()) return ExitFor(status.error());
    const std::uint64_t committed = (*loader)->committed().operations();
    if (committed != told) Say(std::to_string(start + static_cast<int>(committed)));
    told = committed;
  }
  return 0;
}

int Build(LmdbItemStore& store) {
  int steps = 0;
  const Status status = store.BuildIndexes(kCrashTable, [&](std::uint64_t, std::uint64_t) {
    Say(std::to_string(++steps));
    return true;
  });
  return status.ok() ? 0 : ExitFor(status.error());
}

// Adds STEPS to the counter item, one by one, each time under an attribute name that may be new to
// both.
int Count(LmdbItemStore& store, int steps) {
  for (int i = 0; i < steps; ++i) {
    int reached = 0;
    const Status status = store.Write([&](WriteTransaction& txn) -> Status {
      TABLECAST_ASSIGN_OR_RETURN(std::optional<Item> item, txn.Get(kCrashTable, CounterKey()));
      if (!item) item = CounterItem();
      reached = std::atoi(item->at("n").NumberAsText().c_str()) + 1;
      item->insert_or_assign("n", N(std::to_string(reached)));
      item->insert_or_assign("step" + std::to_string(reached), S(std::to_string(reached)));
      return txn.Put(kCrashTable, *item);
    });
    if (!status.ok()) return ExitFor(status.error());
    Say(std::to_string(reached));
  }
  return 0;
}

int Run(const std::string& directory, const std::string& mode, int steps) {
  LmdbOptions options;
  options.change_log.max_entries = 50;
  options.build_step_items = 20;
  auto store = LmdbItemStore::Open(directory, options);
  if (!store.ok()) return ExitFor(store.error());
  if (const Status status = (*store)->CreateTable(CrashSchema()); !status.ok())
    return ExitFor(status.error());
  if (const Status status =
          (*store)->SetMaintainer(kCrashTable, std::make_shared<TestMaintainer>());
      !status.ok()) {
    return ExitFor(status.error());
  }
  if (mode == "build") return Build(**store);
  if (mode == "count") return Count(**store, steps);
  if (const Status status = (*store)->BuildIndexes(kCrashTable, nullptr); !status.ok())
    return ExitFor(status.error());
  return mode == "load" ? Load(**store) : Write(**store, steps);
}

}  // namespace
}  // namespace tablecast::testing

int main(int argc, char** argv) {
  if (argc != 4) return 5;
  return tablecast::testing::Run(argv[1], argv[2], std::atoi(argv[3]));
}
