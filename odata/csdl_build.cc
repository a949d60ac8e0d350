#include <algorithm>
#include <set>

#include "odata/csdl.h"
#include "odata/query_functions.h"

namespace tablecast {

namespace {

using Annotations = std::vector<CsdlAnnotation>;

void Add(Annotations& annotations, std::string term, CsdlValue value) {
  annotations.push_back({std::move(term), "", std::move(value)});
}

CsdlValue Names(const std::vector<std::string>& names) {
  std::vector<CsdlValue> values;
  for (const std::string& name : names) values.push_back(CsdlValue::String(name));
  return CsdlValue::Collection(std::move(values));
}

CsdlValue PropertyPaths(const std::vector<std::string>& names) {
  std::vector<CsdlValue> values;
  for (const std::string& name : names) values.push_back(CsdlValue::PropertyPath(name));
  return CsdlValue::Collection(std::move(values));
}

class Builder {
 public:
  Builder(const Catalog& catalog, const Principal& principal, std::uint32_t expand_levels)
      : catalog_(catalog), principal_(principal), expand_levels_(expand_levels) {
    csdl_.schema_namespace = catalog.schema_namespace();
    csdl_.schema_version = catalog.fingerprint().substr(0, 16);
  }

  Csdl Build() {
    for (const auto& object : catalog_.objects()) {
      if (Readable(*object)) AddObject(*object);
    }
    ContainerAnnotations();
    csdl_.terms = {
        {"attributeName", "Edm.String", "Property", "Name of the stored attribute, where the property's name differs"},
        {"externalLookup", "Edm.String", "Property", "Field of a record outside this service that this property refers to"},
        {"conversionError", "tablecast.v1.ConversionError", "Property", "Why the stored value could not be given"},
        {"fullScan", "Core.Tag", "Collection", "The answer needed a look at every item of the table"},
    };
    return std::move(csdl_);
  }

 private:
  bool Readable(const ExternalObject& object) const { return principal_.RightsFor(object.name()).read; }
  bool Visible(const ExternalObject& object, const Field& field) const {
    return !field.hidden && !principal_.HidesField(object.name(), field.name);
  }
  std::string Qualified(const std::string& name) const { return csdl_.schema_namespace + "." + name; }

  CsdlProperty Property(const ExternalObject& object, const Field& field, bool key) {
    CsdlProperty property;
    property.name = field.name;
    property.collection = field.PublishedAsCollection();
    property.nullable = key || property.collection ? false : field.nullable;
    EdmKind kind = field.kind;
    if (field.collection && !property.collection) kind = EdmKind::kString;
    property.type = kind == EdmKind::kComplex ? Qualified(field.complex_type_name) : std::string(EdmKindName(kind));
    switch (kind) {
      case EdmKind::kString:
      case EdmKind::kBinary:
        property.max_length = field.max_length;
        break;
      case EdmKind::kDecimal:
        property.precision = field.precision.value_or(38);
        property.scale = field.scale ? std::to_string(*field.scale) : "variable";
        break;
      case EdmKind::kDateTimeOffset:
      case EdmKind::kTimeOfDay:
      case EdmKind::kDuration:
        property.precision = field.precision.value_or(9);
        break;
      default:
        break;
    }
    PropertyAnnotations(object, field, property.annotations);
    if (kind == EdmKind::kComplex) AddComplex(object, field);
    return property;
  }

