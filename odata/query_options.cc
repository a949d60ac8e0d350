#include "odata/query_options.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "odata/apply_parser.h"
#include "odata/expand_parser.h"
#include "odata/filter_parser.h"
#include "odata/nested_options.h"
#include "odata/percent_decoding.h"
#include "odata/query_options_parser.h"
#include "odata/search_parser.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: splits first, decodes each name and value once, then hands the value to the
// option's parser with one budget for the whole query. SOURCE: OData 4.01 ABNF, queryOptions.
// Tested by query_options_test.cc.

namespace tablecast::syntax {
namespace {

constexpr std::string_view kSystemOptions[] = {
    "$apply",  "$compute", "$count", "$deltatoken", "$expand",  "$filter",
    "$format", "$id",      "$index", "$levels",     "$orderby", "$schemaversion",
    "$search", "$select",  "$skip",  "$skiptoken",  "$top",
};

// Token characters of RFC 7231.
bool IsMediaTypeToken(std::string_view text) {
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsAsciiLetter(c) || IsDigit(c) ||
           std::string_view("!#$&-^_.+*").find(c) != std::string_view::npos;
  });
}

Result<Format> ReadFormat(Scanner& s) {
  const std::size_t begin = s.pos();
  Format format;
  format.media_type = std::string(s.Rest());
  const std::string_view type = s.Rest();
  s.Advance(type.size());
  if (EqualsAnyCase(type, "json")) return format;
  if (EqualsAnyCase(type, "xml")) {
    format.kind = Format::Kind::kXml;
    return format;
  }
  if (EqualsAnyCase(type, "atom")) {
    format.kind = Format::Kind::kAtom;
    return format;
  }
  format.kind = Format::Kind::kMediaType;
  const std::size_t slash = type.find('/');
  const std::size_t end = std::min(type.find(';'), type.size());
  if (slash == std::string_view::npos || slash > end || !IsMediaTypeToken(type.substr(0, slash)) ||
      !IsMediaTypeToken(type.substr(
          slash + 1, type.substr(slash + 1, end - slash - 1).find_last_not_of(" \t") + 1))) {
    return s.FailAt(begin, "option-value", "expected json, xml, atom or a media type");
  }
  return format;
}

Result<std::int64_t> ReadIndex(Scanner& s) {
  const bool negative = s.Take('-');
  TABLECAST_ASSIGN_OR_RETURN(const std::uint64_t value, TakeUnsigned(s));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto magnitude = static_cast<std::int64_t>(std::min(value, kMost));
  return negative ? -magnitude : magnitude;
}

Result<std::string> ReadText(Scanner& s) {
  if (s.AtEnd()) return s.FailAt(s.pos(), "option-value", "the value is empty");
  std::string text(s.Rest());
  s.Advance(text.size());
  return text;
}

Result<std::string> ReadSchemaVersion(Scanner& s) {
  const std::size_t begin = s.pos();
  TABLECAST_ASSIGN_OR_RETURN(std::string text, ReadText(s));
  const bool valid =
      text == "*" || std::all_of(text.begin(), text.end(), [](char c) {
        return IsAsciiLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
      });
  if (!valid)
    return s.FailAt(begin, "option-value", "expected '*' or a version of letters, digits, - . _ ~");
  return text;
}

// Parses the value of one system option into its member.
class SystemOptionReader {
 public:
  SystemOptionReader(const DecodedText& value, Budget& budget, std::string_view option)
      : value_(value), budget_(budget), option_(option) {}

  template <class Target, class Parse>
  Status Into(Target& target, Parse parse) {
    auto tree = ParseAll(value_, budget_, option_, parse);
    if (!tree.ok()) return std::move(tree).error();
    target = *std::move(tree);
    return {};
  }

  // Values that are no trees: the blanks around them count.
  template <class Target, class Read>
  Status Plain(Target& target, Read read) {
    Scanner scanner(value_, budget_, option_);
    auto result = read(scanner);
    if (!result.ok()) return std::move(result).error();
    if (!scanner.AtEnd())
      return scanner.FailAt(scanner.pos(), "option-value", "unexpected " + scanner.Found());
    target = *std::move(result);
    return {};
  }

