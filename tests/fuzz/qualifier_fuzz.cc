// Qualifier files: parsing, formatting, validation and the reports never crash; formatting is
// stable and keeps the meaning; findings lie inside the text and have a remedy.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tablecast::ValidateOptions options;
  options.portable = true;
  options.client = tablecast::ClientKind::kSalesforce;
  options.dynamodb_source = true;
  const auto findings = tablecast::ValidateQualifier(text, "fuzz.json", nullptr, options);
  for (const tablecast::Issue& issue : findings) {
    if (issue.span.begin.offset > text.size() || issue.span.end.offset > text.size()) std::abort();
    if (issue.span.begin.line == 0 || issue.remedy.empty() || issue.code == "internal")
      std::abort();
    if (tablecast::RenderIssue(issue, text, false).empty()) std::abort();
  }
  if (!tablecast::ParseJson(tablecast::IssuesAsJson(findings)).ok()) std::abort();
  if (!tablecast::ParseJson(tablecast::IssuesAsSarif(findings)).ok()) std::abort();
  static_cast<void>(tablecast::IssuesAsGithub(findings));
  for (const bool strict : {false, true}) {
    const auto once = tablecast::FormatQualifier(text, strict);
    if (!once.ok()) continue;
    const auto twice = tablecast::FormatQualifier(*once, strict);
    if (!twice.ok() || *twice != *once) std::abort();
  }
  return 0;
}
