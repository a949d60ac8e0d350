// Every shape of spec store-and-formats.md section 2, in values of our own, and what is wrong with bad ones.

#include "formats/dump_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_writer.h"
#include "formats/ion_reader.h"
#include "formats/json_slicer.h"
#include "item/item_json.h"

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Collected : DumpHandler {
  std::vector<std::string> records;  // "put table {json}"
  std::vector<DumpFault> faults;
  std::vector<TableSchema> schemas;
  std::vector<std::string> warnings;
  std::vector<DumpPlace> places;
  bool stop_on_fault = false;

  bool OnRecord(DumpRecord record) override {
    std::string json;
    JsonWriter writer(json);
    WriteDynamoDbJson(writer, record.item);
    records.push_back((record.kind == DumpRecord::Kind::kPut ? "put " : "delete ") + record.table +
                      (record.table.empty() ? "" : " ") + json);
    places.push_back(record.place);
    return true;
  }
  bool OnFault(DumpFault fault) override {
    faults.push_back(std::move(fault));
    return !stop_on_fault;
  }
  bool OnSchema(const TableSchema& schema) override {
    schemas.push_back(schema);
    return true;
  }
  void OnWarning(std::string_view code, std::string, const DumpPlace&) override { warnings.emplace_back(code); }
};

Collected Read(std::string_view text, DumpOptions options = {}, std::string_view path = "dump.json") {
  Collected collected;
  const auto result = ReadDump(text, path, options, collected);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().ToString());
  return collected;
}

struct ShapeCase {
  const char* name;
  const char* text;
  const char* path;
  const char* format;
  std::vector<std::string> records;
  std::vector<std::string> warnings;
};