 private:
  const DecodedText& value_;
  Budget& budget_;
  std::string_view option_;
};

Status ReadSystemOption(const DecodedText& value, Budget& budget, const std::string& name,
                        QueryOptions& out) {
  SystemOptionReader reader(value, budget, name);
  if (name == "$filter")
    return reader.Into(out.filter, [](Scanner& s) { return ParseExpression(s); });
  if (name == "$search") return reader.Into(out.search, [](Scanner& s) { return ParseSearch(s); });
  if (name == "$apply") return reader.Into(out.apply, [](Scanner& s) { return ParseApply(s); });
  if (name == "$orderby")
    return reader.Into(out.order_by, [](Scanner& s) { return ParseOrderBy(s); });
  if (name == "$compute")
    return reader.Into(out.compute, [](Scanner& s) { return ParseCompute(s); });
  if (name == "$select") return reader.Into(out.select, [](Scanner& s) { return ParseSelect(s); });
  if (name == "$expand") return reader.Into(out.expand, [](Scanner& s) { return ParseExpand(s); });
  if (name == "$top") return reader.Plain(out.top, TakeUnsigned);
  if (name == "$skip") return reader.Plain(out.skip, TakeUnsigned);
  if (name == "$count") return reader.Plain(out.count, TakeBoolean);
  if (name == "$levels") return reader.Plain(out.levels, TakeLevels);
  if (name == "$index") return reader.Plain(out.index, ReadIndex);
  if (name == "$format") return reader.Plain(out.format, ReadFormat);
  if (name == "$schemaversion") return reader.Plain(out.schema_version, ReadSchemaVersion);
  if (name == "$id") return reader.Plain(out.id, ReadText);
  if (name == "$skiptoken") return reader.Plain(out.skip_token, ReadText);
  return reader.Plain(out.delta_token, ReadText);  // $deltatoken, the last
}

Error OptionError(std::string_view reason, std::string message, std::string target,
                  std::size_t offset) {
  TextPosition position;
  position.offset = offset;
  return MakeError(ErrorCode::kInvalidArgument, std::string(reason), std::move(message),
                   std::move(target), {}, position);
}

// An option name that cannot be decoded, fit for an error: as it was sent, cut short.
std::string PrintableName(std::string_view raw) {
  constexpr std::size_t kShown = 64;
  std::string shown;
  for (const char c : raw.substr(0, kShown)) shown += c > ' ' && c < '\x7F' ? c : '?';
  return shown;
}

// A pair "name=value" of the query at `base`.
class OptionPair {
 public:
  static Status Read(std::string_view pair, std::size_t base, const QueryParseOptions& options,
                     Budget& budget, QueryOptions& out) {
    const std::size_t equals = pair.find('=');
    const std::string_view raw_name = pair.substr(0, equals);
    const std::string_view raw_value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    const std::size_t value_base =
        base + (equals == std::string_view::npos ? pair.size() : equals + 1);
    auto decoded_name = DecodeText(raw_name, base, options.plus, options.positions);
    if (!decoded_name.ok()) {
      Error error = decoded_name.error();
      error.target = PrintableName(raw_name);
      return error;
    }
    const DecodedText name = *std::move(decoded_name);
    const auto system = CanonicalOptionName(name.text);
    std::string target = system ? *system : name.text;
    const std::size_t name_at = options.positions == Positions::kText ? base : 0;
    if (!system && (name.text.empty() || name.text.front() == '$')) {
      return OptionError("option-unknown",
                         name.text.empty() ? "an option has no name"
                                           : "there is no system query option '" + name.text + "'",
                         std::move(target), name_at);
    }
    auto decoded = DecodeText(raw_value, value_base, options.plus, options.positions);
    if (!decoded.ok()) {
      Error error = std::move(decoded).error();
      error.target = std::move(target);
      if (options.positions == Positions::kValue) error.position.offset -= value_base;
      return error;
    }
    const DecodedText& value = *decoded;
    const Span at{name.Where(0), value.Where(value.text.size())};
    if (system) {
      if (out.Has(*system)) {
        return OptionError("option-duplicate",
                           *system + " stands twice (with or without $, in any case)",
                           std::move(target), name_at);
      }
      if (equals == std::string_view::npos) {
        return OptionError("option-value", *system + " has no value", std::move(target), name_at);
      }
      TABLECAST_RETURN_IF_ERROR(ReadSystemOption(value, budget, *system, out));
      out.system_options.push_back(*system);
      out.system_option_spans.push_back(at);
      return {};
    }
    if (name.text.front() == '@') {
      if (!IsIdentifier(std::string_view(name.text).substr(1)) ||
          equals == std::string_view::npos) {
        return OptionError("option-value", "a parameter alias is written @name=value",
                           std::move(target), name_at);
      }
      return ReadAlias(name, value, budget, out);
    }
    out.custom.push_back({name.text, value.text, at});
    return {};
  }

