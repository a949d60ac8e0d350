#ifndef TABLECAST_ODATA_METRICS_H_
#define TABLECAST_ODATA_METRICS_H_

// Counters of the running service in Prometheus' text form: what /metrics answers. Label values come
// from small fixed sets; a set that grows beyond 64 values is folded into "other".
//
//   Metrics metrics;
//   hooks.on_finished = [&](const RequestRecord& record) { metrics.RecordRequest(record); };

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "odata/http_server.h"

namespace tablecast {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // THREAD: everything here is thread-safe. COST: well under a microsecond.
  void RecordRequest(const RequestRecord& record);
  // Items read from the store, and items that ended up in answers.
  void CountItems(std::uint64_t scanned, std::uint64_t returned);
  // How a query was answered: "key", "index", "membership", "scan", "sidecar", ...
  void CountPlan(std::string_view kind);
  // Cells whose value does not fit the declared type.
  void CountConversionErrors(std::uint64_t cells);
  void CountIndexBuild(bool succeeded, std::chrono::nanoseconds duration);
  // Index builds in progress.
  void SetIndexBuilds(std::size_t running);
  // Items of the build in progress; 0 of 0 when there is none.
  void SetIndexProgress(std::uint64_t done, std::uint64_t total);
  void SetStoreBytes(std::uint64_t bytes);
  void SetLoad(const HttpServer::Load& load);
  void CountCatalogReload(bool succeeded);
  // Lines of the audit log; those that could not be written are an alarm.
  void CountAuditLine(bool written);

  // The text exposition format 0.0.4.
  std::string Serialize() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_METRICS_H_
