#include "odata/resource_path_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "odata/filter_parser.h"
#include "odata/literal_parser.h"

// IMPLEMENTATION: each raw segment is decoded once and read by itself; a second look checks what
// may follow what. SOURCE: OData 4.01 ABNF, resourcePath; key-as-segment: URL Conventions 4.3.5.
// Tested by uri_parser_test.cc and tests/odata/grammar/uri.tsv.

namespace tablecast::syntax {
namespace {

using Kind = PathSegment::Kind;

constexpr std::size_t kMaxPathArguments =
    100;  // between two brackets; keeps the search for twins cheap

struct SystemSegment {
  std::string_view name;
  Kind kind;
  bool first;     // stands at the beginning of a path, else never there
  bool brackets;  // has a bracket of its own kind
};
constexpr SystemSegment kSystemSegments[] = {
    {"$metadata", Kind::kMetadata, true, false},  {"$batch", Kind::kBatch, true, false},
    {"$entity", Kind::kEntity, true, false},      {"$all", Kind::kAll, true, false},
    {"$crossjoin", Kind::kCrossJoin, true, true}, {"$value", Kind::kValue, false, false},
    {"$count", Kind::kCount, false, false},       {"$ref", Kind::kRef, false, false},
    {"$each", Kind::kEach, false, false},         {"$query", Kind::kQuery, false, false},
    {"$filter", Kind::kFilter, false, true},
};

const SystemSegment* FindSystemSegment(std::string_view name) {
  for (const SystemSegment& segment : kSystemSegments) {
    if (EqualsAnyCase(segment.name, name)) return &segment;
  }
  return nullptr;
}

// One key value or parameter value: a literal or an alias.
Result<Expr> TakeArgumentValue(Scanner& s) {
  if (s.Peek() == '@') {
    const std::size_t begin = s.pos();
    s.Advance(1);
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s.TakeIdentifier("a parameter alias"));
    TABLECAST_RETURN_IF_ERROR(s.Charge(2));
    Expr alias;
    alias.kind = ExprKind::kAlias;
    alias.text = std::string(name);
    alias.at = s.SpanFrom(begin);
    Expr path;
    path.kind = ExprKind::kPath;
    path.text = "@" + alias.text;
    path.at = alias.at;
    path.height = 2;
    path.args.push_back(std::move(alias));
    return path;
  }
  TABLECAST_ASSIGN_OR_RETURN(std::optional<Expr> literal, TakeLiteral(s));
  if (!literal) return s.Expected("a literal or a parameter alias");
  TABLECAST_RETURN_IF_ERROR(s.Charge());
  return *std::move(literal);
}

// 'a' or pk='a',sk=@s up to, not including, the closing bracket or the end.
Result<std::vector<PathArgument>> TakeArguments(Scanner& s) {
  std::vector<PathArgument> arguments;
  s.SkipBlanks();
  if (s.AtEnd() || s.Peek() == ')') return arguments;
  do {
    const std::size_t begin = s.pos();
    PathArgument argument;
    const std::size_t length = s.IdentifierLength(begin);
    if (length > 0 && s.Peek(length) == '=') {
      TABLECAST_ASSIGN_OR_RETURN(const std::string_view name, s.TakeIdentifier("a name"));
      argument.name = std::string(name);
      s.Advance(1);
    } else if (!arguments.empty()) {
      return s.Expected("a name and '=': only a single key value stands without its name");
    }
    if (!arguments.empty() && arguments.front().name.empty()) {
      s.Seek(begin);
      return s.Fail("several key values are given with their names");
    }
    TABLECAST_ASSIGN_OR_RETURN(argument.value, TakeArgumentValue(s));
    argument.at = s.SpanFrom(begin);
    for (const PathArgument& other : arguments) {
      if (other.name == argument.name)
        return s.FailAt(begin, "path-syntax", "'" + argument.name + "' stands twice");
    }
    if (arguments.size() == kMaxPathArguments) return s.Fail("too many values between brackets");
    arguments.push_back(std::move(argument));
  } while (s.TakeSeparator(','));
  s.SkipBlanks();
  return arguments;
}

class SegmentReader {
 public:
  SegmentReader(const DecodedText& decoded, std::string_view raw, Budget& budget)
      : s_(decoded, budget, "path"), decoded_(decoded), raw_(raw) {}

