#ifndef TABLECAST_ODATA_EXPAND_PARSER_H_
#define TABLECAST_ODATA_EXPAND_PARSER_H_

// The comma lists: $select, $expand, $orderby, $compute, with the options nested in brackets.
//
//   auto expand = syntax::ParseExpand("ORDERS($filter=TOTAL gt 5;$orderby=TOTAL desc;$top=2),ITEMS/$ref");
//   expand->at(0).options.at(0).top   // 2

#include <string_view>
#include <vector>

#include "base/result.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

class Scanner;

// The texts are percent-decoded already; offsets count in them. ERRORS: kInvalidArgument
// "select-syntax", "expand-syntax", "orderby-syntax", "compute-syntax", "option-not-allowed",
// "option-duplicate", "option-unknown", "option-value" and those of ParseFilter and ParseSearch;
// kResourceExhausted for SyntaxLimits.
Result<std::vector<SelectItem>> ParseSelect(std::string_view text, const SyntaxLimits& limits = {});
Result<std::vector<ExpandItem>> ParseExpand(std::string_view text, const SyntaxLimits& limits = {});
Result<std::vector<OrderByItem>> ParseOrderBy(std::string_view text, const SyntaxLimits& limits = {});
Result<std::vector<ComputeItem>> ParseCompute(std::string_view text, const SyntaxLimits& limits = {});

// For the parsers of this folder: parse where the scanner stands.
Result<std::vector<SelectItem>> ParseSelect(Scanner& scanner);
Result<std::vector<ExpandItem>> ParseExpand(Scanner& scanner);
Result<std::vector<OrderByItem>> ParseOrderBy(Scanner& scanner);
Result<std::vector<ComputeItem>> ParseCompute(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_EXPAND_PARSER_H_
