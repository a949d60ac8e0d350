#ifndef TABLECAST_TESTS_QUALIFIERS_QUALIFIER_FIXTURE_H_
#define TABLECAST_TESTS_QUALIFIERS_QUALIFIER_FIXTURE_H_

// Short words for tests over compiled qualifiers.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "qualifiers/compiled_qualifier.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {

inline AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
inline AttributeValue N(std::string_view text) { return *AttributeValue::NumberFromText(text); }

// Table T with text keys pk and sk.
inline TableSchema PkSkTable() {
  return {
      .name = "T",
      .key = {.partition = {"pk", AttributeType::kS}, .sort = KeyColumn{"sk", AttributeType::kS}},
      .indexes = {}};
}

inline QualifierCompilation CompileText(std::string_view text,
                                        const TableSchema& schema = PkSkTable(),
                                        const CompileQualifierOptions& options = {}) {
  const ParsedQualifier parsed = ParseQualifier(text, "test.json");
  QualifierCompilation compilation;
  if (parsed.qualifier && !HasErrors(parsed.issues))
    compilation = CompileQualifier(*parsed.qualifier, schema, options);
  compilation.issues.insert(compilation.issues.begin(), parsed.issues.begin(), parsed.issues.end());
  return compilation;
}

inline std::shared_ptr<const CompiledQualifier> MustCompile(
    std::string_view text, const TableSchema& schema = PkSkTable(),
    const CompileQualifierOptions& options = {}) {
  QualifierCompilation compilation = CompileText(text, schema, options);
  for (const Issue& issue : compilation.issues) {
    EXPECT_NE(issue.severity, Severity::kError) << issue.code << ": " << issue.message;
  }
  return compilation.qualifier;
}

inline std::vector<std::string> Codes(const std::vector<Issue>& issues) {
  std::vector<std::string> codes;
  for (const Issue& issue : issues) codes.push_back(issue.code);
  return codes;
}

// A qualifier looked at through owned items.
class OwnedRow {
 public:
  explicit OwnedRow(std::shared_ptr<const CompiledQualifier> qualifier,
                    TableSchema schema = PkSkTable())
      : qualifier_(std::move(qualifier)),
        schema_(std::move(schema)),
        row_(*qualifier_, schema_, names_, Timestamp{}) {}
  QualifierRow& At(Item item) {
    item_ = std::move(item);
    row_.ResetOwned(item_);
    return row_;
  }
  bool Belongs(Item item) { return At(std::move(item)).Belongs(); }

 private:
  std::shared_ptr<const CompiledQualifier> qualifier_;
  TableSchema schema_;
  AttributeNames names_;
  Item item_;
  QualifierRow row_;
};

inline constexpr std::string_view kOrders = R"j({"columns": {
    "pk": {"postFilter": "^[0-9]+$", "type": "S"},
    "sk": {"values": [{"definition": "\"ORDER\""}]}}})j";
inline constexpr std::string_view kOrderItems = R"j({"columns": {
    "pk": {"postFilter": "^[0-9]+$", "type": "S"},
    "sk": {"filter": "products#%"},
    "productCode": {"virtual": true, "values": [{"definition": "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"}]}}})j";
// The four-way split of a joined column with its written inverse.
inline constexpr std::string_view kOffices = R"j({"columns": {
    "pk": {"filter": "offices#%"},
    "data": {"type": "S", "filter": "%#%#%", "values": [{"definition": "country & \"#\" & region & \"#\" & city"}]},
    "country": {"virtual": true, "values": [{"definition": "LEFT(data, FIND(\"#\", data) - 1)"}]},
    "region": {"virtual": true, "values": [{"definition":
        "MID(data, FIND(\"#\", data) + 1, FIND(\"#\", data, FIND(\"#\", data) + 1) - FIND(\"#\", data) - 1)"}]},
    "city": {"virtual": true, "values": [{"definition":
        "RIGHT(data, LEN(data) - FIND(\"#\", data, FIND(\"#\", data) + 1))"}]}}})j";

}  // namespace tablecast

#endif  // TABLECAST_TESTS_QUALIFIERS_QUALIFIER_FIXTURE_H_
