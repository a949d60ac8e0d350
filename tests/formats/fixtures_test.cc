// Every file of fixtures/ against its transcript beside it (NAME.golden): the format told by content, and what the
// reader hands over: tables, records, warnings, faults with their line and reason, or why the file is refused.
// TABLECAST_UPDATE_GOLDEN=1 writes the transcripts anew; read them before committing.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/json_writer.h"
#include "formats/dump_reader.h"
#include "formats/input_file.h"
#include "item/item_json.h"

namespace tablecast {
namespace {

namespace fs = std::filesystem;

const fs::path& Folder() {
  static const fs::path folder = fs::path(TABLECAST_SOURCE_DIR) / "tests/formats/fixtures";
  return folder;
}

std::string KeyText(const KeySchema& key) {
  std::string out = key.partition.name + ":" + std::string(AttributeTypeName(key.partition.type));
  if (key.sort) out += ", " + key.sort->name + ":" + std::string(AttributeTypeName(key.sort->type));
  return out;
}

struct Transcript : DumpHandler {
  std::string text;

  bool OnRecord(DumpRecord record) override {
    std::string json;
    JsonWriter writer(json);
    WriteDynamoDbJson(writer, record.item);
    text += record.kind == DumpRecord::Kind::kPut ? "put" : "delete";
    text += " line " + std::to_string(record.place.line) + (record.table.empty() ? "" : " table " + record.table) + " " +
            json + "\n";
    return true;
  }
  bool OnFault(DumpFault fault) override {
    text += "fault line " + std::to_string(fault.place.line) + " " +
            (fault.error.target.empty() ? fault.place.path : fault.error.target) + " " + fault.error.reason + ": " +
            fault.error.message + "\n";
    return true;
  }
  bool OnSchema(const TableSchema& schema) override {
    text += "table " + schema.name + " (" + KeyText(schema.key) + ")";
    for (const SecondaryIndex& index : schema.indexes) text += " index `" + index.name + "`";
    text += "\n";
    return true;
  }
  void OnWarning(std::string_view code, std::string message, const DumpPlace& place) override {
    text += "warning line " + std::to_string(place.line) + " " + std::string(code) + ": " + message + "\n";
  }
};

std::string TranscriptOf(const fs::path& path) {
  const auto input = InputFile::Open(path.string(), fs::temp_directory_path().string());
  if (!input.ok()) return "refused " + input.error().reason + "\n";
  Transcript transcript;
  DumpOptions options;
  options.column_type = [](std::string_view column) { return column == "sk" ? AttributeType::kN : AttributeType::kS; };
  const auto result = ReadDump(input->text(), path.filename().string(), options, transcript);
  if (result.ok()) return "format " + std::string(DumpFormatName(result->format)) + "\n" + transcript.text;
  const Error& error = result.error();
  return transcript.text + "refused " + error.reason +
         (error.position.line > 0 ? " line " + std::to_string(error.position.line) : "") + ": " + error.message +
         (error.remedy.empty() ? "" : "; " + error.remedy) + "\n";
}

std::vector<std::string> Fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Folder())) {
    if (entry.path().extension() != ".golden") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class FixtureTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FixtureTest, ReadsAsItsTranscriptSays) {
  const fs::path golden = Folder() / (GetParam() + ".golden");
  const std::string got = TranscriptOf(Folder() / GetParam());
  if (std::getenv("TABLECAST_UPDATE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << got;
  std::ifstream in(golden, std::ios::binary);
  ASSERT_TRUE(in) << "no transcript beside the fixture";
  std::stringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(got, wanted.str());
}

INSTANTIATE_TEST_SUITE_P(Files, FixtureTest, ::testing::ValuesIn(Fixtures()), [](const auto& named) {
  std::string name = named.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace tablecast
