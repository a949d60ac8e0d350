#include "connector/record_edit.h"

#include <algorithm>
#include <array>
#include <random>

#include "connector/convert.h"
#include "connector/external_id.h"
#include "qualifiers/row_rule.h"

namespace tablecast {

namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

std::uint64_t RandomBits() {
  static thread_local std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

// A version 4 UUID.
std::string RandomUuid() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<std::uint64_t, 2> bits{RandomBits(), RandomBits()};
  bits[0] = (bits[0] & 0xFFFFFFFFFFFF0FFFU) | 0x4000U;
  bits[1] = (bits[1] & 0x3FFFFFFFFFFFFFFFU) | 0x8000000000000000U;
  std::string out;
  for (std::size_t i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += kHex[(bits[i / 16] >> (60 - 4 * (i % 16))) & 15U];
  }
  return out;
}

Error FieldError(std::string reason, std::string message, const Field& field) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message), field.name);
}

const EdmValue* MemberOf(const EdmValue& value, const std::string& name) {
  if (value.kind() != EdmKind::kComplex) return nullptr;
  for (const auto& [member, inner] : value.complex()) {
    if (member == name) return &inner;
  }
  return nullptr;
}

// The first read-only member of a complex value that `value` would change.
const Field* ReadOnlyMember(const Field& field, const EdmValue& value, const EdmValue& current) {
  if (field.collection) return nullptr;
  for (const Field& member : field.members) {
    const EdmValue* given = MemberOf(value, member.name);
    const EdmValue* old = MemberOf(current, member.name);
    const EdmValue before = old != nullptr ? *old : EdmValue();
    const EdmValue after = given != nullptr ? *given : EdmValue();
    // Left out is left alone, unless the whole value goes.
    if (member.read_only && (given != nullptr || value.is_null()) && !EqualEdm(before, after)) return &member;
    if (given == nullptr || member.members.empty()) continue;
    if (const Field* inner = ReadOnlyMember(member, after, before)) return inner;
  }
  return nullptr;
}

// The value at the end of a path, made on the way when `create`.
AttributeValue* Follow(AttributeValue* value, const std::vector<PathStep>& path, bool create) {
  for (const PathStep& step : path) {
    if (!step.name.empty()) {
      if (!value->Is(AttributeType::kM)) {
        if (!create) return nullptr;
        *value = AttributeValue::MapOf({});
      }
      AttributeValue::Map& map = value->map();
      auto found = map.find(step.name);
      if (found == map.end()) {
        if (!create) return nullptr;
        found = map.emplace(step.name, AttributeValue::Null()).first;
      }
      value = &found->second;
    }
    if (step.index) {
      if (!value->Is(AttributeType::kL) || *step.index >= value->list().size()) return nullptr;
      value = &value->list()[*step.index];
    }
  }
  return value;
}

// Removes what a path leads to; a list element becomes NULL so that its neighbours keep their places.
void RemoveAt(AttributeValue::Map& root, const std::string& attribute, const std::vector<PathStep>& path) {
  const auto found = root.find(attribute);
  if (found == root.end()) return;
  if (path.empty()) {
    root.erase(found);
    return;
  }
  const std::vector<PathStep> parent_path(path.begin(), path.end() - 1);
  AttributeValue* parent = Follow(&found->second, parent_path, false);
  if (parent == nullptr) return;
  const PathStep& last = path.back();
  if (last.index) {
    if (AttributeValue* element = Follow(&found->second, path, false)) *element = AttributeValue::Null();
  } else if (parent->Is(AttributeType::kM)) {
    parent->map().erase(last.name);
  }
}

}  // namespace

RecordEdit::RecordEdit(const ExternalObject& object, Timestamp now, const Item* old, std::optional<std::uint32_t> element)
    : object_(object), now_(now), old_(old), element_(element) {
  if (old == nullptr) return;
  item_ = *old;
  auto before = OwnedRecord::Make(object, *old, now);
  if (!before.ok()) return;
  before_ = *std::move(before);
  if (element_ && *element_ < before_->record().ElementCount()) before_->record().SetElement(*element_);
}

