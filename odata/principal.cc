#include "odata/principal.h"

namespace tablecast {

const ObjectRights& Principal::RightsFor(std::string_view object) const {
  const auto found = objects.find(object);
  return found == objects.end() ? default_rights : found->second;
}

bool Principal::HidesField(std::string_view object, std::string_view field) const {
  for (const std::string_view key : {object, std::string_view("*")}) {
    const auto found = hidden_fields.find(key);
    if (found != hidden_fields.end() && found->second.contains(field)) return true;
  }
  return false;
}

std::shared_ptr<const Principal> Principal::Unrestricted() {
  auto principal = std::make_shared<Principal>();
  principal->name = "anonymous";
  principal->default_rights = {.read = true, .create = true, .update = true, .remove = true};
  principal->may_explain = true;
  principal->may_edit_catalog = true;
  return principal;
}

}  // namespace tablecast
