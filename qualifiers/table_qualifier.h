#ifndef TABLECAST_QUALIFIERS_TABLE_QUALIFIER_H_
#define TABLECAST_QUALIFIERS_TABLE_QUALIFIER_H_

// A qualifier file as plain data, in exactly the documented words, with where each part stood.
// SOURCE: spec qualifiers.md section 1; Salesforce help, dynamodb_qualifiers_options.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"
#include "item/attribute_value.h"

namespace tablecast {

enum class Presence { kExists, kNotExists, kNull, kNotNull, kAny };
std::string_view PresenceName(Presence presence);  // "exists", "not exists", ...

struct ValueQualifier {
  std::string definition;  // formula text
  std::vector<std::string> column_order;
  TextSpan span;  // of the definition's string in the file, quotes included
  TextSpan column_order_span;
};

struct ColumnQualifier {
  std::string name;                        // the entry's name
  std::optional<std::string> column_name;  // physical attribute when it differs
  std::optional<AttributeType> type;
  std::optional<Presence> presence;
  bool is_virtual = false;
  std::optional<std::string> filter;       // LIKE pattern
  std::optional<std::string> post_filter;  // regular expression
  std::vector<ValueQualifier> values;

  // Where each part stood; unset (line 0) when it was not given. Strings include their quotes.
  TextSpan name_span;
  TextSpan type_span, presence_span, filter_span, post_filter_span;
  TextSpan virtual_span, column_name_span, values_span;

  // The attribute it reads: column_name, else name. Meaningless when is_virtual.
  const std::string& physical() const { return column_name ? *column_name : name; }
};

struct TableQualifier {
  std::optional<std::string> table_name;
  std::vector<std::string> key_columns;
  std::vector<ColumnQualifier> columns;  // in file order, names unique (last duplicate won)
  // Every extension key of the document (external-objects.md section 6), uninterpreted: an object
  // of the top-level members "object", "source", "fields", "externalId", ... The connector reads
  // it.
  JsonValue extensions;
  TextSpan table_name_span, key_columns_span, columns_span;
  std::string file;  // name for messages
  std::string text;  // the source, for carets

  const ColumnQualifier* Find(std::string_view name) const;
};

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_TABLE_QUALIFIER_H_
