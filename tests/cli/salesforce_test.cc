// import-salesforce and export-salesforce: names, types, descriptors, lookups and the round trip.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json_reader.h"
#include "cli/salesforce_catalog.h"
#include "cli/salesforce_names.h"

namespace tablecast::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSample = std::string(TABLECAST_SOURCE_DIR) + "/examples/salesforce/metadata";

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class SalesforceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("tablecast_salesforce_" + std::to_string(::getpid()) + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string DataSource(const std::string& descriptors) {
    return "<?xml version=\"1.0\"?><ExternalDataSource "
           "xmlns=\"http://soap.sforce.com/2006/04/metadata\">" +
           descriptors +
           "<isWritable>false</isWritable><label>L</label><type>AmazonDynamoDb</type></"
           "ExternalDataSource>";
  }
  std::vector<CatalogFile> Import() {
    const auto metadata = ReadSalesforceFolder(folder_.string(), issues_);
    EXPECT_TRUE(metadata.ok()) << metadata.error().ToString();
    return metadata.ok() ? CatalogFromSalesforce(*metadata, issues_) : std::vector<CatalogFile>{};
  }
  std::vector<std::string> Codes() const {
    std::vector<std::string> codes;
    for (const Issue& issue : issues_) codes.push_back(issue.code);
    return codes;
  }

  fs::path folder_;
  std::vector<Issue> issues_;
};

std::vector<CatalogFile> ImportSample(std::vector<Issue>& issues) {
  const auto metadata = ReadSalesforceFolder(kSample, issues);
  EXPECT_TRUE(metadata.ok());
  return CatalogFromSalesforce(*metadata, issues);
}

TEST(SalesforceNamesTest, StripsNamespaceAndSuffix) {
  const struct {
    const char* input;
    const char* want;
  } kRows[] = {{"Orders__x", "Orders"},
               {"shop__TOTAL__c", "TOTAL"},
               {"Account", "Account"},
               {"Order_Item__x", "Order_Item"}};
  for (const auto& row : kRows) EXPECT_EQ(PlainName(row.input), row.want) << row.input;
  EXPECT_FALSE(IsPlainName("../evil"));
  EXPECT_FALSE(IsPlainName("1st"));
  EXPECT_EQ(DeveloperName("unit price-€"), "unit_price");
}

TEST(SalesforceNamesTest, EveryTypeThatImportYieldsIsExported) {
  for (const char* type :
       {"Text", "TextArea", "LongTextArea", "Email", "Phone", "Url", "Picklist", "DateTime", "Date",
        "Time", "Number", "Currency", "Percent", "Checkbox"}) {
    EXPECT_EQ(SalesforceType(CatalogType(type)), type);
  }
  EXPECT_EQ(CatalogType("Location"), "");
}

TEST_F(SalesforceTest, SampleBecomesTheCatalogBesideIt) {
  const std::vector<CatalogFile> files = ImportSample(issues_);
  EXPECT_THAT(Codes(), ElementsAre());
  std::vector<std::string> names;
  for (const CatalogFile& file : files) {
    names.push_back(file.name);
    EXPECT_EQ(file.text, ReadAll(fs::path(kSample).parent_path() / "catalog" / file.name))
        << file.name;
  }
  EXPECT_THAT(names, ElementsAre("Machines.json", "Visits.json", "catalog.json"));
}

TEST_F(SalesforceTest, RoundTripKeepsEveryFile) {
  const std::vector<CatalogFile> first = ImportSample(issues_);
  const auto exported = SalesforceFromCatalog(first, issues_);
  ASSERT_TRUE(exported.ok());
  const fs::path out = folder_ / "out";
  ASSERT_TRUE(WriteSalesforceFolder(*exported, out.string()).ok());
  const auto again = ReadSalesforceFolder(out.string(), issues_);
  ASSERT_TRUE(again.ok());
  const std::vector<CatalogFile> second = CatalogFromSalesforce(*again, issues_);
  EXPECT_THAT(Codes(), ElementsAre());
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].text, second[i].text);
  }
  // The .object files themselves come back byte by byte.
  for (const char* name : {"objects/Machines__x.object", "objects/Visits__x.object"}) {
    EXPECT_EQ(ReadAll(fs::path(kSample) / name), ReadAll(out / name)) << name;
  }
}

