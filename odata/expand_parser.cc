#include "odata/expand_parser.h"

#include <utility>

#include "odata/filter_parser.h"
#include "odata/nested_options.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: comma lists over the shared scanner; what stands in the brackets of an item is
// read by nested_options.cc. SOURCE: OData 4.01 ABNF, select, expand, orderby, compute. Tested by
// expand_parser_test.cc and the tables under tests/odata/grammar.

namespace tablecast::syntax {
namespace {

// A/Ns.Type/B/@Ns.Term: one step where the scanner stands.
Result<PathStep> TakeStep(Scanner& s) {
  TABLECAST_RETURN_IF_ERROR(s.Charge());
  const std::size_t begin = s.pos();
  PathStep step;
  if (s.Take('@')) {
    step.kind = PathStep::Kind::kAnnotation;
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view term,
                               s.TakeIdentifier("an annotation term", true));
    if (term.find('.') == std::string_view::npos) {
      s.Seek(begin);
      return s.Fail("an annotation is named with its namespace: @Ns.Term");
    }
    const std::size_t name_begin = begin + 1;
    if (s.Take('#')) TABLECAST_RETURN_IF_ERROR(s.TakeIdentifier("a qualifier"));
    step.text = std::string(s.Text(name_begin, s.pos()));
  } else {
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s.TakeIdentifier("a name", true));
    step.text = std::string(name);
    if (name.find('.') != std::string_view::npos) step.kind = PathStep::Kind::kQualifiedName;
  }
  step.at = s.SpanFrom(begin);
  return step;
}

// (p1,p2): names only, which tells it from (option=...).
bool StandsOnParameterNames(const Scanner& s) {
  const std::string_view rest = s.Rest();
  const std::size_t end = rest.find_first_of(")=($;'");
  return end != std::string_view::npos && rest[end] == ')';
}

Result<SelectItem> TakeSelectItem(Scanner& s) {
  const std::size_t begin = s.pos();
  SelectItem item;
  if (s.Take('*')) {
    TABLECAST_RETURN_IF_ERROR(s.Charge());
    item.kind = SelectItem::Kind::kStar;
    item.at = s.SpanFrom(begin);
    return item;
  }
  while (true) {
    TABLECAST_ASSIGN_OR_RETURN(PathStep step, TakeStep(s));
    item.path.push_back(std::move(step));
    if (item.path.size() == 1 && item.path[0].kind != PathStep::Kind::kAnnotation && s.Take(".*")) {
      item.kind = SelectItem::Kind::kOperations;
      item.text = item.path[0].text;
      item.path.clear();
      item.at = s.SpanFrom(begin);
      return item;
    }
    if (!s.Take('/')) break;
  }
  const bool qualified = item.path.back().kind == PathStep::Kind::kQualifiedName;
  if (s.Take('(')) {
    if (StandsOnParameterNames(s)) {
      item.parameter_names.emplace();
      s.SkipBlanks();
      if (!(qualified && s.Peek() == ')')) {
        do {
          TABLECAST_ASSIGN_OR_RETURN(const std::string_view name,
                                     s.TakeIdentifier("an option or a parameter name"));
          item.parameter_names->emplace_back(name);
        } while (s.TakeSeparator(','));
        s.SkipBlanks();
      }
      if (!s.Take(')')) return s.Expected("',' or ')'");
    } else {
      TABLECAST_ASSIGN_OR_RETURN(NestedOptions options, ParseNestedOptions(s, kSelectOptions));
      item.options.push_back(std::move(options));
    }
  }
  item.at = s.SpanFrom(begin);
  return item;
}

// Behind '*': /$ref or ($levels=2).
Status TakeStarSuffix(Scanner& s, ExpandItem& item) {
  item.star = true;
  if (s.TakeAnyCase("/$ref")) {
    item.suffix = ExpandItem::Suffix::kRef;
  } else if (s.Take('(')) {
    TABLECAST_ASSIGN_OR_RETURN(NestedOptions options, ParseNestedOptions(s, kNestedLevels));
    item.options.push_back(std::move(options));
  }
  return {};
}

// Behind the path: /$ref, /$count and the options each of them takes.
Status TakeExpandSuffix(Scanner& s, ExpandItem& item) {
  std::uint32_t allowed = kExpandOptions;
  if (item.suffix == ExpandItem::Suffix::kRef) allowed = kCollectionOptions;
  if (item.suffix == ExpandItem::Suffix::kCount) allowed = kCountOptions;
  if (!s.Take('(')) return {};
  TABLECAST_ASSIGN_OR_RETURN(NestedOptions options, ParseNestedOptions(s, allowed));
  item.options.push_back(std::move(options));
  return {};
}

