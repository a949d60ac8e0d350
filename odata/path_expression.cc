#include <optional>
#include <utility>

#include "odata/expression_parser.h"
#include "odata/search_parser.h"

// IMPLEMENTATION: paths inside expressions: A/B, $it/A, @p/A, Lines/any(l:l/QTY gt 1),
// Lines/$count($filter=..), Ns.Type/A, Ns.Function(p=1)/A, $root/Set('k')/A, A/@Ns.Term#Q.
// SOURCE: OData 4.01 ABNF, firstMemberExpr, rootExpr, memberExpr, functionExpr.

namespace tablecast::syntax {

namespace {

bool IsKeyValue(const Expr& value) {
  return value.kind == ExprKind::kLiteral ||
         (value.kind == ExprKind::kPath && value.args.size() == 1 &&
          value.args[0].kind == ExprKind::kAlias);
}

Error UnknownFunction(const Scanner& scanner, std::size_t at, std::string_view name) {
  Error error = scanner.FailAt(at, "function-unknown",
                               "there is no function '" + std::string(name) +
                                   "' (parameters of service functions are named: f(p=1))");
  if (const auto nearest = NearestFunction(name)) error.remedy = "did you mean '" + *nearest + "'?";
  return error;
}

}  // namespace

Result<std::string> TakeBalanced(Scanner& scanner) {
  const std::size_t begin = scanner.pos();
  std::size_t open = 0;
  char quote = '\0';
  while (!scanner.AtEnd()) {
    const char c = scanner.Peek();
    if (quote != '\0') {
      // A doubled quote closes and opens again, which comes to the same.
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      if (open == 0) return std::string(scanner.Text(begin, scanner.pos()));
      --open;
    }
    scanner.Advance(1);
  }
  return scanner.Expected("')'");
}

Result<Expr> ExpressionParser::Path() {
  const std::size_t begin = s_.pos();
  std::vector<Expr> segments;
  TABLECAST_RETURN_IF_ERROR(FirstSegment(segments));
  if (segments.back().kind == ExprKind::kRoot) {
    if (!s_.Take('/')) return s_.Expected("'/' and an entity set after $root");
    TABLECAST_RETURN_IF_ERROR(AfterRoot(segments));
  }
  while (s_.Take('/')) {
    const ExprKind last = segments.back().kind;
    if (last == ExprKind::kCount || last == ExprKind::kAny || last == ExprKind::kAll ||
        last == ExprKind::kAggregate) {
      return s_.Fail("nothing may follow here in a path");
    }
    TABLECAST_RETURN_IF_ERROR(NextSegment(segments));
  }
  if (segments.back().kind == ExprKind::kQualifiedName) {
    return s_.Expected("'/' and a property after the type name '" + segments.back().text + "'");
  }
  Expr path = Node(ExprKind::kPath, std::string(s_.Text(begin, s_.pos())));
  path.args = std::move(segments);
  return Finish(std::move(path), begin);
}

Status ExpressionParser::FirstSegment(std::vector<Expr>& segments) {
  const std::size_t begin = s_.pos();
  if (s_.Take('@')) {
    const std::size_t length = s_.IdentifierLength(s_.pos());
    if (length > 0 && s_.Peek(length) != '.') {
      TABLECAST_ASSIGN_OR_RETURN(const std::string_view name,
                                 s_.TakeIdentifier("a parameter alias"));
      TABLECAST_ASSIGN_OR_RETURN(Expr alias,
                                 Finish(Node(ExprKind::kAlias, std::string(name)), begin));
      segments.push_back(std::move(alias));
      return {};
    }
    TABLECAST_ASSIGN_OR_RETURN(Expr annotation, AnnotationSegment(begin));
    segments.push_back(std::move(annotation));
    return {};
  }
  if (s_.Take('$')) {
    std::optional<ExprKind> kind;
    if (s_.TakeWord("it"))
      kind = ExprKind::kIt;
    else if (s_.TakeWord("this"))
      kind = ExprKind::kThis;
    else if (s_.TakeWord("root"))
      kind = ExprKind::kRoot;
    else if (s_.TakeWord("these"))
      kind = ExprKind::kThese;
    if (!kind) {
      s_.Seek(begin);
      return s_.Expected("$it, $this, $root or a name");
    }
    TABLECAST_ASSIGN_OR_RETURN(Expr root, Finish(Node(*kind), begin));
    segments.push_back(std::move(root));
    return {};
  }
  return NameSegment(segments, /*first=*/true);
}

Status ExpressionParser::NextSegment(std::vector<Expr>& segments) {
  const std::size_t begin = s_.pos();
  if (s_.Take('@')) {
    TABLECAST_ASSIGN_OR_RETURN(Expr annotation, AnnotationSegment(begin));
    segments.push_back(std::move(annotation));
    return {};
  }
  if (s_.Take('$')) {
    if (s_.TakeWord("count")) {
      TABLECAST_ASSIGN_OR_RETURN(Expr count, CountSegment(begin));
      segments.push_back(std::move(count));
      return {};
    }
    if (s_.TakeWord("filter") && s_.Take('(')) {
      const DepthGuard depth(s_);
      TABLECAST_RETURN_IF_ERROR(depth.Check());
      s_.SkipBlanks();
      Expr filter = Node(ExprKind::kFilterSegment);
      TABLECAST_ASSIGN_OR_RETURN(Expr condition, Expression());
      filter.args.push_back(std::move(condition));
      s_.SkipBlanks();
      if (!s_.Take(')')) return s_.Expected("')'");
      TABLECAST_ASSIGN_OR_RETURN(filter, Finish(std::move(filter), begin));
      segments.push_back(std::move(filter));
      return {};
    }
    s_.Seek(begin);
    return s_.Expected("a name, $count or $filter(...)");
  }
  const std::string_view word = s_.PeekWord();
  if (s_.Peek(word.size()) == '(') {
    std::optional<ExprKind> kind;
    if (EqualsAnyCase(word, "any")) kind = ExprKind::kAny;
    if (EqualsAnyCase(word, "all")) kind = ExprKind::kAll;
    if (EqualsAnyCase(word, "aggregate")) kind = ExprKind::kAggregate;
    if (kind) {
      s_.Advance(word.size() + 1);
      TABLECAST_ASSIGN_OR_RETURN(Expr segment, *kind == ExprKind::kAggregate
                                                   ? AggregateSegment(begin)
                                                   : LambdaSegment(begin, *kind));
      segments.push_back(std::move(segment));
      return {};
    }
  }
  return NameSegment(segments, /*first=*/false);
}

Status ExpressionParser::NameSegment(std::vector<Expr>& segments, bool first) {
  const std::size_t begin = s_.pos();
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view taken,
                             s_.TakeIdentifier("a name", /*dots=*/true));
  std::string name(taken);
  const bool qualified = name.find('.') != std::string::npos;
  Expr segment = Node(qualified ? ExprKind::kQualifiedName : ExprKind::kName, name);
  const std::size_t bracket = s_.pos();
  if (s_.Peek() != '(') {
    TABLECAST_ASSIGN_OR_RETURN(segment, Finish(std::move(segment), begin));
    segments.push_back(std::move(segment));
    return {};
  }
  bool named = false;
  TABLECAST_ASSIGN_OR_RETURN(std::vector<Expr> arguments, Arguments(&named));
  if (!named && !arguments.empty()) {
    // Items('x')/PRICE: a key. Without anything behind, f('x') is rather a misspelt function.
    const bool key = arguments.size() == 1 && IsKeyValue(arguments[0]) &&
                     !(first && !qualified && s_.Peek() != '/');
    if (!key) return UnknownFunction(s_, begin, name);
  }
  const bool function = named || arguments.empty();
  if (function) {
    segment.kind = ExprKind::kFunction;
    segment.args = std::move(arguments);
    TABLECAST_ASSIGN_OR_RETURN(segment, Finish(std::move(segment), begin));
    segments.push_back(std::move(segment));
    if (s_.Peek() != '(') return {};
  } else {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    segment.at = s_.SpanFrom(begin);
    segments.push_back(std::move(segment));
  }
  // The key, either read already or in a second bracket: Ns.Function(p=1)('key').
  const std::size_t key_begin = function ? s_.pos() : bracket;
  Expr key = Node(ExprKind::kKey);
  if (function) {
    TABLECAST_ASSIGN_OR_RETURN(arguments, Arguments(&named));
    if (arguments.empty() || (!named && (arguments.size() != 1 || !IsKeyValue(arguments[0])))) {
      return s_.FailAt(key_begin, "literal-invalid",
                       "a key is one value or a list of named values");
    }
  }
  key.args = std::move(arguments);
  TABLECAST_ASSIGN_OR_RETURN(key, Finish(std::move(key), key_begin));
  segments.push_back(std::move(key));
  return {};
}

