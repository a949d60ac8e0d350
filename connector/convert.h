#ifndef TABLECAST_CONNECTOR_CONVERT_H_
#define TABLECAST_CONNECTOR_CONVERT_H_

// Between stored attributes and typed values, both ways. Reading never fails: a value that does not
// fit its field's type is null with a ConversionError. SOURCE: spec external-objects.md section 1.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connector/edm_value.h"
#include "connector/field.h"
#include "connector/object_query.h"
#include "item/attribute_value.h"

namespace tablecast {

// Reads `stored` (the value at the end of the field's path) as the field's type. An absent view and
// NULL are null. `error` is set when the value does not fit; it may be null.
// COST: text, numbers and times without allocation beyond the value itself.
EdmValue FromStored(const Field& field, const AttributeView& stored,
                    std::optional<ConversionError>* error);

// A virtual column's value as the field's type. (formula::Value comes with compiled_qualifier.h.)
EdmValue FromFormula(const Field& field, const formula::Value& value,
                     std::optional<ConversionError>* error);
formula::Value ToFormula(const EdmValue& value);

// The stored form of a value. Keeps the form of `old` where there is one to keep: the ISO form, N
// or S of a DateTime, set or list of a collection. Null gives NULL (the caller removes the
// attribute instead unless the field stores NULL). Checks type, length, precision/scale, picklist
// values, minimum/maximum. ERRORS: kInvalidArgument "value-type", "value-too-long",
// "value-precision", "value-not-allowed", "value-out-of-range" with the field in `target`.
Result<AttributeValue> ToStored(const Field& field, const EdmValue& value,
                                const AttributeValue* old);

// The value below an attribute, absent where a step does not fit. COST: no allocation.
AttributeView FollowPath(AttributeView value, const std::vector<PathStep>& path);
// "address.city", "Items[2].Pens.Quantity" -> attribute and steps. ERRORS: kInvalidArgument
// "path-syntax".
struct AttributePath {
  std::string attribute;
  std::vector<PathStep> steps;
};
Result<AttributePath> ParseAttributePath(std::string_view text);

// Plain JSON text of any stored value (mixed lists, untyped maps), as item_json.h writes it.
std::string StoredAsJson(const AttributeView& value);
// Printable and short, for messages.
std::string StoredForMessage(const AttributeView& value);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_CONVERT_H_
