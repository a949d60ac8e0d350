#ifndef TABLECAST_ODATA_RESPONSE_FORMAT_H_
#define TABLECAST_ODATA_RESPONSE_FORMAT_H_

// Writes answers as OData JSON: collections, single records, properties, in the forms that the request asked for
// (version 4.0 or 4.01, metadata none, minimal or full, IEEE 754 compatible numbers, omitted nulls, annotations).
//
// SOURCE: OASIS OData JSON Format 4.01; the 4.0 forms where a response is 4.0.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connector/object_query.h"
#include "odata/csdl.h"

namespace tablecast {

enum class MetadataLevel : std::uint8_t { kNone, kMinimal, kFull };

struct ResponseFormat {
  ODataVersion version = ODataVersion::k40;
  MetadataLevel metadata = MetadataLevel::kMinimal;
  bool ieee754_compatible = false;
  bool exponential_decimals = false;
  bool omit_nulls = false;
  bool annotations = false;  // tablecast.* instance annotations
  std::string root;          // absolute service root, no trailing slash
  std::string schema_namespace;

  // "application/json;odata.metadata=minimal..." with the parameters that were asked for.
  std::string content_type = "application/json";
};

// What of a query shapes its answer: which expands carry which nested shape, and how to continue.
struct RecordShape {
  const ExternalObject* object = nullptr;
  std::vector<std::string> select_names;   // as in the context URL; empty = no $select
  bool select_all = true;
  std::vector<std::string> selected_navigations;  // navigation links asked for by $select
  // Members of complex properties asked for by $select=ADDRESS/CITY; a property without entries is whole.
  std::vector<std::pair<std::string, std::string>> select_members;
  struct Expand {
    const Navigation* navigation = nullptr;
    ExpandItem::Mode mode = ExpandItem::Mode::kRecords;
    bool count = false;
    std::string options;  // nested options as text, for the nextLink of a cut inner page
    std::vector<RecordShape> shape;  // one element: of the target
  };
  std::vector<Expand> expands;
  std::vector<std::string> hidden;  // fields not to be published to this caller
};

class ResponseWriter {
 public:
  // BORROWS: `format` for its own life.
  explicit ResponseWriter(const ResponseFormat& format) : format_(format) {}

  // {"@odata.context":...,"@odata.count":...,"value":[...],"@odata.nextLink":...}. `context` is the part behind
  // "$metadata#". `next_link` and `delta_link` are absolute URLs or "".
  std::string Collection(const ResultPage& page, const RecordShape& shape, std::string_view context,
                         std::string_view next_link, std::string_view delta_link, bool full_scan) const;
  // One record as a whole document.
  std::string Entity(const ResultPage& page, const Record& record, const RecordShape& shape,
                     std::string_view context) const;
  // {"@odata.context":"...","value":...}
  std::string Property(const EdmValue& value, const Field* field, std::string_view context) const;
  // References: {"@odata.id":"Orders('1')"} each.
  std::string References(const ResultPage& page, bool collection, std::string_view next_link) const;
  // Rows of $apply.
  std::string ApplyRows(const ApplyResult& result, std::string_view context,
                        std::string_view next_link) const;

  void AppendRecord(std::string& out, const ResultPage& page, const Record& record, const RecordShape& shape,
                    std::string_view leading) const;
  void AppendValue(std::string& out, const EdmValue& value, const Field* field) const;
  void AppendCount(std::string& out, std::uint64_t count) const;

  // "odata." in 4.0, "" in 4.01: `@odata.count` and `@count`.
  std::string_view ControlPrefix() const { return format_.version == ODataVersion::k40 ? "@odata." : "@"; }

 private:
  void AppendControl(std::string& out, std::string_view name, std::string_view text) const;
  void AppendRecordMembers(std::string& out, const ResultPage& page, const Record& record, const RecordShape& shape,
                           bool& first) const;
  const ResponseFormat& format_;
};

// "Orders('1012')": percent-encoded where a URL needs it.
std::string EntityUrl(const ExternalObject& object, std::string_view key);
// Bytes that may not stand in a URL path segment or query value as %XX.
std::string PercentEncode(std::string_view text);
// Context fragment of a set with its select and expand list: "Orders(pk,Lines(PRICE))".
std::string ContextOf(const RecordShape& shape);
// The text of a primitive value for /$value, and for $count.
std::string RawValueText(const EdmValue& value, const Field* field);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_RESPONSE_FORMAT_H_