EdmValue RecordEdit::Current(const Field& field) const {
  if (before_ == nullptr) return {};
  if (object_.embedded() != nullptr && (!element_ || *element_ >= before_->record().ElementCount())) return {};
  return before_->record().Value(field);
}

void RecordEdit::Note(const Field& field) {
  if (std::find(changed_.begin(), changed_.end(), field.name) == changed_.end()) changed_.push_back(field.name);
}

bool RecordEdit::Equal(const Field& field, const EdmValue& a, const EdmValue& b) const {
  if (EqualEdm(a, b)) return true;
  if (a.kind() == EdmKind::kString && b.kind() == EdmKind::kString) return Trimmed(a.text()) == Trimmed(b.text());
  // An absent collection is published as an empty one, so an empty one sent back is no change.
  const auto empty_list = [](const EdmValue& value) {
    return value.is_null() || (value.kind() == EdmKind::kCollection && value.collection().empty());
  };
  if (field.PublishedAsCollection() && empty_list(a) && empty_list(b)) return true;
  const auto empty_text = [](const EdmValue& value) {
    return value.is_null() || (value.kind() == EdmKind::kString && Trimmed(value.text()).empty());
  };
  return field.empty_text_is_null && IsTextType(field.type) && empty_text(a) && empty_text(b);
}

AttributeValue::Map* RecordEdit::Element() {
  const EmbeddedList& list = *object_.embedded();
  auto found = item_.find(list.attribute);
  if (found == item_.end()) return nullptr;
  AttributeValue* value = Follow(&found->second, list.path, false);
  if (value == nullptr || !value->Is(AttributeType::kL) || !element_ || *element_ >= value->list().size()) return nullptr;
  AttributeValue& element = value->list()[*element_];
  return element.Is(AttributeType::kM) ? &element.map() : nullptr;
}

AttributeValue* RecordEdit::Slot(const Field& field, bool create) {
  AttributeValue::Map* root = field.source.kind == SourceKind::kElement ? Element() : &item_;
  if (root == nullptr) return nullptr;
  auto found = root->find(field.source.attribute);
  if (found == root->end()) {
    if (!create) return nullptr;
    found = root->emplace(field.source.attribute, AttributeValue::Null()).first;
  }
  return Follow(&found->second, field.source.path, create);
}

Status RecordEdit::SetStored(const Field& field, const std::vector<const Field*>& members, const EdmValue& value) {
  const AttributeValue* old_value = Slot(field, false);
  const Field& leaf = members.empty() ? field : *members.back();
  const bool keeps_null = leaf.store_null || (old_value != nullptr && members.empty() && old_value->Is(AttributeType::kNull));
  if (value.is_null() && !keeps_null) {
    AttributeValue::Map* root = field.source.kind == SourceKind::kElement ? Element() : &item_;
    if (root == nullptr) return {};
    std::vector<PathStep> path = field.source.path;
    for (const Field* member : members) path.push_back({member->source.attribute, std::nullopt});
    RemoveAt(*root, field.source.attribute, path);
    return {};
  }
  std::optional<AttributeValue> kept;
  AttributeValue* slot = Slot(field, true);
  for (const Field* member : members) {
    if (slot == nullptr) break;
    if (!slot->Is(AttributeType::kM)) *slot = AttributeValue::MapOf({});
    auto& map = slot->map();
    auto found = map.find(member->source.attribute);
    if (found == map.end()) found = map.emplace(member->source.attribute, AttributeValue::Null()).first;
    slot = &found->second;
  }
  if (slot == nullptr) {
    return FieldError("field-path", "the item holds nothing that this path could be set in", field);
  }
  if (!slot->Is(AttributeType::kNull)) kept = *slot;
  TABLECAST_ASSIGN_OR_RETURN(AttributeValue stored, ToStored(leaf, value, kept ? &*kept : nullptr));
  *slot = std::move(stored);
  return {};
}