class ShapeTest : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(ShapeTest, IsToldByContentAndRead) {
  const ShapeCase& shape = GetParam();
  const auto format = DetectDumpFormat(shape.text, shape.path);
  ASSERT_TRUE(format.ok()) << format.error().ToString();
  EXPECT_EQ(DumpFormatName(*format), shape.format);
  const Collected collected = Read(shape.text, {}, shape.path);
  EXPECT_EQ(collected.records, shape.records);
  EXPECT_THAT(collected.faults, IsEmpty());
  EXPECT_EQ(collected.warnings, shape.warnings);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ShapeTest,
    ::testing::Values(
        ShapeCase{"typed_lines", "{\"pk\":{\"S\":\"a\"},\"n\":{\"N\":\"7.0\"}}\n\n{\"pk\":{\"S\":\"b\"}}\n", "x.json",
                  "dynamodb-json", {R"(put {"n":{"N":"7"},"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"export_lines", "{\"Item\":{\"pk\":{\"S\":\"a\"}}}\n{\"Item\":{\"pk\":{\"S\":\"b\"}}}", "x.json",
                  "dynamodb-json", {R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"item_called_Item", "{\"Item\":{\"S\":\"x\"}}\n{\"Item\":{\"S\":\"y\"}}\n", "x.json", "dynamodb-json",
                  {R"(put {"Item":{"S":"x"}})", R"(put {"Item":{"S":"y"}})"}, {}},
        ShapeCase{"get_item", "{\n    \"Item\": {\n        \"pk\": {\n            \"S\": \"a\"\n        }\n    }\n}\n",
                  "x.json", "get-item", {R"(put {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"cli_scan",
                  R"({"Items":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"Count":6,"ScannedCount":6,"ConsumedCapacity":null})",
                  "x.json", "cli", {R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"cli_truncated", R"({"Items":[{"pk":{"S":"a"}}],"Count":6,"NextToken":"eyJ"})", "x.json", "cli",
                  {R"(put {"pk":{"S":"a"}})"}, {"dump-truncated"}},
        ShapeCase{"cli_truncated_key", R"({"LastEvaluatedKey":{"pk":{"S":"a"}},"Items":[{"pk":{"S":"a"}}]})", "x.json",
                  "cli", {R"(put {"pk":{"S":"a"}})"}, {"dump-truncated"}},
        ShapeCase{"items_array", R"([{"pk":{"S":"a"}},{"pk":{"S":"b"}}])", "x.json", "items-array",
                  {R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"items_array_of_wrapped", R"([{"Item":{"pk":{"S":"a"}}}])", "x.json", "items-array",
                  {R"(put {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"home_made_script", R"({"TableName":"tbl","ExportedAt":"2024","ItemCount":681,"Items":[{"pk":{"S":"a"}}]})",
                  "x.json", "cli", {R"(put tbl {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"batch_write",
                  R"({"tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}],"tbl2":[{"PutRequest":{"Item":{"pk":{"S":"c"}}}}]})",
                  "x.json", "batch-write",
                  {R"(put tbl {"pk":{"S":"a"}})", R"(delete tbl {"pk":{"S":"b"}})", R"(put tbl2 {"pk":{"S":"c"}})"}, {}},
        ShapeCase{"batch_write_wrapped", R"({"RequestItems":{"tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}})", "x.json",
                  "batch-write", {R"(put tbl {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"batch_get_answer", R"({"Responses":{"tbl":[{"pk":{"S":"a"}}]},"UnprocessedKeys":{}})", "x.json",
                  "batch-write", {R"(put tbl {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"put_requests", R"([{"PutRequest":{"Item":{"pk":{"S":"a"}}}}])", "x.json", "put-requests",
                  {R"(put {"pk":{"S":"a"}})"}, {}},
        ShapeCase{"transact",
                  R"({"TransactItems":[{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}},{"Delete":{"TableName":"t","Key":{"pk":{"S":"b"}}}},{"ConditionCheck":{"TableName":"t"}}]})",
                  "x.json", "transact-write", {R"(put t {"pk":{"S":"a"}})", R"(delete t {"pk":{"S":"b"}})"},
                  {"condition-check-ignored"}},
        ShapeCase{"incremental",
                  "{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"1690000000000000\"}},\"Keys\":{\"pk\":{\"S\":\"a\"}},\"NewImage\":{\"pk\":{\"S\":\"a\"},\"v\":{\"N\":\"1\"}}}\n"
                  "{\"Metadata\":{\"WriteTimestampMicros\":\"1690000000000001\"},\"Keys\":{\"pk\":{\"S\":\"b\"}},\"OldImage\":{\"pk\":{\"S\":\"b\"}}}\n",
                  "x.json", "s3-incremental", {R"(put {"pk":{"S":"a"},"v":{"N":"1"}})", R"(delete {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"ion", "$ion_1_0 {Item:{pk:\"a\",n:103.,price:6d2,ok:true,gone:null,b:{{AAEC}},s:$dynamodb_SS::[\"x\",\"y\"],nn:$dynamodb_NS::[1.,2.5]}}\n",
                  "x.ion", "ion",
                  {R"(put {"b":{"B":"AAEC"},"gone":{"NULL":true},"n":{"N":"103"},"nn":{"NS":["1","2.5"]},"ok":{"BOOL":true},"pk":{"S":"a"},"price":{"N":"600"},"s":{"SS":["x","y"]}})"},
                  {}},
        ShapeCase{"csv", "pk,name\r\na,\"x, \"\"y\"\"\"\r\nb,\r\n", "x.csv", "csv",
                  {R"(put {"name":{"S":"x, \"y\""},"pk":{"S":"a"}})", R"(put {"name":{"S":""},"pk":{"S":"b"}})"}, {}},
        ShapeCase{"stream",
                  R"({"Records":[{"eventID":"1","eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"a"}},"NewImage":{"pk":{"S":"a"}}},"eventSourceARN":"arn:aws:dynamodb:eu-west-1:1:table/tbl/stream/2024"},{"eventName":"REMOVE","dynamodb":{"Keys":{"pk":{"S":"b"}}},"eventSourceARN":"arn:aws:dynamodb:eu-west-1:1:table/tbl/stream/2024"}]})",
                  "x.json", "stream", {R"(put tbl {"pk":{"S":"a"}})", R"(delete tbl {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"plain_lines", "{\"pk\":\"USER#1\",\"people\":34.50,\"tags\":[\"a\"],\"x\":null}\n{\"pk\":\"USER#2\"}\n",
                  "x.json", "json",
                  {R"(put {"people":{"N":"34.5"},"pk":{"S":"USER#1"},"tags":{"L":[{"S":"a"}]},"x":{"NULL":true}})",
                   R"(put {"pk":{"S":"USER#2"}})"},
                  {}},
        ShapeCase{"plain_array", R"([{"pk":"a"},{"pk":"b"}])", "x.json", "items-array",
                  {R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}},
        ShapeCase{"pretty_documents_in_a_row", "{\n \"Items\": [ {\"pk\":{\"S\":\"a\"}} ]\n}\n{\n \"Items\": [ {\"pk\":{\"S\":\"b\"}} ]\n}\n",
                  "x.json", "cli", {R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"b"}})"}, {}}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(DumpReaderTest, ReadsWorkbenchTablesIndexesRowsAndFacetOnlyRows) {
  const Collected collected = Read(R"({"ModelName":"Shop","DataModel":[{"TableName":"shop",
    "KeyAttributes":{"PartitionKey":{"AttributeName":"PK","AttributeType":"S"},"SortKey":{"AttributeName":"SK","AttributeType":"N"}},
    "GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeyAttributes":{"PartitionKey":{"AttributeName":"g","AttributeType":"S"}},
      "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a"]}}],
    "TableData":[{"PK":{"S":"a"},"SK":{"N":"1"},"m":{"M":{"is_enabled":true}}}],
    "TableFacets":[{"FacetName":"f","TableData":[{"PK":{"S":"a"},"SK":{"N":"1"}},{"PK":{"S":"b"},"SK":{"N":"2"}},{"PK":{"S":"c"}}]}]}]})");
  ASSERT_EQ(collected.schemas.size(), 1U);
  EXPECT_EQ(collected.schemas[0].key.sort->type, AttributeType::kN);
  ASSERT_EQ(collected.schemas[0].indexes.size(), 1U);
  EXPECT_THAT(collected.schemas[0].indexes[0].non_key_attributes, ElementsAre("a"));
  EXPECT_THAT(collected.records,
              ElementsAre(R"(put shop {"PK":{"S":"a"},"SK":{"N":"1"},"m":{"M":{"is_enabled":{"BOOL":true}}}})",
                          R"(put shop {"PK":{"S":"b"},"SK":{"N":"2"}})"));
  EXPECT_THAT(collected.warnings, ElementsAre("plain-json-value", "facet-row-without-key"));
}