  void PropertyAnnotations(const ExternalObject& object, const Field& field, Annotations& out) {
    const std::string& text = field.description.empty() ? field.label : field.description;
    if (!text.empty() && text != field.name) Add(out, "Core.Description", CsdlValue::String(text));
    const bool computed = field.source.kind == SourceKind::kExternalId || field.read_only;
    if (computed) {
      Add(out, "Core.Computed", CsdlValue::Bool(true));
    } else if (field.key_part) {
      Add(out, "Core.Immutable", CsdlValue::Bool(true));
    }
    if (field.default_formula || field.generate != Generate::kNone) {
      Add(out, "Core.ComputedDefaultValue", CsdlValue::Bool(true));
    }
    switch (field.type) {
      case FieldType::kEmail: Add(out, "Communication.IsEmailAddress", CsdlValue::Bool(true)); break;
      case FieldType::kPhone: Add(out, "Communication.IsPhoneNumber", CsdlValue::Bool(true)); break;
      case FieldType::kUrl: Add(out, "Core.IsURL", CsdlValue::Bool(true)); break;
      case FieldType::kPercent: Add(out, "Measures.Unit", CsdlValue::String("%")); break;
      case FieldType::kCurrency:
        if (!field.currency_field.empty()) {
          Add(out, "Measures.ISOCurrency", CsdlValue::Path(field.currency_field));
        } else if (!field.currency_code.empty()) {
          Add(out, "Measures.ISOCurrency", CsdlValue::String(field.currency_code));
        }
        break;
      default: break;
    }
    if (!field.values.empty()) {
      std::vector<CsdlValue> allowed;
      for (const std::string& value : field.values) {
        allowed.push_back(CsdlValue::Record({{"Value", CsdlValue::String(value)}}));
      }
      Add(out, "Validation.AllowedValues", CsdlValue::Collection(std::move(allowed)));
    }
    if (field.minimum) Add(out, "Validation.Minimum", CsdlValue::Number(field.minimum->ToString()));
    if (field.maximum) Add(out, "Validation.Maximum", CsdlValue::Number(field.maximum->ToString()));
    if (!field.attribute_name.empty()) Add(out, "tablecast.attributeName", CsdlValue::String(field.attribute_name));
    for (const ExternalLookup& lookup : object.external_lookups()) {
      if (lookup.field == field.name) Add(out, "tablecast.externalLookup", CsdlValue::String(lookup.external));
    }
  }

  void AddComplex(const ExternalObject& object, const Field& field) {
    if (!complex_names_.insert(field.complex_type_name).second) return;
    CsdlType type;
    type.entity = false;
    type.name = field.complex_type_name;
    for (const Field& member : field.members) type.properties.push_back(Property(object, member, false));
    csdl_.types.push_back(std::move(type));
  }

  void AddObject(const ExternalObject& object) {
    CsdlType type;
    type.name = object.name();
    type.key = object.key_fields();
    for (const Field& field : object.fields()) {
      if (!Visible(object, field)) continue;
      const bool key = std::find(type.key.begin(), type.key.end(), field.name) != type.key.end();
      type.properties.push_back(Property(object, field, key));
    }
    const auto& alternate = object.alternate_key_fields();
    const bool alternate_visible =
        std::all_of(alternate.begin(), alternate.end(), [&](const std::string& name) {
          const Field* field = object.FindField(name);
          return field != nullptr && Visible(object, *field);
        });
    if (!alternate.empty() && alternate_visible) {
      std::vector<CsdlValue> parts;
      for (const std::string& name : alternate) {
        parts.push_back(CsdlValue::Record({{"Name", CsdlValue::PropertyPath(name)}, {"Alias", CsdlValue::String(name)}}));
      }
      Add(type.annotations, "Core.AlternateKeys",
          CsdlValue::Collection({CsdlValue::Record({{"Key", CsdlValue::Collection(std::move(parts))}})}));
    }
    const std::string& text = object.description().empty() ? object.label() : object.description();
    if (!text.empty()) Add(type.annotations, "Core.Description", CsdlValue::String(text));

    CsdlSet set;
    set.name = object.name();
    set.type = Qualified(object.name());
    std::vector<std::string> expandable;
    for (const Navigation& navigation : object.navigations()) {
      if (!Readable(*navigation.target)) continue;
      CsdlNavigation published;
      published.name = navigation.name;
      published.type = Qualified(navigation.target->name());
      published.collection = navigation.collection;
      published.partner = navigation.partner;
      published.contains_cascade = navigation.contains;
      if (!navigation.collection && navigation.from.field != nullptr && navigation.to.field != nullptr &&
          Visible(object, *navigation.from.field) && Visible(*navigation.target, *navigation.to.field)) {
        published.constraints.emplace_back(navigation.from.field->name, navigation.to.field->name);
      }
      type.navigations.push_back(std::move(published));
      set.bindings.emplace_back(navigation.name, navigation.target->name());
      expandable.push_back(navigation.name);
    }
    SetAnnotations(object, set.annotations);
    csdl_.types.push_back(std::move(type));
    csdl_.sets.push_back(std::move(set));
  }