// An ExternalId in a payload fills the key columns that it is made of.
Status RecordEdit::SetExternalId(const EdmValue& value) {
  if (value.is_null()) return {};
  const Field& id_field = object_.fields().front();
  if (value.kind() != EdmKind::kString) return FieldError("value-type", "ExternalId is text", id_field);
  expected_id_ = value.text();
  if (object_.embedded() != nullptr) return {};
  TABLECAST_ASSIGN_OR_RETURN(const auto splits, SplitExternalId(object_, value.text()));
  if (splits.size() != 1) {
    if (object_.external_id().parts.size() == 1 && splits.empty()) return {};
    return FieldError("external-id-ambiguous", "the ExternalId can be split in several ways; give the key columns", id_field);
  }
  for (std::size_t i = 0; i < object_.external_id().parts.size() && i < splits.front().size(); ++i) {
    const ExternalIdPart& part = object_.external_id().parts[i];
    if (part.source.kind == SourceKind::kVirtual) {
      virtuals_.push_back({part.column, formula::Value::Text(splits.front()[i])});
      continue;
    }
    if (part.source.kind != SourceKind::kAttribute || item_.contains(part.column)) continue;
    AttributeValue stored = AttributeValue::String(part.stripped_prefix + splits.front()[i]);
    if (part.type == AttributeType::kN) {
      TABLECAST_ASSIGN_OR_RETURN(stored, AttributeValue::NumberFromText(splits.front()[i]));
    }
    item_.insert_or_assign(part.column, std::move(stored));
    given_physical_.push_back(part.column);
  }
  return {};
}

Status RecordEdit::Assign(const FieldAssignment& assignment, bool creating) {
  const Field& field = *assignment.field;
  assigned_[field.name] = true;
  const EdmValue& value = assignment.value;
  if (field.source.kind == SourceKind::kExternalId || field.source.kind == SourceKind::kGuidKey) {
    if (creating) return field.source.kind == SourceKind::kExternalId ? SetExternalId(value) : Status();
    if (Equal(field, Current(field), value)) return {};
    return FieldError("key-immutable", "the key of a record cannot be changed", field);
  }
  if (assignment.members.empty() && !creating && Equal(field, Current(field), value)) return {};
  // An empty collection is what clients read where nothing is stored, and send back with a copy.
  const bool set = field.stored_collection == AttributeType::kSS || field.stored_collection == AttributeType::kNS ||
                   field.stored_collection == AttributeType::kBS;
  if (creating && set && field.PublishedAsCollection() && value.kind() == EdmKind::kCollection && value.collection().empty()) return {};
  const bool computed = field.read_only || field.source.kind == SourceKind::kElementIndex;
  if (computed && creating && value.is_null()) return {};
  if (field.source.kind == SourceKind::kParent) {
    if (creating) return {};  // the parent is named by where the record is created
    return FieldError("key-immutable", "a record cannot move to another parent", field);
  }
  if (computed) return FieldError("field-read-only", "the field `" + field.name + "` cannot be written", field);
  if (field.key_part && !creating) {
    return FieldError("key-immutable", "the key column `" + field.name + "` cannot be changed", field);
  }
  if (value.is_null() && field.required) {
    return FieldError("field-required", "the field `" + field.name + "` needs a value", field);
  }
  const Field* refused = assignment.members.empty() ? ReadOnlyMember(field, value, creating ? EdmValue() : Current(field)) : nullptr;
  for (const Field* member : assignment.members) refused = member->read_only ? member : refused;
  if (refused != nullptr) return FieldError("field-read-only", "the member `" + refused->name + "` cannot be written", field);
  if (field.source.kind == SourceKind::kVirtual) {
    virtuals_.push_back({field.column, ToFormula(value)});
    Note(field);
    return {};
  }
  TABLECAST_RETURN_IF_ERROR(SetStored(field, assignment.members, value));
  if (field.source.kind == SourceKind::kAttribute && field.source.path.empty()) {
    given_physical_.push_back(field.source.attribute);
  }
  Note(field);
  return {};
}

