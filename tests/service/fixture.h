#ifndef TABLECAST_TESTS_SERVICE_FIXTURE_H_
#define TABLECAST_TESTS_SERVICE_FIXTURE_H_

// An example served in process: its items in a store, its catalog loaded and indexed, a Service over both.

#include <filesystem>
#include <memory>
#include <string>

#include "connector/catalog.h"
#include "odata/service.h"
#include "store/item_store.h"

namespace tablecast::testing {

enum class StoreKind { kMemory, kLmdb };

class ServedExample {
 public:
  // `example`: a folder of examples/, or of tests/service/catalogs. Fails the test at hand when it does not load.
  // `columnar`: every object asks for a columnar sidecar, and it is built.
  // `change_log`: how many changes a memory store remembers, 0 = as many as it always does.
  ServedExample(const std::string& example, StoreKind kind, ServiceOptions options = {}, bool columnar = false,
                std::size_t change_log = 0);
  ~ServedExample();
  ServedExample(const ServedExample&) = delete;
  ServedExample& operator=(const ServedExample&) = delete;

  Service& service() { return *service_; }
  ItemStore& store() { return *store_; }
  const Catalog& catalog() const { return *catalog_; }
  std::shared_ptr<const Catalog> catalog_handle() const { return catalog_; }
  HttpResponse Send(const std::string& method, const std::string& target, const std::string& body = "",
                    HttpHeaders headers = {});
  HttpResponse Get(const std::string& target) { return Send("GET", target); }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<ItemStore> store_;
  std::shared_ptr<const Catalog> catalog_;
  std::unique_ptr<Service> service_;
};

}  // namespace tablecast::testing

#endif  // TABLECAST_TESTS_SERVICE_FIXTURE_H_
