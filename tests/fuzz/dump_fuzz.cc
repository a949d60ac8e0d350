// Files to import, of any shape. The first byte chooses a demanded format (or detection), the rest is the text.
// Whatever is read writes back as DynamoDB JSON that reads as the same item; every place lies inside the text; a
// file that cannot be read says why and where.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "formats/dump_reader.h"
#include "item/item_json.h"

namespace tablecast {
namespace {

class Checker final : public DumpHandler {
 public:
  explicit Checker(std::size_t size) : size_(size) {}

  bool OnRecord(DumpRecord record) override {
    if (record.place.offset > size_) std::abort();
    std::string text;
    JsonWriter json(text);
    WriteDynamoDbJson(json, record.item);
    const auto parsed = ParseJson(text);
    if (!parsed.ok()) std::abort();
    const auto again = ItemFromDynamoDbJson(*parsed);
    if (!again.ok() || *again != record.item) std::abort();
    return ++records_ < 10'000;
  }
  bool OnFault(DumpFault fault) override {
    if (fault.error.code == ErrorCode::kInternal || fault.error.reason.empty() || fault.place.offset > size_ ||
        fault.text.size() > 4096) {
      std::abort();
    }
    return ++records_ < 10'000;
  }
  bool OnSchema(const TableSchema&) override { return true; }
  void OnWarning(std::string_view code, std::string message, const DumpPlace&) override {
    if (code.empty() || message.empty()) std::abort();
  }

 private:
  std::size_t size_;
  int records_ = 0;
};

}  // namespace
}  // namespace tablecast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast;  // NOLINT(google-build-using-namespace)
  if (size == 0) return 0;
  constexpr int kFormats = static_cast<int>(DumpFormat::kPutRequests) + 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  DumpOptions options;
  // Detection twice as often as each demanded format: it is what people use.
  const int choice = data[0] % (2 * kFormats);
  options.format = choice < kFormats ? static_cast<DumpFormat>(choice) : DumpFormat::kAuto;
  const char* const path = (data[0] & 0x80U) != 0 ? "items.csv" : (data[0] & 0x40U) != 0 ? "part.ion" : "items.json";
  Checker checker(text.size());
  const auto result = ReadDump(text, path, options, checker);
  if (!result.ok() && (result.error().code == ErrorCode::kInternal || result.error().reason.empty())) std::abort();
  return 0;
}
