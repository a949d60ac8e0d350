#include "odata/nested_options.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/filter_parser.h"
#include "odata/query_options.h"
#include "odata/search_parser.h"

namespace tablecast::syntax {
namespace {

struct Entry {
  std::string_view name;
  NestedOption bit;
};
constexpr Entry kEntries[] = {
    {"$filter", kNestedFilter}, {"$search", kNestedSearch}, {"$orderby", kNestedOrderBy},
    {"$skip", kNestedSkip},     {"$top", kNestedTop},       {"$count", kNestedCount},
    {"$select", kNestedSelect}, {"$expand", kNestedExpand}, {"$compute", kNestedCompute},
    {"$levels", kNestedLevels}, {"$apply", kNestedApply},
};

const Entry* FindEntry(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// Counts one bracket of nested options while it lives.
class ExpandDepthGuard {
 public:
  explicit ExpandDepthGuard(Scanner& scanner) : budget_(scanner.budget()) {
    ++budget_.expand_depth;
  }
  ~ExpandDepthGuard() { --budget_.expand_depth; }
  ExpandDepthGuard(const ExpandDepthGuard&) = delete;
  ExpandDepthGuard& operator=(const ExpandDepthGuard&) = delete;

 private:
  Budget& budget_;
};

Status ParseValue(Scanner& s, NestedOption bit, NestedOptions& options) {
  switch (bit) {
    case kNestedFilter: {
      TABLECAST_ASSIGN_OR_RETURN(options.filter, ParseExpression(s));
      break;
    }
    case kNestedSearch: {
      TABLECAST_ASSIGN_OR_RETURN(options.search, ParseSearch(s));
      break;
    }
    case kNestedOrderBy: {
      TABLECAST_ASSIGN_OR_RETURN(options.order_by, ParseOrderBy(s));
      break;
    }
    case kNestedSkip: {
      TABLECAST_ASSIGN_OR_RETURN(options.skip, TakeUnsigned(s));
      break;
    }
    case kNestedTop: {
      TABLECAST_ASSIGN_OR_RETURN(options.top, TakeUnsigned(s));
      break;
    }
    case kNestedCount: {
      TABLECAST_ASSIGN_OR_RETURN(options.count, TakeBoolean(s));
      break;
    }
    case kNestedSelect: {
      TABLECAST_ASSIGN_OR_RETURN(options.select, ParseSelect(s));
      break;
    }
    case kNestedExpand: {
      TABLECAST_ASSIGN_OR_RETURN(options.expand, ParseExpand(s));
      break;
    }
    case kNestedCompute: {
      TABLECAST_ASSIGN_OR_RETURN(options.compute, ParseCompute(s));
      break;
    }
    case kNestedLevels: {
      TABLECAST_ASSIGN_OR_RETURN(options.levels, TakeLevels(s));
      break;
    }
    case kNestedApply: {
      TABLECAST_ASSIGN_OR_RETURN(Apply apply, ParseApply(s));
      options.apply.push_back(std::move(apply));
      break;
    }
    case kNestedAlias: break;
  }
  return {};
}

Status ParseAlias(Scanner& s, NestedOptions& options) {
  const std::size_t begin = s.pos();
  TABLECAST_RETURN_IF_ERROR(s.ChargeAlias());
  s.Advance(1);
  AliasValue alias;
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s.TakeIdentifier("a parameter alias"));
  alias.name = std::string(name);
  if (!s.Take('=')) return s.Expected("'='");
  TABLECAST_ASSIGN_OR_RETURN(alias.value, ParseExpression(s));
  alias.at = s.SpanFrom(begin);
  for (const AliasValue& other : options.aliases) {
    if (other.name == alias.name) {
      return s.FailAt(begin, "option-duplicate", "@" + alias.name + " stands twice");
    }
  }
  options.aliases.push_back(std::move(alias));
  return {};
}

}  // namespace

Result<std::uint64_t> TakeUnsigned(Scanner& s) {
  const std::size_t begin = s.pos();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  while (IsDigit(s.Peek())) {
    const auto digit = static_cast<std::uint64_t>(s.Peek() - '0');
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
    s.Advance(1);
  }
  if (s.pos() == begin) {
    return s.FailAt(begin, "option-value",
                    "expected a whole number that is not negative, but found " + s.Found());
  }
  return value;
}

Result<bool> TakeBoolean(Scanner& s) {
  if (s.TakeWord("true")) return true;
  if (s.TakeWord("false")) return false;
  return s.FailAt(s.pos(), "option-value", "expected true or false, but found " + s.Found());
}

Result<Levels> TakeLevels(Scanner& s) {
  Levels levels;
  if (s.TakeWord("max")) {
    levels.max = true;
    return levels;
  }
  if (s.Peek() == '0' || !IsDigit(s.Peek())) {
    return s.FailAt(s.pos(), "option-value",
                    "expected a positive whole number or max, but found " + s.Found());
  }
  TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t value, TakeUnsigned(s));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  levels.value = static_cast<std::uint32_t>(value < kMost ? value : kMost);
  return levels;
}

Result<NestedOptions> ParseNestedOptions(Scanner& s, std::uint32_t allowed) {
  const ExpandDepthGuard guard(s);
  const int most = s.budget().limits.max_expand_depth;
  if (s.budget().expand_depth > most) {
    return s.Exhausted("expand-depth", "options are nested deeper than " + std::to_string(most) +
                                           " levels (limit max_expand_depth)");
  }
  NestedOptions options;
  std::uint32_t seen = 0;
  s.SkipBlanks();
  do {
    TABLECAST_RETURN_IF_ERROR(s.Charge());
    if (s.Peek() == '@') {
      if ((allowed & kNestedAlias) == 0) {
        return s.FailAt(s.pos(), "option-not-allowed", "a parameter alias may not be given here");
      }
      TABLECAST_RETURN_IF_ERROR(ParseAlias(s, options));
      continue;
    }
    const std::size_t begin = s.pos();
    s.Take('$');
    s.Advance(s.IdentifierLength(s.pos()));
    const std::string_view written = s.Text(begin, s.pos());
    if (written.empty() || s.Peek() != '=') {
      s.Seek(begin);
      return s.Expected("an option such as $filter=...");
    }
    const std::optional<std::string> name = CanonicalOptionName(written);
    if (!name) {
      return s.FailAt(begin, "option-unknown", "there is no option '" + std::string(written) + "'");
    }
    const Entry* entry = FindEntry(*name);
    if (entry == nullptr || (allowed & entry->bit) == 0) {
      return s.FailAt(begin, "option-not-allowed", *name + " may not be given here");
    }
    if ((seen & entry->bit) != 0)
      return s.FailAt(begin, "option-duplicate", *name + " stands twice");
    seen |= entry->bit;
    s.Advance(1);
    const Scanner::Scope scope(s, *name);
    s.SkipBlanks();
    TABLECAST_RETURN_IF_ERROR(ParseValue(s, entry->bit, options));
  } while (s.TakeSeparator(';'));
  s.SkipBlanks();
  if (!s.Take(')')) return s.Expected("';' or ')'");
  return options;
}

}  // namespace tablecast::syntax
