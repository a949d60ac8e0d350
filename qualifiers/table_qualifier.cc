#include "qualifiers/table_qualifier.h"

#include <algorithm>

namespace tablecast {

std::string_view PresenceName(Presence presence) {
  switch (presence) {
    case Presence::kExists: return "exists";
    case Presence::kNotExists: return "not exists";
    case Presence::kNull: return "null";
    case Presence::kNotNull: return "not null";
    case Presence::kAny: return "any";
  }
  return "any";
}

const ColumnQualifier* TableQualifier::Find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(),
                   [&](const ColumnQualifier& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace tablecast
