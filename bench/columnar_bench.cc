// Columnar sidecars and clustered records against the rows, a raw LMDB cursor over the whole store and SQLite on the same rows, in one
// process and one run: rounds are interleaved, the table shows medians and medians of per-round ratios with their range.
// Answers are compared first.
// usage: columnar_bench STORE CATALOG [ROUNDS]; store and catalog as for read_bench. Writes sidecars into the store.

#include <lmdb.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/median.h"
#include "bench/raw_scan.h"
#include "connector/catalog.h"
#include "connector/columnar_build.h"
#include "connector/query_engine.h"
#include "odata/service.h"
#include "store/lmdb_item_store.h"

namespace {

using namespace tablecast;
using namespace tablecast::bench;
using Clock = std::chrono::steady_clock;

// Where items begin in the file: what lies before them, the sidecars, is no item.
constexpr char kItemKind = 0x10;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "columnar_bench: %s\n", why.c_str());
  std::exit(1);
}

// Lines as (quantity, cents): what SQLite groups fastest, also with an index that holds all it reads.
class SqliteLines {
 public:
  SqliteLines(const QueryEngine& engine, const ExternalObject& lines) {
    sqlite3_open(":memory:", &db_);
    Run("create table lines(quantity integer, cents integer)");
    Run("begin");
    sqlite3_stmt* insert = Prepare("insert into lines values(?,?)");
    ObjectQuery query;
    query.object = &lines;
    query.want_etag = false;
    query.select = std::vector<std::uint32_t>{lines.IndexOf(*lines.FindField("QUANTITY")), lines.IndexOf(*lines.FindField("LINETOTAL"))};
    const auto filled = engine.ForEach(query, [&](const ResultPage&, const Record& record) {
      const Decimal cents = Multiply(record.values[1].number(), Decimal(100), Decimal::kStored);
      sqlite3_bind_int64(insert, 1, *record.values[0].number().ToInt64());
      sqlite3_bind_int64(insert, 2, *cents.ToInt64());
      sqlite3_step(insert);
      sqlite3_reset(insert);
      return true;
    });
    if (!filled.ok()) Die(filled.error().ToString());
    rows_ = *filled;
    sqlite3_finalize(insert);
    Run("commit");
    plain_ = Prepare("select quantity, avg(cents), sum(cents) from lines not indexed group by quantity order by quantity");
    Run("create index covering on lines(quantity, cents)");
    indexed_ = Prepare("select quantity, avg(cents), sum(cents) from lines group by quantity order by quantity");
  }
  // "QUANTITY SUM" lines.
  std::string Sums(bool indexed) {
    sqlite3_stmt* select = indexed ? indexed_ : plain_;
    std::string out;
    while (sqlite3_step(select) == SQLITE_ROW) {
      out += std::to_string(sqlite3_column_int64(select, 0)) + " " + std::to_string(sqlite3_column_int64(select, 2)) + "\n";
    }
    sqlite3_reset(select);
    return out;
  }
  std::uint64_t rows() const { return rows_; }

 private:
  void Run(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) Die(sqlite3_errmsg(db_));
  }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &made, nullptr) != SQLITE_OK) Die(sqlite3_errmsg(db_));
    return made;
  }
  sqlite3* db_ = nullptr;
  sqlite3_stmt* plain_ = nullptr;
  sqlite3_stmt* indexed_ = nullptr;
  std::uint64_t rows_ = 0;
};

