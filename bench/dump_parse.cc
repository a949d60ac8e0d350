// Reads a dump as `tablecast import` reads it, checks every item and encodes it and its key, and stores nothing: what
// an import costs at least. usage: dump_parse FILE PARTITION_KEY SORT_KEY; prints records, bytes and milliseconds.

#include <chrono>
#include <cstdio>
#include <string>

#include "formats/dump_reader.h"
#include "formats/input_file.h"
#include "item/item_codec.h"
#include "item/table_schema.h"

namespace {

class Encoder final : public tablecast::DumpHandler {
 public:
  explicit Encoder(tablecast::TableSchema schema) : schema_(std::move(schema)) {}
  bool OnRecord(tablecast::DumpRecord record) override {
    const auto valid = tablecast::ValidateItem(schema_, record.item);
    const auto key = tablecast::KeyOf(schema_, record.item);
    if (!valid.ok() || !key.ok()) return false;
    const auto bytes = tablecast::EncodeKey(schema_, *key);
    if (!bytes.ok()) return false;
    out_.clear();
    out_ += *bytes;
    tablecast::AppendPayload(out_, tablecast::AttributeValue::MapOf(record.item));
    encoded += out_.size();
    return true;
  }
  bool OnFault(tablecast::DumpFault) override { return false; }
  bool OnSchema(const tablecast::TableSchema&) override { return true; }
  void OnWarning(std::string_view, std::string, const tablecast::DumpPlace&) override {}
  std::size_t encoded = 0;

 private:
  tablecast::TableSchema schema_;
  std::string out_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  tablecast::TableSchema schema;
  schema.name = "Orders";
  schema.key.partition = {argv[2], tablecast::AttributeType::kS};
  schema.key.sort = tablecast::KeyColumn{argv[3], tablecast::AttributeType::kS};
  const auto started = std::chrono::steady_clock::now();
  const auto input = tablecast::InputFile::Open(argv[1], "/tmp");
  if (!input.ok()) return 1;
  Encoder encoder(schema);
  const auto read = tablecast::ReadDump(input->text(), argv[1], {}, encoder);
  if (!read.ok() || read->stopped) return 1;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
  std::printf("{\"records\":%llu,\"bytes\":%zu,\"encodedBytes\":%zu,\"milliseconds\":%lld}\n",
              static_cast<unsigned long long>(read->records), input->text().size(), encoder.encoded,
              static_cast<long long>(took.count()));
  return 0;
}
