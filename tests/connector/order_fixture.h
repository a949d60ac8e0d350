#ifndef TABLECAST_TESTS_CONNECTOR_ORDER_FIXTURE_H_
#define TABLECAST_TESTS_CONNECTOR_ORDER_FIXTURE_H_

// Orders, products and order lines in one table, with the three published qualifiers word for word,
// a catalog.json with the relations, and a few items that belong to nobody.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connector/catalog.h"
#include "connector/query_engine.h"
#include "store/memory_item_store.h"

namespace tablecast::test {

inline const std::string kOrdersJson = R"json({
  "tableName": "OrderManagement",
  "columns": {
    "pk": {
      "postFilter": "^[0-9]+$", // regex matching integers
      "type": "S" // attribute must be a String
    },
    "sk": {
      "values": [
        {
          "definition": "\"ORDER\"" // // matches the static value "ORDER"
        }
      ]
    }
  }
})json";

inline const std::string kProductsJson = R"json({
  "tableName": "OrderManagement",
  "columns": {
    "pk": {
      "postFilter": "^[0-9]+$", // regex matching integers
      "type": "S" // attribute must be a String
    },
    "sk": {
      "values": [
        {
          "definition": "\"PRODUCT\"" // // matches the static value "PRODUCT"
        }
      ]
    }
  }
})json";

inline const std::string kOrderItemsJson = R"json({
  "tableName": "OrderManagement",
    "columns": {
    "pk": {
      "postFilter": "^[0-9]+$", // regex matching integers
      "type": "S" // attribute must be a String
    },
    "sk": {
      "filter": "products#%" // prefixed with "products#"
    },
    "productCode": {
      "virtual": true, // productCode does not exist in DynamoDB
      "values": [
        {
          "definition": "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))" // Formula parses out the prefix
        }
      ]
    }
  }
})json";

inline const std::string kCatalogJson = R"json({
  "defaultTable": "OrderManagement",
  "namespace": "Shop",
  "currency": "EUR",
  "currencyColumns": ["PRICE", "TOTAL"],
  "objects": {
    "Orders": {
      "relationships": {"Account": {"external": "Account.Number__c", "column": "CUSTOMER"}},
      "indexes": [{"fields": ["CUSTOMER", "ORDERDATE desc"]}, {"fields": ["STATUS"]}]
    },
    "OrderItems": {
      "relationships": {
        "Order": {"to": "Orders", "column": "pk", "toColumn": "ExternalId", "inverse": "Lines"},
        "Product": {"to": "Products", "column": "productCode", "toColumn": "ExternalId", "inverse": "Lines"}
      },
      "indexes": [{"fields": ["productCode"]}]
    }
  },
  "accessPatterns": {
    "one order": {"request": "Orders('{id}')", "example": {"id": "10'12"}, "path": "point-get", "maxReads": 1}
  }
})json";

inline AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
inline AttributeValue N(std::string_view text) { return *AttributeValue::NumberFromText(text); }

inline TableSchema OrderSchema() {
  TableSchema schema;
  schema.name = "OrderManagement";
  schema.key.partition = {"pk", AttributeType::kS};
  schema.key.sort = KeyColumn{"sk", AttributeType::kS};
  return schema;
}

// 30 orders (1001..1030) of 3 customers, each with 1 to 4 lines of 10 products; the statuses
// repeat.
inline std::vector<Item> OrderItems() {
  std::vector<Item> items;
  for (int p = 1; p <= 10; ++p) {
    Item item;
    item["pk"] = S(std::to_string(p));
    item["sk"] = S("PRODUCT");
    item["NAME"] = S("Product " + std::to_string(p));
    item["PRICE"] = N(std::to_string(p) + ".5");
    item["INSTOCK"] = AttributeValue::Bool(p % 2 == 0);
    if (p == 3) item["NAME"] = S("Straße");
    if (p % 3 == 0) item["TAGS"] = *AttributeValue::SetOf(AttributeType::kSS, {"new", "sale"});
    items.push_back(std::move(item));
  }
  const char* kStatus[] = {"OPEN", "PAID", "SHIPPED"};
  for (int o = 1; o <= 30; ++o) {
    const std::string id = std::to_string(1000 + o);
    Item item;
    item["pk"] = S(id);
    item["sk"] = S("ORDER");
    item["CUSTOMER"] = S("C-" + std::to_string(100 + o % 3));
    item["STATUS"] = S(kStatus[o % 3 == 0 ? 0 : (o % 2) + 1]);
    // The three forms of ISO 8601.
    const std::string day = (o < 10 ? "0" : "") + std::to_string(o);
    item["ORDERDATE"] = S(o % 3 == 0   ? "2024-05-" + day
                          : o % 3 == 1 ? "2024-05-" + day + "T10:00:00.500Z"
                                       : "202405" + day + "T120000+0200");
    item["TOTAL"] = N(std::to_string(o * 10) + ".25");
    AttributeValue::Map address;
    address["city"] = S(o % 2 == 0 ? "Bonn" : "Lyon");
    address["zip"] = S("5" + std::to_string(o));
    item["address"] = AttributeValue::MapOf(std::move(address));
    if (o % 5 == 0) item["NOTE"] = S("");
    items.push_back(std::move(item));
    for (int line = 0; line < 1 + o % 4; ++line) {
      const int product = 1 + (o + line * 3) % 10;
      Item row;
      row["pk"] = S(id);
      row["sk"] = S("products#" + std::to_string(product));
      row["QUANTITY"] = N(std::to_string(line + 1));
      row["NAME"] = S("Product " + std::to_string(product));
      items.push_back(std::move(row));
    }
  }
  Item foreign;
  foreign["pk"] = S("config");
  foreign["sk"] = S("ORDER");
  items.push_back(foreign);
  foreign["pk"] = S("1001");
  foreign["sk"] = S("PAYMENT#1");
  items.push_back(foreign);
  return items;
}

