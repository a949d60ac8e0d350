#include "connector/item_record.h"

#include "connector/external_id.h"
#include "item/item_codec.h"
#include "item/number.h"

namespace tablecast {
namespace {

constexpr std::size_t kElementBytes = 4;

}  // namespace

ItemRecord::ItemRecord(const ExternalObject& object, const TableSchema& schema,
                       const AttributeNames& names, Timestamp now)
    : object_(object),
      schema_(schema),
      names_(names),
      row_(object.qualifier(), schema, names, now) {
  bindings_.reserve(object.fields().size());
  for (const Field& field : object.fields()) bindings_.push_back(Bind(field.source));
  for (const ExternalIdPart& part : object.external_id().parts)
    part_bindings_.push_back(Bind(part.source));
  if (const EmbeddedList* list = object.embedded()) {
    parent_ = std::make_unique<ItemRecord>(*list->parent, schema, names, now);
    FieldSource source;
    source.attribute = list->attribute;
    source.path = list->path;
    list_binding_ = Bind(source);
  }
}

ItemRecord::Binding ItemRecord::Bind(const FieldSource& source) const {
  Binding binding;
  if (source.kind != SourceKind::kAttribute) return binding;
  if (source.attribute == schema_.key.partition.name) {
    binding.place = Place::kPartition;
  } else if (schema_.key.sort && source.attribute == schema_.key.sort->name) {
    binding.place = Place::kSort;
  } else {
    binding.place = Place::kAttribute;
    binding.id = names_.Find(source.attribute);
  }
  // An attribute whose literal name contains the dots wins over the path.
  if (!source.path.empty()) {
    binding.literal = names_.Find(FieldSourceText(source));
    if (binding.literal != AttributeNames::kNone) binding.place = Place::kAttribute;
  }
  return binding;
}

AttributeView ItemRecord::Read(const Binding& binding, const FieldSource& source) const {
  if (binding.literal != AttributeNames::kNone) {
    const AttributeView literal = item_->FindById(binding.literal);
    if (literal.present()) return literal;
  }
  AttributeView value;
  switch (binding.place) {
    case Place::kPartition: value = item_->partition(); break;
    case Place::kSort: value = item_->sort(); break;
    case Place::kAttribute:
      if (binding.id == AttributeNames::kNone) return {};
      value = item_->FindById(binding.id);
      break;
    case Place::kNowhere: return {};
  }
  return source.path.empty() ? value : FollowPath(value, source.path);
}

void ItemRecord::Reset(const ItemView& item) {
  item_ = &item;
  row_.Reset(item);
  if (!parent_) return;
  parent_->Reset(item);
  FieldSource source;
  source.path = object_.embedded()->path;
  list_ = Read(list_binding_, source);
  if (!list_.Is(AttributeType::kL)) list_ = {};
  element_view_ = {};
  element_ = 0;
}

std::uint32_t ItemRecord::ElementCount() const {
  return list_.present() ? static_cast<std::uint32_t>(tablecast::ElementCount(list_)) : 0;
}

void ItemRecord::SetElement(std::uint32_t index) {
  element_ = index;
  element_view_ = list_.present() ? ListElement(list_, index) : AttributeView();
}

AttributeView ItemRecord::Stored(const Field& field) const {
  switch (field.source.kind) {
    case SourceKind::kAttribute: return Read(bindings_[object_.IndexOf(field)], field.source);
    case SourceKind::kElement:
      return FollowPath(element_view_.Is(AttributeType::kM)
                            ? MapMember(element_view_, field.source.attribute)
                            : AttributeView(),
                        field.source.path);
    default: return {};
  }
}

EdmValue ItemRecord::ValueOf(const Field& field, std::optional<ConversionError>* error) const {
  switch (field.source.kind) {
    case SourceKind::kExternalId: return EdmValue::String(ExternalId());
    case SourceKind::kVirtual: {
      const formula::Value& value = row_.Virtual(field.source.virtual_index);
      if (value.IsBlank() && error != nullptr && !error->has_value()) {
        if (const formula::EvalError* failed = row_.VirtualError(field.source.virtual_index)) {
          *error = ConversionError{"formula-error", failed->message, {}};
        }
      }
      return FromFormula(field, value, error);
    }
    case SourceKind::kElementIndex: return EdmValue::Int(element_, field.kind);
    case SourceKind::kParent:
      return parent_ ? parent_->ValueOf(
                           object_.embedded()->parent->fields()[field.source.parent_field], error)
                     : EdmValue();
    case SourceKind::kGuidKey: return EdmValue::Guid(GuidOf(object_, item_->key_bytes(), element_));
    default: return FromStored(field, Stored(field), error);
  }
}

EdmValue ItemRecord::SourceValue(const FieldSource& source) const {
  switch (source.kind) {
    case SourceKind::kExternalId: return EdmValue::String(ExternalId());
    case SourceKind::kVirtual: {
      Field field;
      const formula::Value& value = row_.Virtual(source.virtual_index);
      field.kind = value.Is(formula::ValueType::kNumber) ? EdmKind::kDecimal : EdmKind::kString;
      return FromFormula(field, value, nullptr);
    }
    case SourceKind::kAttribute: {
      const AttributeView stored = Read(Bind(source), source);
      if (stored.Is(AttributeType::kS)) return EdmValue::String(std::string(stored.payload()));
      if (stored.Is(AttributeType::kN)) {
        const Result<Decimal> number = DecodeNumber(stored.payload());
        if (number.ok()) return EdmValue::Number(*number);
      }
      if (stored.Is(AttributeType::kB)) return EdmValue::Binary(std::string(stored.payload()));
      return {};
    }
    default: return {};
  }
}

EdmValue ItemRecord::Join(const JoinColumn& column) const {
  return column.field != nullptr ? Value(*column.field) : SourceValue(column.source);
}

std::string ItemRecord::PartText(const ExternalIdPart& part, const Binding& binding) const {
  if (part.source.kind == SourceKind::kVirtual) {
    const formula::Value& value = row_.Virtual(part.source.virtual_index);
    if (value.Is(formula::ValueType::kText)) return std::string(value.text());
    if (value.Is(formula::ValueType::kNumber)) return value.number().ToString();
    return SourceValue(part.source).ToText();
  }
  return ExternalIdPartText(part, Read(binding, part.source));
}

std::string ItemRecord::ExternalId() const {
  const ExternalIdSpec& spec = object_.external_id();
  if (const EmbeddedList* list = object_.embedded()) {
    std::string key;
    if (list->key_member.empty()) {
      key = std::to_string(element_);
    } else if (element_view_.Is(AttributeType::kM)) {
      ExternalIdPart part;
      key = ExternalIdPartText(part, MapMember(element_view_, list->key_member));
    }
    return parent_->ExternalId() + spec.separator + EscapeIdPart(spec, key, false);
  }
  std::string out;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    if (i > 0) out += spec.separator;
    out += EscapeIdPart(spec, PartText(spec.parts[i], part_bindings_[i]),
                        spec.parts[i].type == AttributeType::kB);
  }
  return out;
}

std::string ItemRecord::Position() const {
  return MakePosition(item_->key_bytes(),
                      parent_ ? std::optional<std::uint32_t>(element_) : std::nullopt);
}

std::string MakePosition(std::string_view key, std::optional<std::uint32_t> element) {
  std::string out(key);
  if (element) {
    for (int shift = 24; shift >= 0; shift -= 8)
      out += static_cast<char>((*element >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return out;
}

Result<Position> ParsePosition(const ExternalObject& object, std::string_view position) {
  Position out;
  if (object.embedded() != nullptr) {
    if (position.size() <= kElementBytes) {
      return MakeError(ErrorCode::kInvalidArgument, "token-syntax", "this position is damaged");
    }
    std::uint32_t element = 0;
    for (const char c : position.substr(position.size() - kElementBytes)) {
      element = (element << 8U) | static_cast<unsigned char>(c);
    }
    out.element = element;
    position.remove_suffix(kElementBytes);
  }
  if (!DecodeKey(object.schema(), position).ok()) {
    return MakeError(ErrorCode::kInvalidArgument, "token-syntax", "this position is damaged");
  }
  out.key = std::string(position);
  return out;
}

}  // namespace tablecast
