// Reads of a served store against what LMDB itself does, in one process and one run: every round measures each
// variant once, interleaved; the table shows medians of per-round ratios with their range. Answers are checked first.
// usage: read_bench STORE CATALOG [ROUNDS [VARIANT]]; VARIANT, a part of a name, runs that one alone (for a profiler).
// The store holds generate_orders' items in the table OrderManagement.

#include <lmdb.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/median.h"
#include "bench/raw_scan.h"
#include "connector/catalog.h"
#include "odata/service.h"
#include "store/lmdb_item_store.h"

namespace {

using tablecast::HttpRequest;
using tablecast::HttpResponse;
using tablecast::bench::Median;
using tablecast::bench::RawScan;
using Clock = std::chrono::steady_clock;

double Microseconds(const std::function<void()>& body, int times) {
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) body();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / times;
}

struct Variant {
  const char* name;
  int times;
  std::function<void()> body;
  std::vector<double> rounds = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: read_bench STORE CATALOG [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 9;
  auto store = tablecast::LmdbItemStore::Open(argv[1], {});
  if (!store.ok()) {
    std::fprintf(stderr, "%s\n", store.error().ToString().c_str());
    return 1;
  }
  const auto files = tablecast::ReadCatalogFolder(argv[2]);
  const auto load = tablecast::LoadCatalog(*files, store->get(), {});
  if (load.catalog == nullptr || !tablecast::InstallMaintainers(*load.catalog, **store).ok()) {
    std::fprintf(stderr, "the catalog does not load\n");
    return 1;
  }
  for (const std::string& table : load.catalog->Tables()) {
    if (!(*store)->BuildIndexes(table, [](std::uint64_t, std::uint64_t) { return true; }).ok()) return 1;
  }
  tablecast::Service service(**store, {});
  service.SetCatalog(load.catalog);
  const auto get = [&](const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/odata/" + target;
    request.authority = "localhost";
    request.principal = tablecast::Principal::Unrestricted();
    const HttpResponse response = service.Handle(request);
    if (response.status != 200) {
      std::fprintf(stderr, "%s: %d %s\n", target.c_str(), response.status, response.body.c_str());
      std::exit(1);
    }
    return response.body.size();
  };
  // A second environment of one process must not touch LMDB's lock file: nobody writes here, so it goes without.
  MDB_env* env = nullptr;
  mdb_env_create(&env);
  mdb_env_set_mapsize(env, (*store)->env().map_bytes());
  if (mdb_env_open(env, argv[1], MDB_RDONLY | MDB_NOLOCK, 0664) != 0) return 1;
  const std::string key = "1000000500";
  std::size_t sink = 0;
  std::vector<Variant> variants = {
      {"raw LMDB cursor over the whole store", 1, [&] { sink += RawScan(env); }},
      {"qualified scan, filter on 2 attributes (forced)", 1,
       [&] { sink += get("Orders/$count?$filter=STATUS%20eq%20'SHIPPED'%20and%20TOTAL%20gt%204500&tablecast-engine=scan"); }},
      {"the same by the best plan", 1, [&] { sink += get("Orders/$count?$filter=STATUS%20eq%20'SHIPPED'%20and%20TOTAL%20gt%204500"); }},
      {"page of 200 orders", 20, [&] { sink += get("Orders"); }},
      {"record by external ID", 200, [&] { sink += get("Orders('" + key + "')"); }},
      {"order with its lines", 200, [&] { sink += get("Orders('" + key + "')?$expand=Lines"); }},
      {"$count of an object", 200, [&] { sink += get("Orders/$count"); }},
      {"indexed order history, $top=26", 50,
       [&] { sink += get("Orders?$filter=CUSTOMER%20eq%20'C-7'&$orderby=ORDERDATE%20desc&$top=26"); }},
  };
  if (argc > 4) {
    std::erase_if(variants, [&](const Variant& variant) {
      return std::string(variant.name).find(argv[4]) == std::string::npos;
    });
  }
  for (int round = 0; round < rounds; ++round) {
    for (Variant& variant : variants) variant.rounds.push_back(Microseconds(variant.body, variant.times));
  }
  std::printf("| variant | us (median) | ratio to the raw scan (median, min..max) |\n|---|--:|--:|\n");
  for (const Variant& variant : variants) {
    std::vector<double> ratios;
    for (int r = 0; r < rounds; ++r) {
      ratios.push_back(variant.rounds[static_cast<std::size_t>(r)] / variants[0].rounds[static_cast<std::size_t>(r)]);
    }
    std::printf("| %s | %.1f | %.5f (%.5f..%.5f) |\n", variant.name, Median(variant.rounds), Median(ratios),
                *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
  }
  return sink == 0;
}
