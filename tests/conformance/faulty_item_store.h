#ifndef TABLECAST_TESTS_CONFORMANCE_FAULTY_ITEM_STORE_H_
#define TABLECAST_TESTS_CONFORMANCE_FAULTY_ITEM_STORE_H_

// A store around another one whose Nth fallible call fails, for fault tests: run the operation with
// N = 1, 2, ... until it succeeds, and check the state after every failure.
//
//   for (int n = 1;; ++n) {
//     MemoryItemStore inner;
//     FaultyItemStore store(inner, n);
//     if (Operation(store).ok()) break;      // fewer than n calls
//     EXPECT_TRUE(Untouched(inner));
//   }

#include <atomic>
#include <memory>
#include <utility>

#include "store/item_store.h"

namespace tablecast::testing {

// Counts calls of the store, its snapshots and its transactions alike. THREAD: safe.
class FaultyItemStore final : public ItemStore {
 public:
  // BORROWS inner. `fail_at` counts from 1; 0 never fails.
  FaultyItemStore(ItemStore& inner, int fail_at) : inner_(inner), counter_(fail_at) {}
  int calls() const { return counter_.calls; }
  // The calls among them that read items or index entries of a snapshot.
  int reads() const { return counter_.reads; }
  // Write transactions begun, and items put or deleted in them.
  int transactions() const { return counter_.transactions; }
  int item_writes() const { return counter_.item_writes; }

  SourceCapabilities capabilities() const override { return inner_.capabilities(); }
  Status CreateTable(const TableSchema& schema) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    return inner_.CreateTable(schema);
  }
  Status DropTable(std::string_view table) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    return inner_.DropTable(table);
  }
  Status AddSecondaryIndex(std::string_view table, const SecondaryIndex& index) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    return inner_.AddSecondaryIndex(table, index);
  }
  Result<std::unique_ptr<ReadSnapshot>> BeginRead() const override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    TABLECAST_ASSIGN_OR_RETURN(auto snapshot, inner_.BeginRead());
    return std::unique_ptr<ReadSnapshot>(std::make_unique<Snapshot>(std::move(snapshot), counter_));
  }
  // Fails before the body, inside it, or at the commit.
  Status Write(const std::function<Status(WriteTransaction&)>& body) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    ++counter_.transactions;
    return inner_.Write([&](WriteTransaction& txn) -> Status {
      Transaction faulty(txn, counter_);
      TABLECAST_RETURN_IF_ERROR(body(faulty));
      return counter_.Call();
    });
  }
  Status SetMaintainer(std::string_view table,
                       std::shared_ptr<const IndexMaintainer> maintainer) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    return inner_.SetMaintainer(table, std::move(maintainer));
  }
  Status BuildIndexes(std::string_view table,
                      const std::function<bool(std::uint64_t, std::uint64_t)>& progress) override {
    TABLECAST_RETURN_IF_ERROR(counter_.Call());
    return inner_.BuildIndexes(table, progress);
  }

 private:
  struct Counter {
    explicit Counter(int at) : fail_at(at) {}
    Status Call() {
      if (++calls != fail_at) return {};
      return MakeError(ErrorCode::kUnavailable, "fault-injected", "this call was made to fail");
    }
    Status Read() {
      ++reads;
      return Call();
    }
    const int fail_at;
    std::atomic<int> calls{0};
    std::atomic<int> reads{0};
    std::atomic<int> transactions{0};
    std::atomic<int> item_writes{0};
  };

  class Snapshot final : public ReadSnapshot {
   public:
    Snapshot(std::unique_ptr<ReadSnapshot> inner, Counter& counter)
        : inner_(std::move(inner)), counter_(counter) {}
    Result<std::vector<std::string>> ListTables() const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->ListTables();
    }
    Result<TableInfo> Describe(std::string_view table) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->Describe(table);
    }
    Result<const TableSchema*> Schema(std::string_view table) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->Schema(table);
    }
    Result<const AttributeNames*> Names(std::string_view table) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->Names(table);
    }
    Result<bool> Get(std::string_view table, std::string_view encoded_key,
                     const std::function<void(const ItemView&)>& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Read());
      return inner_->Get(table, encoded_key, visit);
    }
    Result<std::uint64_t> Query(std::string_view table, const KeyCondition& condition,
                                const ReadOptions& options,
                                const ItemVisitor& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Read());
      return inner_->Query(table, condition, options, visit);
    }
    Result<std::uint64_t> Scan(std::string_view table, const ReadOptions& options,
                               const ItemVisitor& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Read());
      return inner_->Scan(table, options, visit);
    }
    Result<std::uint64_t> QueryIndex(std::string_view table, std::string_view index,
                                     const KeyCondition& condition, const ReadOptions& options,
                                     const ItemVisitor& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Read());
      return inner_->QueryIndex(table, index, condition, options, visit);
    }
    Result<std::uint64_t> CountDerived(std::string_view table,
                                       const DerivedIndex& index) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->CountDerived(table, index);
    }
    Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                      const IndexRange& range,
                                      const IndexEntryVisitor& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Read());
      return inner_->ScanDerived(table, index, range, visit);
    }
    bool IsDerivedReady(std::string_view table, const DerivedIndex& index) const override {
      return inner_->IsDerivedReady(table, index);
    }
    Result<std::uint64_t> Changes(std::string_view table, std::uint64_t after_sequence,
                                  const std::function<bool(const Change&)>& visit) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->Changes(table, after_sequence, visit);
    }
    Result<std::optional<std::string>> GetMeta(std::string_view name) const override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_->GetMeta(name);
    }

   private:
    std::unique_ptr<ReadSnapshot> inner_;
    Counter& counter_;
  };

  class Transaction final : public WriteTransaction {
   public:
    Transaction(WriteTransaction& inner, Counter& counter) : inner_(inner), counter_(counter) {}
    Result<std::optional<Item>> Get(std::string_view table, const ItemKey& key) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.Get(table, key);
    }
    Result<std::vector<Item>> Query(std::string_view table, const KeyCondition& condition,
                                    std::size_t limit) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.Query(table, condition, limit);
    }
    Status Put(std::string_view table, const Item& item) override {
      ++counter_.item_writes;
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.Put(table, item);
    }
    Result<bool> Delete(std::string_view table, const ItemKey& key) override {
      ++counter_.item_writes;
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.Delete(table, key);
    }
    Result<std::uint64_t> ScanDerived(std::string_view table, const DerivedIndex& index,
                                      const IndexRange& range,
                                      const IndexEntryVisitor& visit) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.ScanDerived(table, index, range, visit);
    }
    Result<TableInfo> Describe(std::string_view table) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.Describe(table);
    }
    Result<std::optional<std::string>> GetMeta(std::string_view name) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.GetMeta(name);
    }
    Status PutMeta(std::string_view name, std::string_view value) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.PutMeta(name, value);
    }
    Status DeleteMeta(std::string_view name) override {
      TABLECAST_RETURN_IF_ERROR(counter_.Call());
      return inner_.DeleteMeta(name);
    }

   private:
    WriteTransaction& inner_;
    Counter& counter_;
  };

  ItemStore& inner_;
  mutable Counter counter_;
};

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_CONFORMANCE_FAULTY_ITEM_STORE_H_