 private:
  static Status ReadAlias(const DecodedText& name, const DecodedText& value, Budget& budget,
                          QueryOptions& out) {
    TABLECAST_RETURN_IF_ERROR(Scanner(value, budget, name.text).ChargeAlias());
    AliasValue alias;
    alias.name = name.text.substr(1);
    if (out.FindAlias(alias.name) != nullptr) {
      return OptionError("option-duplicate", name.text + " stands twice", name.text, name.Where(0));
    }
    SystemOptionReader reader(value, budget, name.text);
    TABLECAST_RETURN_IF_ERROR(
        reader.Into(alias.value, [](Scanner& s) { return ParseExpression(s); }));
    alias.at = {name.Where(0), value.Where(value.text.size())};
    out.aliases.push_back(std::move(alias));
    return {};
  }
};

}  // namespace

const Expr* QueryOptions::FindAlias(std::string_view name) const {
  for (const AliasValue& alias : aliases) {
    if (alias.name == name) return &alias.value;
  }
  return nullptr;
}

const CustomOption* QueryOptions::FindCustom(std::string_view name) const {
  for (const CustomOption& option : custom) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

bool QueryOptions::Has(std::string_view system_option) const {
  return std::find(system_options.begin(), system_options.end(), system_option) !=
         system_options.end();
}

std::optional<std::string> CanonicalOptionName(std::string_view name) {
  if (!name.empty() && name.front() == '$') name.remove_prefix(1);
  for (const std::string_view option : kSystemOptions) {
    if (EqualsAnyCase(option.substr(1), name)) return std::string(option);
  }
  return std::nullopt;
}

Result<QueryOptions> ParseQueryOptionsAt(std::string_view query, std::size_t base,
                                         const QueryParseOptions& options, Budget& budget) {
  QueryOptions out;
  if (query.size() > options.limits.max_url_bytes) {
    Error error =
        OptionError("url-too-long",
                    "the query is longer than " + std::to_string(options.limits.max_url_bytes) +
                        " bytes (limit max_url_bytes)",
                    {}, base);
    error.code = ErrorCode::kResourceExhausted;
    return error;
  }
  std::size_t begin = 0;
  while (begin <= query.size()) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view pair = query.substr(begin, end - begin);
    if (!pair.empty()) {
      TABLECAST_RETURN_IF_ERROR(OptionPair::Read(pair, base + begin, options, budget, out));
    } else if (!options.allow_empty_options) {
      return OptionError("option-empty", "an option is empty", {}, base + begin);
    }
    begin = end + 1;
  }
  return out;
}

Result<QueryOptions> ParseQueryOptions(std::string_view query, const QueryParseOptions& options) {
  if (query.empty()) return QueryOptions();
  Budget budget(options.limits);
  return ParseQueryOptionsAt(query, 0, options, budget);
}

}  // namespace tablecast::syntax