Status RecordEdit::AssignColumn(const JoinColumn& column, const EdmValue& value) {
  if (column.field != nullptr) {
    assigned_[column.field->name] = true;
    if (old_ != nullptr && Equal(*column.field, Current(*column.field), value)) return {};
    if (column.field->key_part && old_ != nullptr) {
      return FieldError("key-immutable", "the link goes through the key of this record and cannot be changed", *column.field);
    }
  }
  links_changed_ = true;
  if (column.source.kind == SourceKind::kVirtual) {
    virtuals_.push_back({column.column, ToFormula(value)});
    return {};
  }
  if (column.source.kind != SourceKind::kAttribute) {
    return MakeError(ErrorCode::kInvalidArgument, "link-read-only", "this link cannot be set", column.column);
  }
  const Field* target = column.field != nullptr ? column.field : object_.FieldOfColumn(column.column);
  if (target != nullptr) return SetStored(*target, {}, value);
  if (value.is_null()) {
    item_.erase(column.column);
    return {};
  }
  AttributeValue stored = AttributeValue::String(value.ToText());
  if (IsExactNumber(value.kind())) {
    TABLECAST_ASSIGN_OR_RETURN(stored, AttributeValue::Number(value.number()));
  }
  item_.insert_or_assign(column.column, std::move(stored));
  given_physical_.push_back(column.column);
  return {};
}

Status RecordEdit::ResetUnnamed(const std::vector<FieldAssignment>& named, const std::vector<const Field*>& kept) {
  for (const Field& field : object_.fields()) {
    if (std::find(kept.begin(), kept.end(), &field) != kept.end()) continue;
    const bool given = std::any_of(named.begin(), named.end(), [&](const auto& a) { return a.field == &field; });
    if (given || field.hidden || field.read_only || field.key_part || field.on_update_formula) continue;
    if (field.source.kind == SourceKind::kVirtual) continue;  // follows from its physical column
    if (field.source.kind != SourceKind::kAttribute && field.source.kind != SourceKind::kElement) continue;
    // A column that carries the record type or a virtual key is no business of the caller's.
    const PhysicalColumn* physical = object_.qualifier().FindPhysical(field.source.attribute);
    if (physical != nullptr && (!physical->constants.empty() || physical->inverse != nullptr)) continue;
    EdmValue value;
    if (field.default_formula) {
      TABLECAST_ASSIGN_OR_RETURN(const auto rule, RowRule::Compile(*field.default_formula));
      TABLECAST_ASSIGN_OR_RETURN(const formula::Value computed, rule->Evaluate(item_, now_));
      value = FromFormula(field, computed, nullptr);
    }
    if (value.is_null() && field.required) {
      return FieldError("field-required", "the field `" + field.name + "` needs a value", field);
    }
    if (Equal(field, Current(field), value)) continue;
    TABLECAST_RETURN_IF_ERROR(SetStored(field, {}, value));
    Note(field);
  }
  return {};
}

Status RecordEdit::FillDefaults(WriteTransaction& txn) {
  for (const Field& field : object_.fields()) {
    if (assigned_.contains(field.name)) continue;
    EdmValue value;
    if (field.generate == Generate::kUuid) {
      value = field.kind == EdmKind::kGuid ? EdmValue::Guid(RandomUuid()) : EdmValue::String(RandomUuid());
    } else if (field.generate == Generate::kRandom64) {
      // 63 bits: a positive Int64.
      const Decimal number(static_cast<std::int64_t>(RandomBits() >> 1U));
      value = IsTextType(field.type) ? EdmValue::String(number.ToString()) : EdmValue::Number(number, field.kind);
    } else if (field.generate == Generate::kSequence) {
      const std::string name = "sequence/" + object_.table() + "/" + object_.name() + "/" + field.name;
      TABLECAST_ASSIGN_OR_RETURN(const auto last, txn.GetMeta(name));
      Decimal next(1);
      if (last) {
        TABLECAST_ASSIGN_OR_RETURN(const Decimal previous, Decimal::Parse(*last));
        next = Add(previous, Decimal(1), Decimal::kStored);
      }
      TABLECAST_RETURN_IF_ERROR(txn.PutMeta(name, next.ToString()));
      value = IsTextType(field.type) ? EdmValue::String(next.ToString()) : EdmValue::Number(next, field.kind);
    } else if (field.default_formula) {
      TABLECAST_ASSIGN_OR_RETURN(const auto rule, RowRule::Compile(*field.default_formula));
      TABLECAST_ASSIGN_OR_RETURN(const formula::Value computed, rule->Evaluate(item_, now_));
      value = FromFormula(field, computed, nullptr);
    }
    if (value.is_null()) continue;
    if (field.source.kind == SourceKind::kVirtual) {
      virtuals_.push_back({field.column, ToFormula(value)});
    } else {
      TABLECAST_RETURN_IF_ERROR(SetStored(field, {}, value));
      if (field.source.kind == SourceKind::kAttribute && field.source.path.empty()) {
        given_physical_.push_back(field.source.attribute);
      }
    }
    Note(field);
  }
  return {};
}