  void SetAnnotations(const ExternalObject& object, Annotations& out) {
    const ObjectRights& rights = principal_.RightsFor(object.name());
    const ObjectOptions& options = object.options();
    const bool create = options.create && rights.create && object.table_exists();
    const bool update = options.update && rights.update && object.table_exists();
    const bool remove = options.remove && rights.remove && object.table_exists();
    const bool embedded = object.embedded() != nullptr;
    std::vector<std::string> unsortable;
    std::vector<std::string> read_only;
    for (const Field& field : object.fields()) {
      if (!Visible(object, field)) continue;
      if (field.PublishedAsCollection() || field.kind == EdmKind::kComplex) unsortable.push_back(field.name);
      if (field.read_only || field.source.kind == SourceKind::kExternalId) read_only.push_back(field.name);
    }
    Add(out, "Core.OptimisticConcurrency", CsdlValue::Collection({}));
    Add(out, "Capabilities.FilterRestrictions", CsdlValue::Record({{"Filterable", CsdlValue::Bool(true)}}));
    Add(out, "Capabilities.SortRestrictions",
        CsdlValue::Record({{"Sortable", CsdlValue::Bool(true)}, {"NonSortableProperties", PropertyPaths(unsortable)}}));
    Add(out, "Capabilities.SearchRestrictions", CsdlValue::Record({{"Searchable", CsdlValue::Bool(true)}}));
    Add(out, "Capabilities.CountRestrictions", CsdlValue::Record({{"Countable", CsdlValue::Bool(true)}}));
    Add(out, "Capabilities.ExpandRestrictions",
        CsdlValue::Record({{"Expandable", CsdlValue::Bool(true)}, {"MaxLevels", CsdlValue::Number(std::to_string(expand_levels_))}}));
    Add(out, "Capabilities.TopSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.SkipSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.ComputeSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.IndexableByKey", CsdlValue::Bool(true));
    // Behind a selected property stands $select and nothing else.
    Add(out, "Capabilities.SelectSupport",
        CsdlValue::Record({{"Supported", CsdlValue::Bool(true)}, {"Expandable", CsdlValue::Bool(false)},
                           {"Filterable", CsdlValue::Bool(false)}, {"Searchable", CsdlValue::Bool(false)},
                           {"TopSupported", CsdlValue::Bool(false)}, {"SkipSupported", CsdlValue::Bool(false)},
                           {"ComputeSupported", CsdlValue::Bool(false)}, {"Countable", CsdlValue::Bool(false)},
                           {"Sortable", CsdlValue::Bool(false)}}));
    Add(out, "Capabilities.InsertRestrictions",
        CsdlValue::Record({{"Insertable", CsdlValue::Bool(create)},
                           {"NonInsertableProperties", PropertyPaths(read_only)}}));
    Add(out, "Capabilities.UpdateRestrictions",
        CsdlValue::Record({{"Updatable", CsdlValue::Bool(update)},
                           {"Upsertable", CsdlValue::Bool(create && update && options.upsert && !embedded)},
                           {"UpdateMethod", CsdlValue::Enum("Capabilities.HttpMethod", "PATCH PUT")},
                           {"NonUpdatableProperties", PropertyPaths(read_only)}}));
    Add(out, "Capabilities.DeleteRestrictions",
        CsdlValue::Record({{"Deletable", CsdlValue::Bool(remove)}}));
    Add(out, "Capabilities.DeepInsertSupport",
        CsdlValue::Record({{"Supported", CsdlValue::Bool(create)}, {"ContentIDSupported", CsdlValue::Bool(false)}}));
    Add(out, "Capabilities.DeepUpdateSupport",
        CsdlValue::Record({{"Supported", CsdlValue::Bool(false)}, {"ContentIDSupported", CsdlValue::Bool(false)}}));
    Add(out, "Capabilities.ChangeTracking", CsdlValue::Record({{"Supported", CsdlValue::Bool(object.embedded() == nullptr)}}));
    Add(out, "Aggregation.ApplySupported",
        CsdlValue::Record({{"Transformations", Names(ApplyTransformations())},
                           {"Rollup", CsdlValue::Enum("Aggregation.RollupType", "MultipleHierarchies")}}));
    for (const CustomAggregate& aggregate : object.aggregates()) {
      const Field* field = object.FindField(aggregate.field);
      if (field == nullptr || !Visible(object, *field)) continue;
      out.push_back({"Aggregation.CustomAggregate", aggregate.field, CsdlValue::String("Edm.Decimal")});
    }
  }

