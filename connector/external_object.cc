#include "connector/external_object.h"

#include <algorithm>

#include "base/utf8.h"

namespace tablecast {

const Field* ExternalObject::FindField(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::optional<std::uint32_t> ExternalObject::FieldIndex(std::string_view name) const {
  const Field* field = FindField(name);
  return field == nullptr ? std::nullopt : std::optional<std::uint32_t>(IndexOf(*field));
}

std::uint32_t ExternalObject::IndexOf(const Field& field) const {
  const std::ptrdiff_t index = &field - fields_.data();
  TABLECAST_CHECK(index >= 0 && static_cast<std::size_t>(index) < fields_.size());
  return static_cast<std::uint32_t>(index);
}

const Field* ExternalObject::FieldOfColumn(std::string_view column) const {
  for (const Field& field : fields_) {
    if (field.source.kind != SourceKind::kExternalId && field.column == column) return &field;
  }
  return nullptr;
}

std::optional<std::string> ExternalObject::NearestFieldName(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Field& field : fields_) {
    if (!field.hidden) names.push_back(field.name);
  }
  for (const Navigation& navigation : navigations_) names.push_back(navigation.name);
  return NearestName(name, names);
}

const Navigation* ExternalObject::FindNavigation(std::string_view name) const {
  for (const Navigation& navigation : navigations_) {
    if (navigation.name == name) return &navigation;
  }
  return nullptr;
}

}  // namespace tablecast