Status RecordEdit::ApplyOnUpdate() {
  for (const Field& field : object_.fields()) {
    if (!field.on_update_formula || assigned_.contains(field.name)) continue;
    TABLECAST_ASSIGN_OR_RETURN(const auto rule, RowRule::Compile(*field.on_update_formula));
    TABLECAST_ASSIGN_OR_RETURN(const formula::Value computed, rule->Evaluate(item_, now_));
    TABLECAST_RETURN_IF_ERROR(SetStored(field, {}, FromFormula(field, computed, nullptr)));
    Note(field);
  }
  return {};
}

Status RecordEdit::CheckElement(const std::string& key_member) {
  for (const Field& field : object_.fields()) {
    if (field.source.kind != SourceKind::kElement) continue;
    const bool key = field.source.path.empty() && field.source.attribute == key_member;
    if (!field.required && !key) continue;
    const AttributeValue* value = Slot(field, false);
    if (value == nullptr || value->Is(AttributeType::kNull)) {
      return FieldError("field-required", "the field `" + field.name + "` needs a value", field);
    }
  }
  const AttributeValue::Map& element = *Element();
  const auto key = element.find(key_member);
  if (key == element.end()) {
    return MakeError(ErrorCode::kInvalidArgument, "field-required", "the key `" + key_member + "` of the element is missing",
                     key_member);
  }
  if (key->second.Is(AttributeType::kS) && key->second.text().empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "key-empty", "the key `" + key_member + "` of the element is empty", key_member);
  }
  const EmbeddedList& embedded = *object_.embedded();
  const AttributeValue* list = Follow(&item_.find(embedded.attribute)->second, embedded.path, false);
  for (std::uint32_t i = 0; i < list->list().size(); ++i) {
    const AttributeValue& other = list->list()[i];
    if (i == *element_ || !other.Is(AttributeType::kM)) continue;
    const auto other_key = other.map().find(key_member);
    if (other_key != other.map().end() && other_key->second == key->second) {
      return MakeError(ErrorCode::kAlreadyExists, "key-exists", "an element with this key is there already", key_member);
    }
  }
  return {};
}

Status RecordEdit::Finish() {
  std::sort(given_physical_.begin(), given_physical_.end());
  given_physical_.erase(std::unique(given_physical_.begin(), given_physical_.end()), given_physical_.end());
  TABLECAST_RETURN_IF_ERROR(
      ApplyVirtualWrites(object_.qualifier(), object_.schema(), now_, virtuals_, given_physical_, old_, item_));
  TABLECAST_RETURN_IF_ERROR(ValidateItem(object_.schema(), item_));
  TABLECAST_ASSIGN_OR_RETURN(const auto after, OwnedRecord::Make(object_, item_, now_));
  ItemRecord& record = after->record();
  if (element_) {
    if (*element_ >= record.ElementCount()) return {};
    record.SetElement(*element_);
  }
  for (const Field& field : object_.fields()) {
    if (field.required && record.Value(field).is_null()) {
      return FieldError("field-required", "the field `" + field.name + "` needs a value", field);
    }
  }
  if (expected_id_ && record.ExternalId() != *expected_id_) {
    return FieldError("external-id-mismatch",
                      "the ExternalId given and the key columns disagree: they make `" + record.ExternalId() + "`",
                      object_.fields().front());
  }
  return {};
}

}  // namespace tablecast
