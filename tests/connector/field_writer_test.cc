// What `sync --write` does to a file's own text: comments, order and layout stay, and what is
// written publishes the same without data as the data did.

#include "connector/field_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "tests/connector/order_fixture.h"

namespace tablecast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlain[] = R"json({
  "tableName": "OrderManagement",
  "columns": {
    "pk": {"type": "S"}, // order number
    "sk": {"values": [{"definition": "\"ORDER\""}]} // the order itself
  } // no more
}
)json";

// Orders with a set, a list of texts, a list of several types, bytes and a map in a list.
std::vector<Item> RichOrders() {
  std::vector<Item> items = OrderItems();
  int n = 0;
  for (Item& item : items) {
    if (item.at("sk").text() != "ORDER") continue;
    ++n;
    item["LABELS"] = *AttributeValue::SetOf(AttributeType::kSS, {"a", "b"});
    item["STEPS"] = AttributeValue::ListOf({S("packed"), S("sent")});
    item["MIXED"] = AttributeValue::ListOf({S("x"), N("1")});
    item["SEAL"] = AttributeValue::Binary(std::string(n, 'x'));
    item["GIFT"] = AttributeValue::Bool(n % 2 == 0);
  }
  return items;
}

std::string FieldsAsText(const std::vector<Field>& fields) {
  std::string out;
  for (const Field& field : fields) {
    out += field.name + ":" + field.column + ":" + std::string(FieldTypeName(field.type)) +
           (field.collection ? "[]" : "") + ":" +
           (field.kind == EdmKind::kString || field.kind == EdmKind::kBinary ? std::to_string(field.max_length) : "") +
           (field.read_only ? ":ro" : "") + (field.nullable ? "" : ":key");
    if (!field.members.empty()) out += "{" + FieldsAsText(field.members) + "}";
    out += " ";
  }
  return out;
}

TEST(MergeFieldsTest, DeclaresAllThatTheDataShowed) {
  const Shop shop(OrderSchema(), RichOrders(), {{"Orders.json", kPlain}});
  const ExternalObject& orders = shop.object("Orders");
  const auto merged = MergeFields(kPlain, {"fields"}, orders);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->added, orders.fields().size() - 1);  // ExternalId comes by itself
  EXPECT_THAT(merged->text, HasSubstr("{\"type\": \"S\"}, // order number\n"));
  EXPECT_THAT(merged->text, HasSubstr("  }, // no more\n  \"fields\": {\n    \"pk\": { \"column\": \"pk\""));
  EXPECT_THAT(merged->text, Not(HasSubstr("\"*\"")));
  // Loaded without any data, and with it, the object publishes what was inferred.
  const CatalogLoad load = LoadCatalog({{"Orders.json", merged->text}}, nullptr, {});
  ASSERT_NE(load.catalog, nullptr) << IssuesText(load.issues);
  EXPECT_EQ(FieldsAsText(load.catalog->Find("Orders")->fields()), FieldsAsText(orders.fields()));
  const Shop again(OrderSchema(), RichOrders(), {{"Orders.json", merged->text}});
  EXPECT_EQ(FieldsAsText(again.object("Orders").fields()), FieldsAsText(orders.fields()));
  EXPECT_EQ(again.object("Orders").FindField("LABELS")->stored_collection, AttributeType::kSS);
  // A second time there is nothing to do.
  const auto twice = MergeFields(merged->text, {"fields"}, again.object("Orders"));
  EXPECT_EQ(twice->text, merged->text);
}

TEST(MergeFieldsTest, CompletesHandWrittenFields) {
  std::string text = kPlain;
  text.replace(text.find("  } // no more"), 14, R"json(  }, // no more
  "fields": {
    // money first
    "TOTAL": true, /* as it is */
    "Placed": {"column": "ORDERDATE", "label": "Placed on"}, // when
    "STATUS": {"type": "Picklist", "values": ["OPEN", "PAID", "SHIPPED"]},
    "Address": { "column": "address" }, // a map
    "*": true // and the rest
  })json");
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", text}});
  const auto merged = MergeFields(text, {"fields"}, shop.object("Orders"));
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->completed, 3U);
  EXPECT_THAT(merged->text, HasSubstr(R"json(
    // money first
    "TOTAL": { "column": "TOTAL", "type": "Number" }, /* as it is */
    "Placed": {"column": "ORDERDATE", "label": "Placed on", "type": "DateTime"}, // when
    "STATUS": {"type": "Picklist", "values": ["OPEN", "PAID", "SHIPPED"]},
    "Address": { "column": "address", "type": "Complex", "fields": {
      "city": { "column": "city", "type": "Text", "length": 128 },
      "zip": { "column": "zip", "type": "Text", "length": 128 }
    } }, // a map
    "*": true, // and the rest
    "pk": )json"));
  const Shop again(OrderSchema(), OrderItems(), {{"Orders.json", merged->text}});
  EXPECT_EQ(FieldsAsText(again.object("Orders").fields()), FieldsAsText(shop.object("Orders").fields()));
  EXPECT_EQ(again.object("Orders").FindField("Placed")->label, "Placed on");
}