  void ContainerAnnotations() {
    Annotations& out = csdl_.container_annotations;
    Add(out, "Core.ODataVersions", CsdlValue::String("4.0 4.01"));
    Add(out, "Capabilities.ConformanceLevel", CsdlValue::Enum("Capabilities.ConformanceLevelType", "Intermediate"));
    Add(out, "Capabilities.SupportedFormats",
        Names({"application/json;odata.metadata=minimal", "application/json;odata.metadata=full",
               "application/json;odata.metadata=none", "application/json;IEEE754Compatible=true"}));
    Add(out, "Capabilities.SupportedMetadataFormats", Names({"application/xml", "application/json"}));
    Add(out, "Capabilities.AcceptableEncodings", Names({"gzip"}));
    Add(out, "Capabilities.AsynchronousRequestsSupported", CsdlValue::Bool(false));
    Add(out, "Capabilities.CrossJoinSupported", CsdlValue::Bool(false));
    Add(out, "Capabilities.KeyAsSegmentSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.QuerySegmentSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.BatchSupported", CsdlValue::Bool(true));
    Add(out, "Capabilities.BatchSupport",
        CsdlValue::Record({{"Supported", CsdlValue::Bool(true)}, {"ContinueOnErrorSupported", CsdlValue::Bool(true)},
                           {"ReferencesInRequestBodiesSupported", CsdlValue::Bool(false)},
                           {"ReferencesAcrossChangeSetsSupported", CsdlValue::Bool(true)},
                           {"EtagReferencesSupported", CsdlValue::Bool(true)},
                           {"RequestDependencyConditionsSupported", CsdlValue::Bool(false)},
                           {"SupportedFormats", Names({"multipart/mixed", "application/json"})}}));
    Add(out, "Capabilities.FilterFunctions", Names(FilterFunctions()));
    Add(out, "Aggregation.ApplySupportedDefaults",
        CsdlValue::Record({{"Transformations", Names(ApplyTransformations())}}));
  }

  const Catalog& catalog_;
  const Principal& principal_;
  const std::uint32_t expand_levels_;
  Csdl csdl_;
  std::set<std::string> complex_names_;
};

}  // namespace

CsdlValue::CsdlValue() = default;
CsdlValue::CsdlValue(const CsdlValue&) = default;
CsdlValue::CsdlValue(CsdlValue&&) noexcept = default;
CsdlValue& CsdlValue::operator=(const CsdlValue&) = default;
CsdlValue& CsdlValue::operator=(CsdlValue&&) noexcept = default;
CsdlValue::~CsdlValue() = default;

CsdlValue CsdlValue::Bool(bool value) {
  CsdlValue out;
  out.boolean = value;
  return out;
}
namespace {
CsdlValue WithText(CsdlValue::Kind kind, std::string text) {
  CsdlValue out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}
}  // namespace
CsdlValue CsdlValue::String(std::string value) { return WithText(Kind::kString, std::move(value)); }
CsdlValue CsdlValue::Number(std::string value) { return WithText(Kind::kNumber, std::move(value)); }
CsdlValue CsdlValue::Path(std::string value) { return WithText(Kind::kPath, std::move(value)); }
CsdlValue CsdlValue::PropertyPath(std::string value) { return WithText(Kind::kPropertyPath, std::move(value)); }
CsdlValue CsdlValue::NavigationPropertyPath(std::string value) {
  return WithText(Kind::kNavigationPropertyPath, std::move(value));
}
CsdlValue CsdlValue::Enum(std::string type, std::string member) {
  return WithText(Kind::kEnumMember, std::move(type) + "/" + std::move(member));
}
CsdlValue CsdlValue::Collection(std::vector<CsdlValue> values) {
  CsdlValue out;
  out.kind = Kind::kCollection;
  out.elements = std::move(values);
  return out;
}
CsdlValue CsdlValue::Record(std::vector<std::pair<std::string, CsdlValue>> values) {
  CsdlValue out;
  out.kind = Kind::kRecord;
  out.members = std::move(values);
  return out;
}

std::string_view ODataVersionText(ODataVersion version) { return version == ODataVersion::k40 ? "4.0" : "4.01"; }

Csdl BuildCsdl(const Catalog& catalog, const Principal& principal, std::uint32_t expand_levels) {
  return Builder(catalog, principal, expand_levels).Build();
}

}  // namespace tablecast