TEST_F(SalesforceTest, ReadsTheSourceLayoutToo) {
  Write("externalDataSources/Shop.dataSource-meta.xml",
        DataSource("<externalDataSrcDescriptors><customObject>Orders__x</customObject>"
                   "<descriptor>{&quot;columns&quot;:{&quot;pk&quot;:{}}}</descriptor></"
                   "externalDataSrcDescriptors>"));
  Write("objects/Orders__x/Orders__x.object-meta.xml",
        "<CustomObject><externalDataSource>Shop</externalDataSource><label>Order</label></"
        "CustomObject>");
  Write("objects/Orders__x/fields/TOTAL__c.field-meta.xml",
        "<CustomField><fullName>TOTAL__c</fullName><externalDeveloperName>TOTAL</"
        "externalDeveloperName>"
        "<type>Number</type><precision>18</precision><scale>2</scale></CustomField>");
  const std::vector<CatalogFile> files = Import();
  EXPECT_THAT(Codes(), ElementsAre());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].text, R"({"columns":{"pk":{}}})");
  const auto catalog = ParseJson(files[1].text);
  ASSERT_TRUE(catalog.ok());
  const JsonValue* orders = catalog->Find("objects")->Find("Orders");
  ASSERT_NE(orders, nullptr);
  EXPECT_EQ(orders->Find("fields")->Find("TOTAL")->Find("scale")->text, "2");
  EXPECT_TRUE(orders->Find("object")->Find("readOnly")->boolean);  // isWritable is false
}

TEST_F(SalesforceTest, NamesWhatItCannotTake) {
  Write("externalDataSources/Shop.dataSource",
        DataSource("<externalDataSrcDescriptors><customObject>Orders__x</customObject>"
                   "<descriptor>{\"columns\":{\"pk\":{}}}</descriptor></externalDataSrcDescriptors>"
                   "<externalDataSrcDescriptors><customObject>Broken__x</customObject>"
                   "<descriptor>no json</descriptor></externalDataSrcDescriptors>"));
  Write(
      "objects/Orders__x.object",
      "<CustomObject><fields><fullName>Where__c</fullName><externalDeveloperName>where</"
      "externalDeveloperName>"
      "<type>Location</type></fields><fields><fullName>Lost__c</fullName><type>Text</type></fields>"
      "<fields><fullName>Parent__c</fullName><externalDeveloperName>pk</externalDeveloperName>"
      "<type>ExternalLookup</type><referenceTo>Nowhere__x</referenceTo></fields></CustomObject>");
  Write("objects/Orphans__x.object",
        "<CustomObject><externalDataSource>Other</externalDataSource></CustomObject>");
  Write("objects/Bad__x.object", "<CustomObject><fields></CustomObject>");
  Import();
  EXPECT_THAT(Codes(), ElementsAre("metadata-xml", "salesforce-descriptor",
                                   "salesforce-object-without-qualifier", "salesforce-field-type",
                                   "salesforce-field-without-column", "salesforce-lookup-target"));
  for (const Issue& issue : issues_) {
    EXPECT_NE(issue.file, "") << issue.code;
    EXPECT_NE(issue.remedy, "") << issue.code;
  }
}

TEST_F(SalesforceTest, RefusesAFolderWithoutDataSources) {
  EXPECT_EQ(ReadSalesforceFolder(folder_.string(), issues_).error().reason, "metadata-empty");
  EXPECT_EQ(ReadSalesforceFolder((folder_ / "no").string(), issues_).error().reason,
            "metadata-not-found");
}

TEST_F(SalesforceTest, ExportStripsWhatTheVendorRefuses) {
  const std::vector<CatalogFile> files = {
      {"Things.json",
       "{ // a comment\n \"columns\": {\"pk\": {\"type\": \"S\",},},\n"
       " \"object\": {\"name\": \"Items\"}, \"fields\": {\"A\": {\"column\": \"a\", \"type\": "
       "\"Int64\"},"
       " \"B\": {\"column\": \"b\", \"type\": \"Binary\"}, \"C\": {\"column\": \"c\", \"type\": "
       "\"Text\", \"hidden\": true}},"
       " \"relationships\": {\"R\": {\"to\": \"Items\", \"column\": \"a\", \"toColumn\": "
       "\"b\"}}}"}};
  const auto metadata = SalesforceFromCatalog(files, issues_);
  ASSERT_TRUE(metadata.ok());
  EXPECT_THAT(Codes(), ElementsAre("salesforce-lookup-column", "salesforce-field-type"));
  ASSERT_EQ(metadata->data_sources.size(), 1u);
  const auto& descriptor = metadata->data_sources[0].descriptors[0];
  EXPECT_EQ(descriptor.custom_object, "Items__x");
  const auto json = ParseJson(descriptor.text);
  ASSERT_TRUE(json.ok()) << descriptor.text;
  ASSERT_EQ(json->members.size(), 1u);
  EXPECT_EQ(json->members[0].name, "columns");
  ASSERT_EQ(metadata->objects[0].fields.size(), 1u);
  EXPECT_EQ(metadata->objects[0].fields[0].full_name, "A__c");
  EXPECT_EQ(metadata->objects[0].fields[0].scale, "0");
}

TEST_F(SalesforceTest, NeverOverwritesAFolder) {
  Write("there.txt", "x");
  const Status status = WriteSalesforceFolder({}, folder_.string());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().reason, "folder-not-empty");
  EXPECT_THAT(status.error().remedy, HasSubstr("new folder"));
}

}  // namespace
}  // namespace tablecast::cli