TEST(DumpReaderTest, ReadsTableDefinitionsInTheirWrappers) {
  const std::string definition =
      R"({"TableName":"t-1","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
          "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}]})";
  for (const std::string& text : {definition, "{\"Table\":" + definition + "}",
                                  R"({"Resources":{"T":{"Type":"AWS::DynamoDB::Table","Properties":)" + definition + "}}}"}) {
    const Collected collected = Read(text);
    ASSERT_EQ(collected.schemas.size(), 1U) << text;
    EXPECT_EQ(collected.schemas[0].name, "t-1");
    EXPECT_EQ(collected.schemas[0].key.sort->type, AttributeType::kN);
  }
}

TEST(DumpReaderTest, ReportsABadRecordWithItsPlaceAndGoesOn) {
  const Collected collected =
      Read("{\"pk\":{\"S\":\"a\"}}\n{\"pk\":{\"S\":\"b\"},\"n\":{\"N\":12}}\n{\"pk\":{\"S\":\"c\"\n{\"pk\":{\"S\":\"d\"}}\n");
  EXPECT_THAT(collected.records, ElementsAre(R"(put {"pk":{"S":"a"}})", R"(put {"pk":{"S":"d"}})"));
  ASSERT_EQ(collected.faults.size(), 2U);
  EXPECT_EQ(collected.faults[0].place.line, 2U);
  EXPECT_THAT(collected.faults[0].error.target, HasSubstr("n"));
  EXPECT_EQ(collected.faults[1].place.line, 3U);
  EXPECT_EQ(collected.faults[1].error.reason, "json-syntax");
}

TEST(DumpReaderTest, ATypedFileStaysTyped) {
  const Collected collected = Read("{\"pk\":{\"S\":\"a\"}}\n{\"pk\":\"plain\"}\n");
  EXPECT_THAT(collected.records, ElementsAre(R"(put {"pk":{"S":"a"}})"));
  EXPECT_EQ(collected.faults.size(), 1U);
}

TEST(DumpReaderTest, NamesWhatItCannotRead) {
  struct Row { const char* text; const char* reason; };
  for (const Row& row : {Row{"hello", "format-unknown"}, Row{"{\"Items\":[{\"pk\":{\"S\":\"a\"}}", "json-syntax"},
                         Row{"<xml/>", "format-foreign"}, Row{"{\"TableName\":\"t-1\",\"KeySchema\":[],\"AttributeDefinitions\":[]}", "table-definition-key-schema"}}) {
    Collected collected;
    const auto result = ReadDump(row.text, "x", {}, collected);
    ASSERT_FALSE(result.ok()) << row.text;
    EXPECT_EQ(result.error().reason, row.reason) << row.text;
  }
}

TEST(DumpReaderTest, AnEmptyFileIsNoFault) {
  const Collected collected = Read("");
  EXPECT_THAT(collected.records, IsEmpty());
  EXPECT_THAT(collected.warnings, ElementsAre("file-empty"));
}

