// Writes through the service against what LMDB itself takes to commit, in one process and one run: every round does each
// variant once, interleaved. Every commit is synced to the disk. The answers are checked (204, the value read back).
// usage: write_bench STORE CATALOG [ROUNDS]; the store, as for read_bench, is WRITTEN TO: give a copy.

#include <lmdb.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/median.h"
#include "connector/catalog.h"
#include "odata/service.h"
#include "store/lmdb_item_store.h"

namespace {

using tablecast::HttpRequest;
using tablecast::HttpResponse;
using tablecast::bench::Median;
using Clock = std::chrono::steady_clock;

constexpr int kSingles = 50;   // writes of a round, one transaction each
constexpr int kBatched = 100;  // writes of one change set
constexpr std::size_t kBytes = 300;  // of a raw record, about those of an order

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// The floor: the same number of records and commits in an environment of its own on the same disk.
class RawStore {
 public:
  explicit RawStore(const std::string& folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    mdb_env_create(&env_);
    mdb_env_set_mapsize(env_, std::size_t{1} << 30U);
    Require(mdb_env_open(env_, folder.c_str(), 0, 0664) == 0, "no raw store");
  }
  ~RawStore() { mdb_env_close(env_); }
  RawStore(const RawStore&) = delete;
  RawStore& operator=(const RawStore&) = delete;
  void Commit(int records) {
    MDB_txn* txn = nullptr;
    MDB_dbi dbi = 0;
    Require(mdb_txn_begin(env_, nullptr, 0, &txn) == 0 && mdb_dbi_open(txn, nullptr, 0, &dbi) == 0, "raw begin");
    for (int i = 0; i < records; ++i) {
      std::string key = "key" + std::to_string(next_ % 20000);
      std::string value = std::to_string(next_++) + std::string(kBytes, 'x');
      MDB_val k{key.size(), key.data()};
      MDB_val v{value.size(), value.data()};
      Require(mdb_put(txn, dbi, &k, &v, 0) == 0, "raw put");
    }
    Require(mdb_txn_commit(txn) == 0, "raw commit");
  }

 private:
  MDB_env* env_ = nullptr;
  std::uint64_t next_ = 0;
};

struct Variant {
  const char* name;
  int writes;
  std::size_t floor;  // the variant that it is a ratio to
  std::function<void()> body;
  std::vector<double> rounds = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: write_bench STORE CATALOG [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
  auto store = tablecast::LmdbItemStore::Open(argv[1], {});
  Require(store.ok(), store.ok() ? "" : store.error().ToString());
  const auto files = tablecast::ReadCatalogFolder(argv[2]);
  Require(files.ok(), "the catalog cannot be read");
  const auto load = tablecast::LoadCatalog(*files, store->get(), {});
  Require(load.catalog != nullptr && tablecast::InstallMaintainers(*load.catalog, **store).ok(), "the catalog does not load");
  for (const std::string& table : load.catalog->Tables()) {
    Require((*store)->BuildIndexes(table, [](std::uint64_t, std::uint64_t) { return true; }).ok(), "no indexes");
  }
  tablecast::Service service(**store, {});
  service.SetCatalog(load.catalog);
  const auto send = [&](const std::string& method, const std::string& target, const std::string& body) {
    HttpRequest request;
    request.method = method;
    request.target = "/odata/" + target;
    request.authority = "localhost";
    request.body = body;
    request.headers.Set("Content-Type", "application/json");
    request.principal = tablecast::Principal::Unrestricted();
    return service.Handle(request);
  };
  std::vector<std::string> ids;
  const std::string page = send("GET", "Orders?$select=ExternalId", "").body;
  for (std::size_t at = page.find("\"ExternalId\":\""); at != std::string::npos; at = page.find("\"ExternalId\":\"", at)) {
    at += 14;
    ids.push_back(page.substr(at, page.find('"', at) - at));
  }
  Require(ids.size() >= kBatched, "the store holds too few orders");
  std::uint64_t note = 0;
  const auto body = [&] { return "{\"STATUS\":\"n" + std::to_string(++note) + "\"}"; };
  const auto single = [&] {
    for (int i = 0; i < kSingles; ++i) {
      const HttpResponse response = send("PATCH", "Orders('" + ids[note % ids.size()] + "')", body());
      Require(response.status == 204, response.body);
    }
  };
  const auto batch = [&] {
    std::string requests;
    for (int i = 0; i < kBatched; ++i) {
      requests += std::string(i == 0 ? "" : ",") + "{\"id\":\"" + std::to_string(i) +
                  "\",\"atomicityGroup\":\"g\",\"method\":\"patch\",\"url\":\"Orders('" + ids[static_cast<std::size_t>(i)] +
                  "')\",\"body\":" + body() + "}";
    }
    const HttpResponse response = send("POST", "$batch", "{\"requests\":[" + requests + "]}");
    std::size_t done = 0;
    for (std::size_t at = response.body.find("\"status\":204"); at != std::string::npos;
         at = response.body.find("\"status\":204", at + 1)) {
      ++done;
    }
    Require(response.status == 200 && done == kBatched, response.body.substr(0, 400));
  };
  const std::string folder = std::string(argv[1]) + ".raw";
  {
    RawStore raw(folder);
    std::vector<Variant> variants = {
        {"raw LMDB, one record a commit", kSingles, 0, [&] { for (int i = 0; i < kSingles; ++i) raw.Commit(1); }},
        {"PATCH of one field, one a transaction", kSingles, 0, single},
        {"raw LMDB, 100 records a commit", kBatched, 2, [&] { raw.Commit(kBatched); }},
        {"change set of 100 PATCHes", kBatched, 2, batch},
    };
    for (int round = 0; round < rounds; ++round) {
      for (Variant& variant : variants) {
        const auto begin = Clock::now();
        variant.body();
        variant.rounds.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / variant.writes);
      }
    }
    const std::string last = send("GET", "Orders('" + ids[kBatched - 1] + "')?$select=STATUS", "").body;
    Require(last.find("\"n" + std::to_string(note) + "\"") != std::string::npos, "the last write is not there: " + last);
    std::printf("| variant | writes/s (median) | share of the raw rate (median, min..max) |\n|---|--:|--:|\n");
    for (const Variant& variant : variants) {
      std::vector<double> shares;
      for (std::size_t r = 0; r < variant.rounds.size(); ++r) shares.push_back(variants[variant.floor].rounds[r] / variant.rounds[r]);
      std::printf("| %s | %.0f | %.2f (%.2f..%.2f) |\n", variant.name, 1 / Median(variant.rounds), Median(shares),
                  *std::min_element(shares.begin(), shares.end()), *std::max_element(shares.begin(), shares.end()));
    }
  }
  std::filesystem::remove_all(folder);
}