// The entity set or singleton after $root/, with a key in any form.
Status ExpressionParser::AfterRoot(std::vector<Expr>& segments) {
  const std::size_t begin = s_.pos();
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view name,
                             s_.TakeIdentifier("an entity set or singleton"));
  TABLECAST_ASSIGN_OR_RETURN(Expr set, Finish(Node(ExprKind::kName, std::string(name)), begin));
  segments.push_back(std::move(set));
  if (s_.Peek() != '(') return {};
  const std::size_t key_begin = s_.pos();
  bool named = false;
  Expr key = Node(ExprKind::kKey);
  TABLECAST_ASSIGN_OR_RETURN(key.args, Arguments(&named));
  if (key.args.empty() || (!named && (key.args.size() != 1 || !IsKeyValue(key.args[0])))) {
    return s_.FailAt(key_begin, "literal-invalid", "a key is one value or a list of named values");
  }
  TABLECAST_ASSIGN_OR_RETURN(key, Finish(std::move(key), key_begin));
  segments.push_back(std::move(key));
  return {};
}

// (p=1,q=@x), ('key'), (); the scanner stands on the bracket.
Result<std::vector<Expr>> ExpressionParser::Arguments(bool* named) {
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.Advance(1);
  s_.SkipBlanks();
  std::vector<Expr> arguments;
  *named = false;
  if (s_.Take(')')) return arguments;
  do {
    const std::size_t begin = s_.pos();
    const std::size_t length = s_.IdentifierLength(begin);
    const bool has_name = length > 0 && s_.Peek(length) == '=';
    if (!arguments.empty() && has_name != *named) {
      return s_.Fail("named and unnamed parameters cannot be mixed");
    }
    *named = has_name;
    if (has_name) {
      TABLECAST_ASSIGN_OR_RETURN(const std::string_view name,
                                 s_.TakeIdentifier("a parameter name"));
      s_.Advance(1);
      Expr argument = Node(ExprKind::kNamedArgument, std::string(name));
      TABLECAST_ASSIGN_OR_RETURN(Expr value, Expression());
      argument.args.push_back(std::move(value));
      TABLECAST_ASSIGN_OR_RETURN(argument, Finish(std::move(argument), begin));
      arguments.push_back(std::move(argument));
    } else {
      TABLECAST_ASSIGN_OR_RETURN(Expr value, Expression());
      arguments.push_back(std::move(value));
    }
  } while (s_.TakeSeparator(','));
  s_.SkipBlanks();
  if (!s_.Take(')')) return s_.Expected("',' or ')'");
  return arguments;
}