  Result<PathSegment> Read(bool first, bool key_may_follow) {
    TABLECAST_RETURN_IF_ERROR(s_.Charge());
    PathSegment segment;
    segment.decoded = decoded_.text;
    if (s_.Peek() == '$') {
      const std::size_t end = std::min(decoded_.text.find('('), decoded_.text.size());
      const std::string_view name = std::string_view(decoded_.text).substr(0, end);
      const SystemSegment* system = FindSystemSegment(name);
      // %24x is text; a bare $x or a known name is a system segment.
      if (system != nullptr || raw_.starts_with('$')) {
        if (system == nullptr || system->first != first) return Unknown(name, system != nullptr);
        segment.kind = system->kind;
        segment.text = std::string(system->name);
        s_.Advance(name.size());
        TABLECAST_RETURN_IF_ERROR(SystemBrackets(*system, segment));
        if (!s_.AtEnd()) return s_.Expected("the end of the segment");
        segment.at = s_.SpanFrom(0);
        return segment;
      }
    }
    if (s_.IdentifierLength(0) > 0) {
      Result<bool> named = Name(segment);
      if (named.ok() && *named) {
        if (first && segment.kind == Kind::kQualifiedName) {
          return s_.FailAt(0, "path-syntax",
                           "a path begins with a set, a singleton or an import, not with '" +
                               segment.text + "'");
        }
        return segment;
      }
      // Smith(Bob) may still be a key written as segment; with a quote it is a broken key
      // predicate.
      const bool plain =
          decoded_.text.ends_with(')') && decoded_.text.find('\'') == std::string::npos;
      const bool text =
          key_may_follow &&
          (named.ok() || (plain && named.error().code == ErrorCode::kInvalidArgument));
      if (!text && !named.ok()) return std::move(named).error();
    }
    if (!key_may_follow) {
      s_.Seek(0);
      return s_.Fail("'" + decoded_.text.substr(0, 64) + "' is no name, and no key may stand here");
    }
    s_.Seek(decoded_.text.size());
    segment.kind = Kind::kText;
    segment.text = decoded_.text;
    segment.arguments.reset();
    segment.key.reset();
    segment.at = s_.SpanFrom(0);
    return segment;
  }

 private:
  Error Unknown(std::string_view name, bool misplaced) const {
    return s_.FailAt(0, "segment-unknown",
                     misplaced ? std::string(name) + " may not stand here"
                               : "there is no system segment '" + std::string(name) + "'");
  }

  Status SystemBrackets(const SystemSegment& system, PathSegment& segment) {
    if (!system.brackets) return {};
    if (!s_.Take('(')) return s_.Expected("'('");
    s_.SkipBlanks();
    if (system.kind == Kind::kFilter) {
      TABLECAST_ASSIGN_OR_RETURN(segment.filter, ParseExpression(s_));
    } else {
      do {
        TABLECAST_ASSIGN_OR_RETURN(const std::string_view set, s_.TakeIdentifier("an entity set"));
        segment.sets.emplace_back(set);
        TABLECAST_RETURN_IF_ERROR(s_.Charge());
      } while (s_.TakeSeparator(','));
    }
    s_.SkipBlanks();
    if (!s_.Take(')')) return s_.Expected("')'");
    return {};
  }

  // Name, Ns.Name, with up to two brackets; false when something else follows the name (a-b).
  Result<bool> Name(PathSegment& segment) {
    TABLECAST_ASSIGN_OR_RETURN(const std::string_view name,
                               s_.TakeIdentifier("a name", /*dots=*/true));
    segment.text = std::string(name);
    segment.kind = name.find('.') == std::string_view::npos ? Kind::kName : Kind::kQualifiedName;
    if (!s_.AtEnd() && s_.Peek() != '(') return false;
    if (s_.Take('(')) {
      TABLECAST_ASSIGN_OR_RETURN(segment.arguments, TakeArguments(s_));
      if (!s_.Take(')')) return s_.Expected("',' or ')'");
    }
    if (s_.Take('(')) {
      const bool call = segment.arguments->empty() || !segment.arguments->front().name.empty();
      if (!call) return s_.Fail("a key follows a key");
      TABLECAST_ASSIGN_OR_RETURN(segment.key, TakeArguments(s_));
      if (segment.key->empty()) return s_.Expected("a key");
      if (!s_.Take(')')) return s_.Expected("',' or ')'");
    }
    if (!s_.AtEnd()) return s_.Expected("the end of the segment");
    segment.at = s_.SpanFrom(0);
    return true;
  }

