#include "cli/client_findings.h"

#include <algorithm>
#include <string>

namespace tablecast::cli {

namespace {

struct Verdict {
  std::string message;  // "" = taken as it is
  std::string remedy;
};

Verdict BySalesforce(const Field& field) {
  if (field.PublishedAsCollection()) return {"Salesforce drops collections", "give it \"as\": \"text\" or \"json\""};
  switch (field.kind) {
    case EdmKind::kComplex:
      return {"Salesforce shows complex fields read-only", "publish the members you need by paths such as \"address.city\""};
    case EdmKind::kTimeOfDay:
    case EdmKind::kDuration: return {"Salesforce drops " + std::string(EdmKindName(field.kind)) + " fields", "declare it as Text"};
    case EdmKind::kBinary: return {"Salesforce shows binary fields as base64 text", "hide it, or decode it in the client"};
    default: return {};
  }
}

Verdict ByDataverse(const Field& field) {
  if (field.PublishedAsCollection() || field.kind == EdmKind::kComplex) {
    return {"Dataverse cannot map collections and complex values", "publish members by paths, or \"as\": \"text\""};
  }
  switch (field.kind) {
    case EdmKind::kBoolean:
    case EdmKind::kDateTimeOffset:
    case EdmKind::kDecimal:
    case EdmKind::kDouble:
    case EdmKind::kGuid:
    case EdmKind::kInt32:
    case EdmKind::kInt64:
    case EdmKind::kString: return {};
    default:
      return {"Dataverse's table of types has no " + std::string(EdmKindName(field.kind)), "declare it as Text, or hide it"};
  }
}

Verdict ByPowerBi(const Field& field) {
  if (field.kind == EdmKind::kBinary) return {"a Power BI model drops binary columns", "hide it"};
  return {};
}

}  // namespace

void AddClientFindings(const Catalog& catalog, ClientKind client, std::vector<Issue>& issues) {
  for (const auto& object : catalog.objects()) {
    for (const Field& field : object->fields()) {
      if (field.hidden) continue;
      Verdict verdict;
      switch (client) {
        case ClientKind::kSalesforce: verdict = BySalesforce(field); break;
        case ClientKind::kDataverse: verdict = ByDataverse(field); break;
        case ClientKind::kPowerBi: verdict = ByPowerBi(field); break;
        case ClientKind::kNone: return;
      }
      if (verdict.message.empty()) continue;
      const bool known = std::any_of(issues.begin(), issues.end(), [&](const Issue& other) {
        return other.file == object->file() && other.code == "client-type" &&
               (other.target == "fields." + field.name || other.target == "columns." + field.name);
      });
      if (known) continue;
      Issue issue;
      issue.severity = Severity::kWarning;
      issue.code = "client-type";
      issue.message = "`" + object->name() + "." + field.name + "`: " + verdict.message;
      issue.remedy = verdict.remedy;
      issue.target = object->name() + "." + field.name;
      issue.file = object->file();
      issues.push_back(std::move(issue));
    }
  }
}

}  // namespace tablecast::cli
