#ifndef TABLECAST_ODATA_JSON_PAYLOAD_H_
#define TABLECAST_ODATA_JSON_PAYLOAD_H_

// JSON bodies of writes -> assignments of connector/record_writer.h. Accepts the 4.0 and 4.01 spellings of control
// information whatever the version (clients mix them); numbers and their texts alike for Decimal and Int64.

#include <functional>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "base/result.h"
#include "connector/record_writer.h"
#include "odata/principal.h"

namespace tablecast {

struct Payload {
  RecordChange change;
  std::string etag;  // @odata.etag of the payload, "" when absent
};

class PayloadReader {
 public:
  // `resolve` turns the id of a bind ("Products('1')", absolute or relative) into a record key of the object.
  using Resolve = std::function<Result<RecordKey>(const std::string& id, const ExternalObject& object)>;
  PayloadReader(const Principal& principal, Resolve resolve) : principal_(principal), resolve_(std::move(resolve)) {}

  // ERRORS: "json-..."; "property-unknown" and "value-type" with the property in `target`.
  Result<Payload> ReadEntity(std::string_view body, const ExternalObject& object) const;
  // {"value": X} of a single property.
  Result<EdmValue> ReadValue(std::string_view body, const Field& field) const;

 private:
  Result<Payload> Entity(const JsonValue& json, const ExternalObject& object, int depth) const;
  Status MayLink(const Navigation& navigation) const;
  const Principal& principal_;
  Resolve resolve_;
};

// A JSON value as the field's type. ERRORS: kInvalidArgument "value-type".
Result<EdmValue> ValueFromJson(const JsonValue& json, const Field& field);
// The same from the text of /$value.
Result<EdmValue> ValueFromText(std::string_view text, const Field& field);

// The id in {"@odata.id": "..."}; "" when there is none.
std::string ReferenceOf(const JsonValue& json);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_JSON_PAYLOAD_H_
