#ifndef TABLECAST_ODATA_PRINCIPAL_H_
#define TABLECAST_ODATA_PRINCIPAL_H_

// Who is asking, and what that caller may do. Built by the authentication step (odata/auth.h) before
// a handler runs; immutable afterwards and shared by all requests of that caller.
//
//   if (request.principal == nullptr || !request.principal->RightsFor("Order").read) return Forbidden();

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace tablecast {

// What a caller may do with the rows of one object.
struct ObjectRights {
  bool read = false;
  bool create = false;
  bool update = false;
  bool remove = false;
  bool operator==(const ObjectRights&) const = default;
};

struct Principal {
  std::string name;                // for logs and limits; never a secret
  ObjectRights default_rights;     // for objects that `objects` does not list
  std::map<std::string, ObjectRights, std::less<>> objects;
  // Object name -> fields this caller neither sees nor filters nor writes; "*" concerns every object.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> hidden_fields;
  bool may_explain = false;        // query plans
  bool may_edit_catalog = false;   // reload, change definitions

  const ObjectRights& RightsFor(std::string_view object) const;
  bool HidesField(std::string_view object, std::string_view field) const;

  // May do everything: the caller of a service that runs without authentication, and of tests.
  static std::shared_ptr<const Principal> Unrestricted();
};

}  // namespace tablecast

#endif  // TABLECAST_ODATA_PRINCIPAL_H_
