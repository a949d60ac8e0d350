#ifndef TABLECAST_QUALIFIERS_QUALIFIER_PARSER_H_
#define TABLECAST_QUALIFIERS_QUALIFIER_PARSER_H_

// Qualifier file text -> TableQualifier and every finding about its shape. Tolerant as the
// published files need: comments, trailing commas, BOM, duplicate members (last wins, with a
// warning).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

struct ParsedQualifier {
  std::optional<TableQualifier> qualifier;  // absent when the text is no JSON object at all
  std::vector<Issue> issues;                // syntax, unknown options, wrong types, duplicates
};

// LIMITS: 1 MiB of text, depth 32, 10,000 columns. Never fails otherwise: faults are issues.
ParsedQualifier ParseQualifier(std::string_view text, std::string file);

// Canonical layout that keeps comments and order (tablecast format), or the deployable JSON without
// comments, trailing commas and BOM when `strict_json`.
Result<std::string> FormatQualifier(std::string_view text, bool strict_json);

// Human text of one finding, with the line underlined:
//   orders.json:5:7: error: unknown option `postfilter`; did you mean `postFilter`?
//   [unknown-option]
//       "postfilter": "^[0-9]+$"
//       ^~~~~~~~~~~~
std::string RenderIssue(const Issue& issue, std::string_view text, bool colour);
std::string IssuesAsJson(const std::vector<Issue>& issues);
std::string IssuesAsSarif(const std::vector<Issue>& issues);
std::string IssuesAsGithub(const std::vector<Issue>& issues);

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_QUALIFIER_PARSER_H_
