// Writes items of the order-management shape as DynamoDB JSON lines: orders, their lines (four an order on average) and
// products, about 1 : 4 : 0.1. usage: generate_orders ITEMS > items.jsonl. The same output on every run.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// SplitMix64: small, fast, and the same everywhere.
struct Random {
  std::uint64_t state = 20240219;
  std::uint64_t Next() {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }
};

std::string Cents(std::uint64_t cents) {
  std::string out = std::to_string(cents / 100);
  const std::uint64_t rest = cents % 100;
  if (rest == 0) return out;
  out += '.';
  out += static_cast<char>('0' + rest / 10);
  if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  static constexpr const char* kStatus[] = {"OPEN", "PAID", "SHIPPED", "DELIVERED", "CANCELLED"};
  Random random;
  const std::uint64_t products = wanted / 51 + 1;
  std::uint64_t written = 0;
  for (std::uint64_t p = 1; p <= products && written < wanted; ++p, ++written) {
    std::printf("{\"Item\":{\"pk\":{\"S\":\"%llu\"},\"sk\":{\"S\":\"PRODUCT\"},\"NAME\":{\"S\":\"Product %llu\"},\"PRICE\":{\"N\":\"%s\"},"
                "\"INSTOCK\":{\"BOOL\":%s}}}\n",
                static_cast<unsigned long long>(p), static_cast<unsigned long long>(p), Cents(random.Below(25000) + 290).c_str(),
                random.Below(10) < 8 ? "true" : "false");
  }
  for (std::uint64_t order = 1000000000; written < wanted; ++order) {
    const std::uint64_t lines = 1 + random.Below(7);
    std::uint64_t total = 0;
    for (std::uint64_t l = 0; l < lines && written < wanted; ++l, ++written) {
      const std::uint64_t price = random.Below(25000) + 290;
      const std::uint64_t quantity = 1 + random.Below(12);
      total += price * quantity;
      std::printf("{\"Item\":{\"pk\":{\"S\":\"%llu\"},\"sk\":{\"S\":\"products#%llu\"},\"PRICE\":{\"N\":\"%s\"},\"QUANTITY\":{\"N\":\"%llu\"},"
                  "\"LINETOTAL\":{\"N\":\"%s\"}}}\n",
                  static_cast<unsigned long long>(order), static_cast<unsigned long long>(1 + (random.Below(products) + l * 7919) % products),
                  Cents(price).c_str(), static_cast<unsigned long long>(quantity), Cents(price * quantity).c_str());
    }
    if (written >= wanted) break;
    ++written;
    std::printf("{\"Item\":{\"pk\":{\"S\":\"%llu\"},\"sk\":{\"S\":\"ORDER\"},\"CUSTOMER\":{\"S\":\"C-%llu\"},\"ORDERDATE\":{\"S\":\"2024-%02llu-%02lluT%02llu:%02llu:00Z\"},"
                "\"STATUS\":{\"S\":\"%s\"},\"TOTAL\":{\"N\":\"%s\"}}}\n",
                static_cast<unsigned long long>(order), static_cast<unsigned long long>(random.Below(wanted / 100 + 1)),
                static_cast<unsigned long long>(1 + random.Below(12)), static_cast<unsigned long long>(1 + random.Below(28)),
                static_cast<unsigned long long>(random.Below(24)), static_cast<unsigned long long>(random.Below(60)),
                kStatus[random.Below(5)], Cents(total).c_str());
  }
  return 0;
}
