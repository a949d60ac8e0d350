#include "odata/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace tablecast {
namespace {

constexpr std::size_t kMaxLabelValues = 64;

prometheus::Histogram::BucketBoundaries LatencyBuckets() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
}

prometheus::Counter& OneCounter(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& OneGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter().Name("tablecast_http_requests_total").Help("Answered requests").Register(registry);
  prometheus::Family<prometheus::Histogram>& latency = prometheus::BuildHistogram()
                                                           .Name("tablecast_http_request_duration_seconds")
                                                           .Help("From the complete head to the last byte sent")
                                                           .Register(registry);
  prometheus::Family<prometheus::Counter>& plans =
      prometheus::BuildCounter().Name("tablecast_query_plans_total").Help("Queries by access path").Register(registry);
  prometheus::Family<prometheus::Counter>& builds =
      prometheus::BuildCounter().Name("tablecast_index_builds_total").Help("Finished index builds").Register(registry);
  prometheus::Family<prometheus::Counter>& audit =
      prometheus::BuildCounter().Name("tablecast_audit_lines_total").Help("Lines of the audit log").Register(registry);
  prometheus::Family<prometheus::Counter>& reloads =
      prometheus::BuildCounter().Name("tablecast_catalog_reloads_total").Help("Catalog reloads").Register(registry);
  prometheus::Counter& bytes = OneCounter(registry, "tablecast_http_response_bytes_total", "Bytes sent in responses");
  prometheus::Counter& broken = OneCounter(registry, "tablecast_http_responses_cut_total", "Responses that were cut off");
  prometheus::Counter& scanned = OneCounter(registry, "tablecast_items_scanned_total", "Items read from the store");
  prometheus::Counter& returned = OneCounter(registry, "tablecast_items_returned_total", "Items in answers");
  prometheus::Counter& conversions =
      OneCounter(registry, "tablecast_conversion_errors_total", "Cells that do not fit their declared type");
  prometheus::Counter& build_seconds =
      OneCounter(registry, "tablecast_index_build_seconds_total", "Time spent building indexes");
  prometheus::Gauge& builds_running = OneGauge(registry, "tablecast_index_builds_running", "Index builds in progress");
  prometheus::Gauge& build_done = OneGauge(registry, "tablecast_index_build_done_items", "Items done of the index build in progress");
  prometheus::Gauge& build_total = OneGauge(registry, "tablecast_index_build_total_items", "Items of the index build in progress");
  prometheus::Gauge& store_bytes = OneGauge(registry, "tablecast_store_bytes", "Size of the store on disk");
  prometheus::Gauge& connections = OneGauge(registry, "tablecast_http_connections", "Open connections");
  prometheus::Gauge& queued = OneGauge(registry, "tablecast_http_queued_requests", "Requests waiting for a worker");
  prometheus::Gauge& buffered = OneGauge(registry, "tablecast_http_buffered_bytes", "Bytes held for clients");

  // The library finds a metric by hashing its labels under a lock; this remembers where it is.
  struct PerRoute {
    std::map<int, prometheus::Counter*> by_status;
    prometheus::Histogram* latency = nullptr;
  };
  std::shared_mutex mutex;
  std::map<std::string, PerRoute, std::less<>> routes;
  std::map<std::string, prometheus::Counter*, std::less<>> plan_kinds;

  std::pair<prometheus::Counter*, prometheus::Histogram*> Find(std::string_view route, int status) {
    {
      const std::shared_lock lock(mutex);
      const auto found = routes.find(route);
      if (found != routes.end()) {
        const auto counter = found->second.by_status.find(status);
        if (counter != found->second.by_status.end()) return {counter->second, found->second.latency};
      }
    }
    const std::unique_lock lock(mutex);
    std::string name(route);
    if (routes.size() >= kMaxLabelValues && !routes.contains(name)) name = "other";
    PerRoute& entry = routes[name];
    if (entry.latency == nullptr) entry.latency = &latency.Add({{"route", name}}, LatencyBuckets());
    prometheus::Counter*& counter = entry.by_status[status];
    if (counter == nullptr) counter = &requests.Add({{"route", name}, {"status", std::to_string(status)}});
    return {counter, entry.latency};
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

void Metrics::RecordRequest(const RequestRecord& record) {
  const auto [counter, latency] = state_->Find(record.route.empty() ? "none" : record.route, record.status);
  counter->Increment();
  latency->Observe(std::chrono::duration<double>(record.duration).count());
  state_->bytes.Increment(static_cast<double>(record.response_bytes));
  if (!record.complete) state_->broken.Increment();
}

void Metrics::CountItems(std::uint64_t scanned, std::uint64_t returned) {
  state_->scanned.Increment(static_cast<double>(scanned));
  state_->returned.Increment(static_cast<double>(returned));
}

void Metrics::CountPlan(std::string_view kind) {
  {
    const std::shared_lock lock(state_->mutex);
    const auto found = state_->plan_kinds.find(kind);
    if (found != state_->plan_kinds.end()) return found->second->Increment();
  }
  const std::unique_lock lock(state_->mutex);
  std::string name(kind);
  if (state_->plan_kinds.size() >= kMaxLabelValues && !state_->plan_kinds.contains(name)) name = "other";
  prometheus::Counter*& counter = state_->plan_kinds[name];
  if (counter == nullptr) counter = &state_->plans.Add({{"kind", name}});
  counter->Increment();
}

void Metrics::CountConversionErrors(std::uint64_t cells) { state_->conversions.Increment(static_cast<double>(cells)); }

void Metrics::CountIndexBuild(bool succeeded, std::chrono::nanoseconds duration) {
  state_->builds.Add({{"result", succeeded ? "ok" : "failed"}}).Increment();
  state_->build_seconds.Increment(std::chrono::duration<double>(duration).count());
}

void Metrics::SetIndexBuilds(std::size_t running) { state_->builds_running.Set(static_cast<double>(running)); }
void Metrics::SetIndexProgress(std::uint64_t done, std::uint64_t total) {
  state_->build_done.Set(static_cast<double>(done));
  state_->build_total.Set(static_cast<double>(total));
}
void Metrics::SetStoreBytes(std::uint64_t bytes) { state_->store_bytes.Set(static_cast<double>(bytes)); }

void Metrics::SetLoad(const HttpServer::Load& load) {
  state_->connections.Set(static_cast<double>(load.connections));
  state_->queued.Set(static_cast<double>(load.queued_requests));
  state_->buffered.Set(static_cast<double>(load.buffered_bytes));
}

void Metrics::CountAuditLine(bool written) {
  state_->audit.Add({{"result", written ? "ok" : "lost"}}).Increment();
}

void Metrics::CountCatalogReload(bool succeeded) {
  state_->reloads.Add({{"result", succeeded ? "ok" : "failed"}}).Increment();
}

std::string Metrics::Serialize() const { return prometheus::TextSerializer().Serialize(state_->registry.Collect()); }

}  // namespace tablecast