TEST(DumpReaderTest, CsvTypesKeyColumnsAndNamesShortRows) {
  DumpOptions options;
  options.column_type = [](std::string_view name) { return name == "id" ? AttributeType::kN : AttributeType::kS; };
  const Collected collected = Read("id;v\n007;x\nnope;y\n3\n4;z\n", options, "x.csv");
  EXPECT_THAT(collected.records, ElementsAre(R"(put {"id":{"N":"7"},"v":{"S":"x"}})", R"(put {"id":{"N":"4"},"v":{"S":"z"}})"));
  ASSERT_EQ(collected.faults.size(), 2U);
  EXPECT_EQ(collected.faults[0].error.target, "id");
  EXPECT_EQ(collected.faults[1].error.reason, "csv-columns");
}

TEST(DumpReaderTest, StreamRecordsWithoutImagesAreRefusedByName) {
  const Collected collected = Read(R"({"Records":[{"eventName":"MODIFY","dynamodb":{"Keys":{"pk":{"S":"a"}}}}]})");
  ASSERT_EQ(collected.faults.size(), 1U);
  EXPECT_EQ(collected.faults[0].error.reason, "stream-no-image");
}

TEST(DumpReaderTest, ResumesAtAnOffset) {
  const std::string text = "{\"pk\":{\"S\":\"a\"}}\n{\"pk\":{\"S\":\"b\"}}\n";
  DumpOptions options;
  options.start_offset = text.find('\n') + 1;
  const Collected collected = Read(text, options);
  EXPECT_THAT(collected.records, ElementsAre(R"(put {"pk":{"S":"b"}})"));
  EXPECT_EQ(collected.places[0].line, 2U);
}

TEST(DumpReaderTest, TheDemandedFormatMustFitTheContent) {
  struct Row { DumpFormat demanded; const char* text; const char* reason; };
  const char* typed = "{\"pk\":{\"S\":\"a\"}}\n{\"pk\":{\"S\":\"b\"}}\n";
  for (const Row& row : {Row{DumpFormat::kStream, typed, "format-mismatch"}, Row{DumpFormat::kIon, typed, "format-mismatch"},
                         Row{DumpFormat::kWorkbench, "{\"Items\":[]}", "format-mismatch"},
                         Row{DumpFormat::kDynamoDbJson, "{\"Records\":[]}", "format-mismatch"},
                         Row{DumpFormat::kCsv, "pk:name\na:1\n", ""}, Row{DumpFormat::kPlainJson, typed, ""},
                         Row{DumpFormat::kS3Export, typed, ""}, Row{DumpFormat::kDynamoDbJson, "[{\"pk\":{\"S\":\"a\"}}]", ""}}) {
    Collected collected;
    DumpOptions options;
    options.format = row.demanded;
    const auto result = ReadDump(row.text, "x", options, collected);
    EXPECT_EQ(result.ok() ? "" : result.error().reason, row.reason) << row.text;
    EXPECT_EQ(collected.records.empty(), *row.reason != '\0') << row.text;
  }
}

// Each broken line must cost its own length, not the rest of the file.
TEST(DumpReaderTest, ManyBrokenLinesCostNoQuadraticTime) {
  std::string text;
  const std::string line = "{\"pk\":{\"S\":\"" + std::string(1000, 'x') + "\"}\n";  // a brace is missing
  for (int i = 0; i < 20000; ++i) text += line;
  const Collected collected = Read(text);
  EXPECT_EQ(collected.faults.size(), 20000U);
}

TEST(IonTest, RefusesWhatIsNoItem) {
  for (const char* text : {"{a:", "{a:sym}", "{a:$dynamodb_SS::[1]}", "{a:$other::[1]}", "{a:\"\\q", "{a:1e999}", "{a:{{!}}}"}) {
    EXPECT_FALSE(ItemFromIon(text).ok()) << text;
  }
  std::string deep = "{a:";
  for (int i = 0; i < 100000; ++i) deep += '[';
  EXPECT_FALSE(ItemFromIon(deep).ok());
}

TEST(JsonSlicerTest, SurvivesDeepAndBrokenText) {
  EXPECT_FALSE(SkipJsonValue(std::string(1000000, '['), 0).ok());
  EXPECT_FALSE(SkipJsonValue("\"abc\\\"", 0).ok());
  EXPECT_EQ(*SkipJsonValue(R"("a\\" x)", 0), 5U);
}

}  // namespace
}  // namespace tablecast