// Ns.Term or Ns.Term#Qualifier; the scanner stands behind the '@'.
Result<Expr> ExpressionParser::AnnotationSegment(std::size_t begin) {
  const std::size_t name_begin = s_.pos();
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view term,
                             s_.TakeIdentifier("an annotation term", /*dots=*/true));
  if (term.find('.') == std::string_view::npos) {
    return s_.FailAt(name_begin, "filter-syntax",
                     "an annotation is named with its namespace: @Ns.Term");
  }
  if (s_.Take('#')) TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("a qualifier"));
  return Finish(Node(ExprKind::kAnnotation, std::string(s_.Text(name_begin, s_.pos()))), begin);
}

// The scanner stands behind "$count".
Result<Expr> ExpressionParser::CountSegment(std::size_t begin) {
  Expr count = Node(ExprKind::kCount);
  if (s_.Take('(')) {
    const DepthGuard depth(s_);
    TABLECAST_RETURN_IF_ERROR(depth.Check());
    do {
      TABLECAST_ASSIGN_OR_RETURN(Expr option, CountOption());
      for (const Expr& other : count.args) {
        if (other.text == option.text) {
          return s_.FailAt(begin, "option-duplicate", option.text + " stands twice in $count(...)");
        }
      }
      count.args.push_back(std::move(option));
    } while (s_.TakeSeparator(';'));
    s_.SkipBlanks();
    if (!s_.Take(')')) return s_.Expected("';' or ')'");
  }
  return Finish(std::move(count), begin);
}

Result<Expr> ExpressionParser::CountOption() {
  const std::size_t begin = s_.pos();
  s_.Take('$');
  if (s_.TakeWord("filter")) {
    if (!s_.Take('=')) return s_.Expected("'='");
    s_.SkipBlanks();
    Expr option = Node(ExprKind::kCountOption, "$filter");
    TABLECAST_ASSIGN_OR_RETURN(Expr condition, Expression());
    option.args.push_back(std::move(condition));
    return Finish(std::move(option), begin);
  }
  if (s_.TakeWord("search")) {
    if (!s_.Take('=')) return s_.Expected("'='");
    const Scanner::Scope scope(s_, "$search");
    Expr option = Node(ExprKind::kCountOption, "$search");
    TABLECAST_ASSIGN_OR_RETURN(const Search search, ParseSearch(s_));
    option.name = ToString(search);
    return Finish(std::move(option), begin);
  }
  return s_.Expected("$filter or $search");
}

// The scanner stands behind "any(".
Result<Expr> ExpressionParser::LambdaSegment(std::size_t begin, ExprKind kind) {
  const DepthGuard depth(s_);
  TABLECAST_RETURN_IF_ERROR(depth.Check());
  s_.SkipBlanks();
  Expr lambda = Node(kind);
  if (kind == ExprKind::kAny && s_.Take(')')) return Finish(std::move(lambda), begin);
  TABLECAST_ASSIGN_OR_RETURN(const std::string_view variable,
                             s_.TakeIdentifier("a lambda variable"));
  lambda.text = std::string(variable);
  if (!s_.TakeSeparator(':')) return s_.Expected("':' after the lambda variable");
  TABLECAST_ASSIGN_OR_RETURN(Expr predicate, Expression());
  lambda.args.push_back(std::move(predicate));
  s_.SkipBlanks();
  if (!s_.Take(')')) return s_.Expected("')'");
  return Finish(std::move(lambda), begin);
}

// The scanner stands behind "aggregate(".
Result<Expr> ExpressionParser::AggregateSegment(std::size_t begin) {
  Expr aggregate = Node(ExprKind::kAggregate);
  TABLECAST_ASSIGN_OR_RETURN(aggregate.name, TakeBalanced(s_));
  s_.Take(')');
  return Finish(std::move(aggregate), begin);
}

}  // namespace tablecast::syntax
