#include "qualifiers/document_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "qualifiers/validator.h"

namespace tablecast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

JsonValue ReadSchema(const std::string& name) {
  std::ifstream in(std::string(TABLECAST_SOURCE_DIR) + "/schema/" + name, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << name;
  return json.ok() ? *std::move(json) : JsonValue();
}

// Lists a JSON Schema in the words of DescribeShape.
class SchemaLister {
 public:
  explicit SchemaLister(const JsonValue& definitions) : definitions_(definitions) {}

  void List(const JsonValue& schema, const std::string& path,
            std::vector<std::string>& lines) const {
    if (const JsonValue* reference = schema.Find("$ref")) {
      const std::string& to = reference->text;
      const JsonValue* found = definitions_.Find(to.substr(to.rfind('/') + 1));
      ASSERT_NE(found, nullptr) << to;
      // A definition inside itself is not gone into, as in DescribeShape.
      if (std::find(outer_.begin(), outer_.end(), found) != outer_.end()) return;
      outer_.push_back(found);
      List(*found, path, lines);
      outer_.pop_back();
      return;
    }
    std::string types;
    for (const std::string_view type : {"string", "boolean", "number", "object", "array"}) {
      if (HasType(schema, type)) types += (types.empty() ? "" : ",") + std::string(type);
    }
    std::string words;
    if (const JsonValue* choices = schema.Find("enum")) {
      types = "string";
      for (const JsonValue& word : choices->elements)
        words += (words.empty() ? " " : "|") + word.text;
    }
    if (!path.empty()) lines.push_back(path + " " + types + words);
    if (const JsonValue* properties = schema.Find("properties")) {
      for (const JsonMember& property : properties->members) {
        List(property.value, (path.empty() ? "" : path + ".") + property.name, lines);
      }
    }
    if (const JsonValue* required = schema.Find("required")) {
      for (const JsonValue& name : required->elements)
        lines.push_back(path + "." + name.text + " required");
    }
    const JsonValue* each = schema.Find("additionalProperties");
    if (each != nullptr && each->IsObject()) List(*each, path + ".*", lines);
    if (const JsonValue* items = schema.Find("items")) List(*items, path + "[]", lines);
  }

 private:
  static bool HasType(const JsonValue& schema, std::string_view wanted) {
    const JsonValue* type = schema.Find("type");
    if (type == nullptr) return false;
    const auto is = [&](const JsonValue& name) {
      return name.text == wanted || (wanted == "number" && name.text == "integer");
    };
    return type->IsString() ? is(*type)
                            : std::any_of(type->elements.begin(), type->elements.end(), is);
  }
  const JsonValue& definitions_;
  mutable std::vector<const JsonValue*> outer_;
};

TEST(DocumentShapeTest, JsonSchemasSayTheSameAsTheTable) {
  const JsonValue qualifier = ReadSchema("qualifier.schema.json");
  const JsonValue catalog = ReadSchema("catalog.schema.json");
  const SchemaLister lister(*qualifier.Find("$defs"));
  std::vector<std::string> extensions;
  lister.List(*qualifier.Find("$defs")->Find("extensions"), "", extensions);
  std::sort(extensions.begin(), extensions.end());
  EXPECT_EQ(extensions, DescribeShape(DocumentKind::kExtensions));
  std::vector<std::string> whole;
  lister.List(catalog, "", whole);
  std::sort(whole.begin(), whole.end());
  EXPECT_EQ(whole, DescribeShape(DocumentKind::kCatalog));
  // The file's top level offers every extension beside the vendor's three.
  EXPECT_EQ(qualifier.Find("properties")->members.size(), ExtensionKeys().size() + 3);
}

std::vector<std::string> CatalogCodes(std::string_view text) {
  std::vector<Issue> issues;
  CheckCatalogShape(*ParseJson(text), issues);
  std::vector<std::string> codes;
  for (const Issue& issue : issues) {
    codes.push_back(issue.code + " " + issue.target);
    EXPECT_FALSE(issue.remedy.empty()) << issue.code;
    EXPECT_NE(issue.span.begin.line, 0U) << issue.code;
  }
  return codes;
}

TEST(DocumentShapeTest, CatalogFindings) {
  EXPECT_THAT(
      CatalogCodes(
          R"({"defaultTable": "T", "sources": {"far": {"kind": "dynamodb", "region": "eu-west-1"}}})"),
      IsEmpty());
  EXPECT_THAT(
      CatalogCodes(R"({"pagesize": 10, "blanks": "null", "objects": {"Orders": {"field": {}}},
                               "accessPatterns": {"x": {}}, "sources": {"far": {}}, "maxPageSize": 0})"),
      ElementsAre("unknown-option pagesize", "unknown-word blanks",
                  "unknown-option objects.Orders.field", "missing-option accessPatterns.x",
                  "missing-option sources.far", "number-range maxPageSize"));
}

TEST(DocumentShapeTest, CatalogFilesAreReadLikeQualifiers) {
  EXPECT_THAT(ValidateCatalogFile("{ // note\n \"currency\": \"EUR\", }", "catalog.json"),
              IsEmpty());
  const auto not_an_object = ValidateCatalogFile("[]", "catalog.json");
  ASSERT_EQ(not_an_object.size(), 1U);
  EXPECT_EQ(not_an_object[0].message, "the file must be an object, not an array");
  EXPECT_EQ(not_an_object[0].file, "catalog.json");
  EXPECT_EQ(ValidateCatalogFile("{", "catalog.json").at(0).code, "json-syntax");
}

TEST(DocumentShapeTest, NearestOptionPrefersTheSameWordInAnotherCase) {
  const std::vector<std::string> known = {"postFilter", "filter", "type"};
  EXPECT_EQ(NearestOption("POSTFILTER", known), "postFilter");
  EXPECT_EQ(NearestOption("fitler", known), "filter");
  EXPECT_EQ(NearestOption("zzz", known), std::nullopt);
}

}  // namespace
}  // namespace tablecast