TEST(MergeFieldsTest, MakesTheWayInCatalogJson) {
  const std::string overlay = "{\n\t\"currency\": \"EUR\" // euros\n}\n";
  const Shop shop(OrderSchema(), OrderItems(), {{"Orders.json", kPlain}});
  const auto merged = MergeFields(overlay, {"objects", "Orders", "fields"}, shop.object("Orders"));
  ASSERT_TRUE(merged.ok());
  EXPECT_THAT(merged->text, HasSubstr("\"EUR\", // euros\n\t\"objects\": {\n\t\t\"Orders\": {\n\t\t\t\"fields\": {\n"
                                      "\t\t\t\t\"pk\": {"));
  const CatalogLoad load = LoadCatalog({{"Orders.json", kPlain}, {"catalog.json", merged->text}}, nullptr, {});
  ASSERT_NE(load.catalog, nullptr) << IssuesText(load.issues) << merged->text;
  EXPECT_EQ(FieldsAsText(load.catalog->Find("Orders")->fields()), FieldsAsText(shop.object("Orders").fields()));
}

TEST(MergeFieldsTest, KeepsEveryLayout) {
  const Shop shop(OrderSchema(), {}, {{"Orders.json", kPlain}});  // no item: pk alone
  const ExternalObject& orders = shop.object("Orders");
  const std::string pk = "\"pk\": { \"column\": \"pk\", \"type\": \"Text\", \"length\": 255 }";
  const struct {
    const char* what;
    const char* text;
    std::string want;
  } kRows[] = {
      {"comment behind the last member", "{\n  \"a\": 1, // first\n  \"b\": {} // last\n}\n",
       "{\n  \"a\": 1, // first\n  \"b\": {}, // last\n  \"fields\": {\n    " + pk + "\n  }\n}\n"},
      {"trailing comma", "{\n  \"a\": 1, /* , */\n}\n",
       "{\n  \"a\": 1, /* , */\n  \"fields\": {\n    " + pk + "\n  }\n}\n"},
      {"comma inside a comment only", "{\n  \"a\": 1 // one, two\n}\n",
       "{\n  \"a\": 1, // one, two\n  \"fields\": {\n    " + pk + "\n  }\n}\n"},
      {"one line", "{\"a\": 1}", "{\"a\": 1,\n  \"fields\": {\n    " + pk + "\n  }\n}"},
      {"empty", "{}", "{\n  \"fields\": {\n    " + pk + "\n  }\n}"},
      {"tabs", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"fields\": {\n\t\t" + pk + "\n\t}\n}"},
      {"empty fields", "{\n  \"fields\": {}\n}", "{\n  \"fields\": {\n    " + pk + "\n  }\n}"},
      {"fields on one line", "{\n  \"fields\": {\"*\": true}\n}",
       "{\n  \"fields\": {\"*\": true,\n    " + pk + "\n  }\n}"},
  };
  for (const auto& row : kRows) {
    const auto merged = MergeFields(row.text, {"fields"}, orders);
    ASSERT_TRUE(merged.ok()) << row.what;
    EXPECT_EQ(merged->text, row.want) << row.what;
    EXPECT_TRUE(ParseJson(merged->text, {.allow_comments = true, .allow_trailing_commas = true}).ok())
        << row.what;
  }
  EXPECT_EQ(MergeFields("[1]", {"fields"}, orders).error().reason, "not-an-object");
  EXPECT_EQ(MergeFields("{\"fields\": 1}", {"fields"}, orders).error().reason, "not-an-object");
  EXPECT_EQ(MergeFields("{", {"fields"}, orders).error().reason, "json-syntax");
}

TEST(IndentTest, IsThatOfTheFirstMember) {
  EXPECT_EQ(IndentOf("{\n    \"a\": 1}"), "    ");
  EXPECT_EQ(IndentOf("{\"a\": 1}"), "  ");
  EXPECT_EQ(IndentOf("{}"), "  ");
}

}  // namespace
}  // namespace tablecast::test
