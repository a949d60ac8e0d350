#include "cli/salesforce_names.h"

#include <utility>

namespace tablecast::cli {

namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Both directions: import takes the first match of the left side, export of the right side.
constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"Text", "Text"},
    {"TextArea", "TextArea"},
    {"LongTextArea", "LongText"},
    {"Html", "LongText"},
    {"EncryptedText", "Text"},
    {"Email", "Email"},
    {"Phone", "Phone"},
    {"Url", "Url"},
    {"Picklist", "Picklist"},
    {"DateTime", "DateTime"},
    {"Date", "Date"},
    {"Time", "Time"},
    {"Number", "Number"},
    {"Number", "Int32"},
    {"Number", "Int64"},
    {"Currency", "Currency"},
    {"Percent", "Percent"},
    {"Checkbox", "Checkbox"},
    {"Text", "Guid"},
    {"LongTextArea", "Complex"},
    {"LongTextArea", "JsonText"},
};

}  // namespace

std::string PlainName(std::string_view full_name) {
  for (const std::string_view suffix : {"__x", "__c"}) {
    if (full_name.ends_with(suffix)) full_name.remove_suffix(suffix.size());
  }
  if (const std::size_t space = full_name.rfind("__"); space != std::string_view::npos)
    full_name.remove_prefix(space + 2);
  return std::string(full_name);
}

bool IsPlainName(std::string_view name) {
  if (name.empty() || name.size() > 40 || !IsLetter(name.front())) return false;
  for (const char c : name) {
    if (!IsLetter(c) && !IsDigit(c) && c != '_') return false;
  }
  return true;
}

std::string DeveloperName(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const char kept = IsLetter(c) || IsDigit(c) ? c : '_';
    if (kept == '_' && (out.empty() || out.back() == '_')) continue;
    out += kept;
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || !IsLetter(out.front())) out.insert(0, "f_");
  return out.substr(0, 40);
}

std::string CatalogType(std::string_view salesforce_type) {
  for (const auto& [salesforce, catalog] : kTypes) {
    if (salesforce == salesforce_type) return std::string(catalog);
  }
  return {};
}

std::string SalesforceType(std::string_view catalog_type) {
  for (const auto& [salesforce, catalog] : kTypes) {
    if (catalog == catalog_type) return std::string(salesforce);
  }
  return {};
}

}  // namespace tablecast::cli