inline std::string IssuesText(const std::vector<Issue>& issues) {
  std::string out;
  for (const Issue& issue : issues) {
    if (issue.severity == Severity::kError)
      out += issue.file + ": " + issue.code + ": " + issue.message + "\n";
  }
  return out;
}

// A store with a table, items and a loaded catalog whose indexes are ready.
class Shop {
 public:
  Shop(TableSchema schema, const std::vector<Item>& items, std::vector<CatalogFile> files,
       bool build_indexes = true)
      : store(std::make_unique<MemoryItemStore>()) {
    Load(std::move(schema), items, files, build_indexes);
  }
  Shop(std::unique_ptr<ItemStore> given, TableSchema schema, const std::vector<Item>& items,
       std::vector<CatalogFile> files, bool build_indexes = true)
      : store(std::move(given)) {
    Load(std::move(schema), items, files, build_indexes);
  }
  static std::vector<CatalogFile> Files() {
    return {{"Orders.json", kOrdersJson},
            {"Products.json", kProductsJson},
            {"OrderItems.json", kOrderItemsJson},
            {"catalog.json", kCatalogJson}};
  }
  static Shop Orders(bool build_indexes = true) {
    return Shop(OrderSchema(), OrderItems(), Files(), build_indexes);
  }

  QueryEngine engine() const { return QueryEngine(*store, catalog, Timestamp{1717200000, 0}); }
  const ExternalObject& object(std::string_view name) const {
    const ExternalObject* found = catalog->Find(name);
    EXPECT_NE(found, nullptr) << name;
    return *found;
  }

  std::unique_ptr<ItemStore> store;
  std::shared_ptr<const Catalog> catalog;
  std::vector<Issue> issues;

 private:
  void Load(TableSchema schema, const std::vector<Item>& items,
            const std::vector<CatalogFile>& files, bool build_indexes) {
    const std::string table = schema.name;
    EXPECT_TRUE(store->CreateTable(schema).ok());
    const Status written = store->Write([&](WriteTransaction& txn) -> Status {
      for (const Item& item : items) TABLECAST_RETURN_IF_ERROR(txn.Put(table, item));
      return {};
    });
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().ToString());
    CatalogLoad load = LoadCatalog(files, store.get(), {});
    issues = load.issues;
    EXPECT_NE(load.catalog, nullptr) << IssuesText(load.issues);
    catalog = load.catalog;
    if (catalog == nullptr) return;
    EXPECT_TRUE(InstallMaintainers(*catalog, *store).ok());
    if (!build_indexes) return;
    const Status built =
        store->BuildIndexes(table, [](std::uint64_t, std::uint64_t) { return true; });
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().ToString());
  }
};

// Short hands for expressions over one object.
class Expressions {
 public:
  explicit Expressions(const ExternalObject& object) : object_(object) {}
  ExpressionPtr F(std::string_view name) const {
    const Field* field = object_.FindField(name);
    EXPECT_NE(field, nullptr) << name;
    return *expr::FieldRef({}, object_, *field);
  }
  static ExpressionPtr L(EdmValue value) { return expr::Literal(std::move(value)); }
  static ExpressionPtr T(std::string text) { return L(EdmValue::String(std::move(text))); }
  static ExpressionPtr D(std::string_view number) {
    return L(EdmValue::Number(*Decimal::Parse(number)));
  }
  static ExpressionPtr At(std::string_view instant) {
    return L(*ParseEdm(EdmKind::kDateTimeOffset, instant));
  }
  static ExpressionPtr Op(BinaryOp op, ExpressionPtr a, ExpressionPtr b) {
    Result<ExpressionPtr> made = expr::Binary(op, std::move(a), std::move(b));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().ToString());
    return made.ok() ? *made : L(EdmValue::Boolean(false));
  }
  static ExpressionPtr Call(std::string_view name, std::vector<ExpressionPtr> arguments) {
    Result<ExpressionPtr> made = expr::Call(name, std::move(arguments));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().ToString());
    return made.ok() ? *made : L(EdmValue::Boolean(false));
  }

 private:
  const ExternalObject& object_;
};

inline std::vector<std::string> Ids(const ResultPage& page) {
  std::vector<std::string> out;
  for (const Record& record : page.records) out.push_back(record.external_id);
  return out;
}

inline EdmValue ValueOf(const ResultPage& page, std::size_t row, std::string_view column) {
  for (std::size_t i = 0; i < page.columns->size(); ++i) {
    if ((*page.columns)[i].name == column) return page.records.at(row).values.at(i);
  }
  ADD_FAILURE() << "no column " << column;
  return {};
}

}  // namespace tablecast::test

#endif  // TABLECAST_TESTS_CONNECTOR_ORDER_FIXTURE_H_
