#include "connector/catalog_json.h"

namespace tablecast {
namespace {

Issue MakeIssue(Severity severity, const JsonPlace& at, std::string code, std::string message,
                std::string remedy) {
  Issue issue;
  issue.severity = severity;
  issue.code = std::move(code);
  issue.message = std::move(message);
  issue.remedy = std::move(remedy);
  issue.target = at.path;
  issue.file = at.file;
  issue.span = at.value != nullptr ? at.value->span : at.near;
  // What concerns a file as a whole is shown at its start.
  if (issue.span.begin.line == 0 && !issue.file.empty()) {
    issue.span.begin.line = issue.span.end.line = 1;
    issue.span.begin.column = issue.span.end.column = 1;
  }
  return issue;
}

}  // namespace

JsonPlace JsonPlace::Child(std::string_view name) const {
  JsonPlace out;
  out.file = file;
  out.path = path.empty() ? std::string(name) : path + "." + std::string(name);
  out.value = value == nullptr ? nullptr : value->Find(name);
  if (out.value == nullptr) out.near = value == nullptr ? near : value->span;
  return out;
}

void Findings::Error(const JsonPlace& at, std::string code, std::string message,
                     std::string remedy) {
  issues_.push_back(
      MakeIssue(Severity::kError, at, std::move(code), std::move(message), std::move(remedy)));
}

void Findings::Warning(const JsonPlace& at, std::string code, std::string message,
                       std::string remedy) {
  issues_.push_back(
      MakeIssue(Severity::kWarning, at, std::move(code), std::move(message), std::move(remedy)));
}

bool IsObject(const JsonPlace& at) { return at.value != nullptr && at.value->IsObject(); }

std::optional<std::string> StringOf(const JsonPlace& object, std::string_view name) {
  const JsonPlace at = object.Child(name);
  if (!at || !at.value->IsString()) return std::nullopt;
  return at.value->text;
}

std::optional<bool> BoolOf(const JsonPlace& object, std::string_view name) {
  const JsonPlace at = object.Child(name);
  if (!at || at.value->type != JsonType::kBool) return std::nullopt;
  return at.value->boolean;
}

std::optional<Decimal> NumberOf(const JsonPlace& object, std::string_view name) {
  const JsonPlace at = object.Child(name);
  if (!at || !(at.value->IsNumber() || at.value->IsString())) return std::nullopt;
  Result<Decimal> number = Decimal::Parse(at.value->text);
  if (!number.ok()) return std::nullopt;
  return *number;
}

std::optional<std::uint32_t> UintOf(const JsonPlace& object, std::string_view name) {
  const std::optional<Decimal> number = NumberOf(object, name);
  const std::optional<std::int64_t> whole = number ? number->ToInt64() : std::nullopt;
  if (!whole || *whole < 0 || *whole > std::int64_t{UINT32_MAX}) return std::nullopt;
  return static_cast<std::uint32_t>(*whole);
}

std::vector<std::string> StringsOf(const JsonPlace& object, std::string_view name) {
  std::vector<std::string> out;
  const JsonPlace at = object.Child(name);
  if (!at || !at.value->IsArray()) return out;
  for (const JsonValue& element : at.value->elements) {
    if (element.IsString()) out.push_back(element.text);
  }
  return out;
}

}  // namespace tablecast