  Scanner s_;
  const DecodedText& decoded_;
  std::string_view raw_;
};

// True when `segment` surely leads to one entity: Orders('1').
bool HasKey(const PathSegment& segment) {
  if (segment.key) return true;
  return segment.arguments && !segment.arguments->empty() &&
         segment.arguments->front().name.empty();
}

bool IsName(const PathSegment& segment) {
  return segment.kind == Kind::kName || segment.kind == Kind::kQualifiedName;
}

// Whether the segment after `previous` may be a key written as segment.
bool KeyMayFollow(const std::vector<PathSegment>& segments) {
  if (segments.empty()) return false;
  const PathSegment& previous = segments.back();
  return previous.kind == Kind::kText || (IsName(previous) && !HasKey(previous));
}

// "" when `next` may follow `previous`, else why not.
std::string WhyNot(const std::vector<PathSegment>& segments, const PathSegment& next) {
  if (segments.empty()) return {};
  const PathSegment& previous = segments.back();
  switch (previous.kind) {
    case Kind::kMetadata:
    case Kind::kBatch:
    case Kind::kQuery: return "nothing may follow " + previous.text;
    case Kind::kValue:
    case Kind::kCount:
    case Kind::kRef:
    case Kind::kCrossJoin:
      return next.kind == Kind::kQuery ? "" : "nothing may follow " + previous.text;
    case Kind::kEntity:
    case Kind::kAll:
      return next.kind == Kind::kQualifiedName || next.kind == Kind::kQuery
                 ? ""
                 : "only a type cast may follow " + previous.text;
    default: break;
  }
  const Kind first = segments.front().kind;
  if ((first == Kind::kEntity || first == Kind::kAll) && next.kind != Kind::kQuery) {
    return "nothing may follow a type cast of " + segments.front().text;
  }
  const bool collection_only =
      next.kind == Kind::kCount || next.kind == Kind::kFilter || next.kind == Kind::kEach;
  if (collection_only && HasKey(previous))
    return next.text + " stands behind a collection, not behind a key";
  if (collection_only && next.kind != Kind::kCount && previous.kind == Kind::kEach) {
    return next.text + " may not follow $each";
  }
  return {};
}

}  // namespace

Result<ResourcePath> ParseResourcePathAt(std::string_view path, std::size_t base,
                                         const QueryParseOptions& options, Budget& budget) {
  ResourcePath parsed;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view raw = path.substr(begin, end - begin);
    auto decoded = DecodeText(raw, base + begin, PlusSign::kPlus, options.positions);
    if (!decoded.ok()) {
      Error error = std::move(decoded).error();
      error.target = "path";
      if (options.positions == Positions::kValue) error.position.offset -= base + begin;
      return error;
    }
    const std::size_t bare = raw.find_first_of(std::string_view(" \t\r\n\0", 5));
    if (raw.empty() || bare != std::string_view::npos) {
      return Scanner(*decoded, budget, "path")
          .FailAt(
              0, "path-syntax",
              raw.empty() ? "a segment of the path is empty" : "a blank in a path is written %20");
    }
    SegmentReader reader(*decoded, raw, budget);
    TABLECAST_ASSIGN_OR_RETURN(PathSegment segment,
                               reader.Read(parsed.segments.empty(), KeyMayFollow(parsed.segments)));
    if (std::string why = WhyNot(parsed.segments, segment); !why.empty()) {
      return Scanner(*decoded, budget, "path").FailAt(0, "path-syntax", std::move(why));
    }
    parsed.segments.push_back(std::move(segment));
    if (end < path.size() && end + 1 == path.size()) parsed.trailing_slash = true;
    begin = end + 1;
  }
  return parsed;
}

Result<std::vector<PathArgument>> ParseKeyPredicate(std::string_view text) {
  const SyntaxLimits limits;
  return ParseAll(text, limits, "path", [](Scanner& s) { return TakeArguments(s); });
}

}  // namespace tablecast::syntax