struct Variant {
  const char* name;
  int times;
  std::function<void()> body;
  std::vector<double> rounds = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: columnar_bench STORE CATALOG [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 3 ? std::max(1, std::atoi(argv[3])) : 9;
  auto store = LmdbItemStore::Open(argv[1], {});
  if (!store.ok()) Die(store.error().ToString());
  auto files = ReadCatalogFolder(argv[2]);
  if (!files.ok()) Die(files.error().ToString());
  for (CatalogFile& file : *files) {
    const std::string option = "\"object\": {";
    if (std::filesystem::path(file.name).filename() != "catalog.json") continue;
    for (std::size_t at = file.text.find(option); at != std::string::npos; at = file.text.find(option, at + 1))
      file.text.insert(at + option.size(), "\"columnar\": true, \"clustered\": true, ");
  }
  const CatalogLoad load = LoadCatalog(*files, store->get(), {});
  if (load.catalog == nullptr || !InstallMaintainers(*load.catalog, **store).ok()) Die("the catalog does not load");
  const auto go_on = [](std::uint64_t, std::uint64_t) { return true; };
  for (const std::string& table : load.catalog->Tables()) {
    if (!(*store)->BuildIndexes(table, go_on).ok()) Die("the indexes are not built");
    const auto begin = Clock::now();
    const auto built = BuildColumnar(*load.catalog, table, **store, 1, go_on);
    if (!built.ok()) Die(built.error().ToString());
    std::printf("columns of %llu records written in %.2f s\n\n", static_cast<unsigned long long>(built->records),
                std::chrono::duration<double>(Clock::now() - begin).count());
  }
  Service service(**store, {});
  service.SetCatalog(load.catalog);
  const auto get = [&](const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/odata/" + target;
    request.authority = "localhost";
    request.principal = Principal::Unrestricted();
    const HttpResponse response = service.Handle(request);
    if (response.status != 200) Die(target + ": " + response.body);
    return response.body;
  };
  const QueryEngine engine(**store, load.catalog, CurrentTimestamp());
  SqliteLines sqlite(engine, *load.catalog->Find("OrderItems"));

  const std::string filter = "$filter=TOTAL%20gt%207500%20and%20STATUS%20eq%20'SHIPPED'";
  const std::string groups = "OrderItems?$apply=groupby((QUANTITY),aggregate(LINETOTAL%20with%20average%20as%20A,LINETOTAL%20with%20sum%20as%20S))";
  const std::string scan = "&tablecast-engine=scan";
  const std::string columns = "&tablecast-engine=columnar";
  const std::string index = "&tablecast-engine=index";
  if (get("Orders/$count?" + filter + columns) != get("Orders/$count?" + filter + scan)) Die("the counts differ");
  if (get("Orders/$count?" + filter + index) != get("Orders/$count?" + filter + scan)) Die("the clustered count differs");
  const auto without = [](std::string body, const std::string& option) {
    for (std::size_t at = body.find(option); at != std::string::npos; at = body.find(option)) body.erase(at, option.size());
    return body;
  };
  if (without(get("Orders?" + filter + columns), columns) != without(get("Orders?" + filter + scan), scan)) Die("the pages differ");
  const std::string answer = get(groups + columns);
  if (without(answer, columns) != without(get(groups + scan), scan)) Die("the groups differ");
  if (sqlite.Sums(false) != sqlite.Sums(true)) Die("SQLite's sums differ");
  std::string sums;  // of the service, as SQLite's text
  for (std::size_t at = answer.find("\"QUANTITY\":"); at != std::string::npos; at = answer.find("\"QUANTITY\":", at + 1)) {
    const std::size_t s = answer.find("\"S\":", at) + 4;
    const Decimal cents = Multiply(*Decimal::Parse(answer.substr(s, answer.find_first_of(",}", s) - s)), Decimal(100), Decimal::kStored);
    sums += std::to_string(std::atoi(answer.c_str() + at + 11)) + " " + cents.ToString() + "\n";
  }
  if (sums != sqlite.Sums(true)) Die("SQLite's sums are others:\n" + sums + "against\n" + sqlite.Sums(true));
  std::printf("%s orders pass the filter; %llu lines are grouped; answers are equal\n\n", get("Orders/$count?" + filter).c_str(),
              static_cast<unsigned long long>(sqlite.rows()));

  MDB_env* env = nullptr;
  mdb_env_create(&env);
  mdb_env_set_mapsize(env, (*store)->env().map_bytes());
  if (mdb_env_open(env, argv[1], MDB_RDONLY | MDB_NOLOCK, 0664) != 0) Die("the store does not open twice");
  std::size_t sink = 0;
  std::vector<Variant> variants = {
      {"raw LMDB cursor over all items", 1, [&] { sink += RawScan(env, std::string(1, kItemKind)); }},
      {"$count, filter on 2 unindexed attributes: columns", 10, [&] { sink += get("Orders/$count?" + filter + columns).size(); }},
      {"the same: rows", 1, [&] { sink += get("Orders/$count?" + filter + scan).size(); }},
      {"the same: records beside each other (clustered)", 1, [&] { sink += get("Orders/$count?" + filter + index).size(); }},
      {"page of what passes that filter: by the best plan", 10, [&] { sink += get("Orders?" + filter).size(); }},
      {"group by, sum and average: columns", 3, [&] { sink += get(groups).size(); }},
      {"the same: rows", 1, [&] { sink += get(groups + scan).size(); }},
      {"the same: SQLite", 1, [&] { sink += sqlite.Sums(false).size(); }},
      {"the same: SQLite, covering index", 1, [&] { sink += sqlite.Sums(true).size(); }},
  };
  for (int round = 0; round < rounds; ++round) {
    for (Variant& variant : variants) {
      const auto begin = Clock::now();
      for (int i = 0; i < variant.times; ++i) variant.body();
      variant.rounds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / variant.times);
    }
  }
  std::printf("| variant | us (median) | time against the raw scan (median, min..max) |\n|---|--:|--:|\n");
  for (const Variant& variant : variants) {
    std::vector<double> ratios;
    for (int r = 0; r < rounds; ++r) {
      ratios.push_back(variant.rounds[static_cast<std::size_t>(r)] / variants[0].rounds[static_cast<std::size_t>(r)]);
    }
    std::printf("| %s | %.1f | %.4f (%.4f..%.4f) |\n", variant.name, Median(variant.rounds), Median(ratios),
                *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
  }
  std::vector<double> times;
  for (int r = 0; r < rounds; ++r) {
    const auto n = static_cast<std::size_t>(r);
    times.push_back(std::min(variants[7].rounds[n], variants[8].rounds[n]) / variants[5].rounds[n]);
  }
  std::printf("\nSQLite's best takes %.2f times (%.2f..%.2f) what the columns take.\n", Median(times),
              *std::min_element(times.begin(), times.end()), *std::max_element(times.begin(), times.end()));
  return sink == 0;
}