Result<ExpandItem> TakeExpandItem(Scanner& s) {
  const std::size_t begin = s.pos();
  ExpandItem item;
  TABLECAST_RETURN_IF_ERROR(s.Charge());
  if (s.Peek() == '$') {
    s.Advance(1);
    if (!s.TakeWord("value")) {
      s.Seek(begin);
      return s.Expected("a navigation property, '*' or $value");
    }
    item.value = true;
    item.at = s.SpanFrom(begin);
    return item;
  }
  bool named = false;
  while (true) {
    if (s.Take('*')) {
      TABLECAST_RETURN_IF_ERROR(TakeStarSuffix(s, item));
      item.at = s.SpanFrom(begin);
      return item;
    }
    TABLECAST_ASSIGN_OR_RETURN(PathStep step, TakeStep(s));
    named = named || step.kind != PathStep::Kind::kQualifiedName;
    item.path.push_back(std::move(step));
    if (s.Peek() != '/') break;
    if (named && s.TakeAnyCase("/$ref")) {
      item.suffix = ExpandItem::Suffix::kRef;
      break;
    }
    if (named && s.TakeAnyCase("/$count")) {
      item.suffix = ExpandItem::Suffix::kCount;
      break;
    }
    s.Advance(1);
  }
  if (!named) return s.Expected("'/' and a navigation property after a type name");
  TABLECAST_RETURN_IF_ERROR(TakeExpandSuffix(s, item));
  item.at = s.SpanFrom(begin);
  return item;
}

Result<OrderByItem> TakeOrderByItem(Scanner& s) {
  const std::size_t begin = s.pos();
  OrderByItem item;
  TABLECAST_ASSIGN_OR_RETURN(item.expression, ParseExpression(s));
  const std::size_t before = s.pos();
  if (s.SkipBlanks() && s.TakeWord("desc")) {
    item.descending = true;
  } else if (!s.TakeWord("asc") || s.pos() == before + 3) {
    s.Seek(before);
  }
  item.at = s.SpanFrom(begin);
  return item;
}

Result<ComputeItem> TakeComputeItem(Scanner& s) {
  const std::size_t begin = s.pos();
  ComputeItem item;
  TABLECAST_ASSIGN_OR_RETURN(item.expression, ParseExpression(s));
  if (!s.SkipBlanks() || !s.TakeWord("as") || !s.SkipBlanks())
    return s.Expected("' as ' and a name");
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view alias, s.TakeIdentifier("a name"));
  item.alias = std::string(alias);
  item.at = s.SpanFrom(begin);
  return item;
}

template <class Item>
Result<std::vector<Item>> CommaList(Scanner& s, Result<Item> (*take)(Scanner&)) {
  std::vector<Item> items;
  do {
    TABLECAST_ASSIGN_OR_RETURN(Item item, take(s));
    items.push_back(std::move(item));
  } while (s.TakeSeparator(','));
  return items;
}

}  // namespace

Result<std::vector<SelectItem>> ParseSelect(Scanner& scanner) {
  return CommaList(scanner, TakeSelectItem);
}
Result<std::vector<ExpandItem>> ParseExpand(Scanner& scanner) {
  return CommaList(scanner, TakeExpandItem);
}
Result<std::vector<OrderByItem>> ParseOrderBy(Scanner& scanner) {
  return CommaList(scanner, TakeOrderByItem);
}
Result<std::vector<ComputeItem>> ParseCompute(Scanner& scanner) {
  return CommaList(scanner, TakeComputeItem);
}

Result<std::vector<SelectItem>> ParseSelect(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$select", [](Scanner& s) { return ParseSelect(s); });
}
Result<std::vector<ExpandItem>> ParseExpand(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$expand", [](Scanner& s) { return ParseExpand(s); });
}
Result<std::vector<OrderByItem>> ParseOrderBy(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$orderby", [](Scanner& s) { return ParseOrderBy(s); });
}
Result<std::vector<ComputeItem>> ParseCompute(std::string_view text, const SyntaxLimits& limits) {
  return ParseAll(text, limits, "$compute", [](Scanner& s) { return ParseCompute(s); });
}

}  // namespace tablecast::syntax
