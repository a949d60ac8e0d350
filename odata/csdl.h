#ifndef TABLECAST_ODATA_CSDL_H_
#define TABLECAST_ODATA_CSDL_H_

// The published schema as a tree of CSDL elements, built once from a catalog and printed as XML or JSON. Both
// prints come from one tree, so they cannot disagree. Rights are applied while building: an object that the
// caller may not read, or a field hidden from it, is not in the tree.
//
//   Csdl csdl = BuildCsdl(catalog, *principal);
//   std::string xml = CsdlXml(csdl, ODataVersion::k40);
//
// SOURCE: OASIS OData CSDL XML 4.01, CSDL JSON 4.01; vocabularies Core, Capabilities, Validation, Measures,
// Aggregation V1.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connector/catalog.h"
#include "odata/principal.h"

namespace tablecast {

enum class ODataVersion : std::uint8_t { k40, k401 };
std::string_view ODataVersionText(ODataVersion version);  // "4.0", "4.01"

// A constant expression of an annotation.
struct CsdlValue {
  enum class Kind : std::uint8_t {
    kBool, kString, kNumber, kPath, kPropertyPath, kNavigationPropertyPath, kEnumMember, kCollection, kRecord,
  };
  Kind kind = Kind::kBool;
  bool boolean = true;
  std::string text;                                        // all kinds with text
  std::vector<CsdlValue> elements;                         // kCollection
  std::vector<std::pair<std::string, CsdlValue>> members;  // kRecord

  // Defined where the type is complete: a vector of pairs of it cannot be made before.
  CsdlValue();
  CsdlValue(const CsdlValue&);
  CsdlValue(CsdlValue&&) noexcept;
  CsdlValue& operator=(const CsdlValue&);
  CsdlValue& operator=(CsdlValue&&) noexcept;
  ~CsdlValue();

  static CsdlValue Bool(bool value);
  static CsdlValue String(std::string value);
  static CsdlValue Number(std::string value);
  static CsdlValue Path(std::string value);
  static CsdlValue PropertyPath(std::string value);
  static CsdlValue NavigationPropertyPath(std::string value);
  static CsdlValue Enum(std::string type, std::string member);  // text = "Type/Member"
  static CsdlValue Collection(std::vector<CsdlValue> values);
  static CsdlValue Record(std::vector<std::pair<std::string, CsdlValue>> values);
};

struct CsdlAnnotation {
  std::string term;  // with its alias: "Core.Description"
  std::string qualifier;
  CsdlValue value;
};

struct CsdlProperty {
  std::string name;
  std::string type;  // "Edm.String", "<namespace>.<Object>_<Field>"
  bool collection = false;
  bool nullable = true;
  std::optional<std::uint32_t> max_length;
  std::optional<std::int32_t> precision;
  std::optional<std::string> scale;  // digits or "variable"
  std::optional<std::string> default_value;
  std::vector<CsdlAnnotation> annotations;
};

struct CsdlNavigation {
  std::string name;
  std::string type;  // qualified entity type
  bool collection = false;
  bool nullable = true;
  bool contains_cascade = false;  // OnDelete Cascade
  std::string partner;
  std::vector<std::pair<std::string, std::string>> constraints;  // property, referenced property
  std::vector<CsdlAnnotation> annotations;
};

struct CsdlType {
  bool entity = true;  // else complex
  std::string name;
  std::vector<std::string> key;
  std::vector<CsdlProperty> properties;
  std::vector<CsdlNavigation> navigations;
  std::vector<CsdlAnnotation> annotations;
};

struct CsdlSet {
  std::string name;
  std::string type;
  std::vector<std::pair<std::string, std::string>> bindings;  // navigation, set
  std::vector<CsdlAnnotation> annotations;
};

struct CsdlTerm {
  std::string name;
  std::string type;
  std::string applies_to;  // blanks between
  std::string description;
};

struct Csdl {
  std::string schema_namespace;
  std::string schema_version;
  std::vector<CsdlType> types;
  std::vector<CsdlSet> sets;
  std::vector<CsdlAnnotation> container_annotations;
  std::vector<CsdlTerm> terms;  // of tablecast.v1
};

// `expand_levels`: how deep $expand may nest.
Csdl BuildCsdl(const Catalog& catalog, const Principal& principal, std::uint32_t expand_levels = 5);

std::string CsdlXml(const Csdl& csdl, ODataVersion version);
std::string CsdlJson(const Csdl& csdl, ODataVersion version);

// OpenAPI 3.0 document for the same schema. `service_root` is absolute, without a trailing slash.
std::string OpenApiJson(const Csdl& csdl, const std::string& title, const std::string& service_root);

// What a client would change when it reads `now` after `before` (both CSDL JSON): one line each, in order.
// ERRORS: kInvalidArgument when `before` is no CSDL JSON.
Result<std::vector<std::string>> CompareCsdlJson(const std::string& before, const std::string& now);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_CSDL_H_
