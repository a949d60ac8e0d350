#include "odata/uri_parser.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "odata/context_fragment.h"
#include "odata/percent_decoding.h"
#include "odata/query_options_parser.h"
#include "odata/resource_path_parser.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: cuts a URI into root, path, query and fragment by its raw characters and checks
// what the parts allow together. Segments are read in resource_path_parser.cc. SOURCE: OData 4.01
// ABNF, odataUri. Tested by uri_parser_test.cc.

namespace tablecast::syntax {
namespace {

Error UriError(std::string_view reason, std::string message, std::size_t offset) {
  TextPosition position;
  position.offset = offset;
  return MakeError(ErrorCode::kInvalidArgument, std::string(reason), std::move(message), "path", {},
                   position);
}

// Length of "https://host:443" at the beginning of `text`, 0 when it is relative.
Result<std::size_t> OriginLength(std::string_view text) {
  std::size_t scheme = 0;
  if (EqualsAnyCase(text.substr(0, 7), "http://")) scheme = 7;
  if (EqualsAnyCase(text.substr(0, 8), "https://")) scheme = 8;
  if (scheme == 0) return std::size_t{0};
  const std::size_t end = std::min(text.find_first_of("/?#", scheme), text.size());
  std::string_view authority = text.substr(scheme, end - scheme);
  const std::size_t port =
      authority.find(':', authority.find(']') == std::string_view::npos ? 0 : authority.find(']'));
  if (port != std::string_view::npos) {
    const std::string_view digits = authority.substr(port + 1);
    if (!std::all_of(digits.begin(), digits.end(), IsDigit)) {
      return UriError("uri-syntax", "the port is no number", scheme + port + 1);
    }
    authority = authority.substr(0, port);
  }
  if (authority.empty() || authority.find_first_of(" \t@\\\"<>^`{|}") != std::string_view::npos) {
    return UriError("uri-syntax", "the URI has no valid host", scheme);
  }
  return end;
}

// How many of the first path segments of an absolute URI are tried as part of the service root.
constexpr std::size_t kMaxRootSegments = 8;

// Length of the configured path prefix at the beginning of an absolute URI's path, else nothing.
std::optional<std::size_t> ConfiguredRoot(std::string_view path, std::string_view configured) {
  if (configured.empty()) return std::nullopt;
  if (path.starts_with(configured)) return configured.size();
  if (configured.ends_with('/') && path == configured.substr(0, configured.size() - 1))
    return path.size();
  return std::nullopt;
}

// "b" of "/a/b/".
std::string_view LastSegment(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

bool IsRootName(std::string_view segment) {
  return EqualsAnyCase(segment, "odata") || EqualsAnyCase(segment, "service") ||
         segment.ends_with(".svc");
}

// Lengths of path prefixes that may be the service root when nobody configured one: the likeliest
// first (behind a segment with a usual name), then from the host alone to longer ones.
std::vector<std::size_t> RootCandidates(std::string_view path) {
  std::vector<std::size_t> candidates;
  std::size_t begin = path.starts_with('/') ? 1 : 0;
  candidates.push_back(begin);
  while (begin < path.size() && candidates.size() < kMaxRootSegments) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::size_t next = std::min(end + 1, path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (IsRootName(segment)) {
      candidates.insert(candidates.begin(), next);
      break;
    }
    if (segment.empty() || next == path.size()) break;
    candidates.push_back(next);
    begin = next;
  }
  return candidates;
}

bool Allowed(const PathSegment& first, std::string_view option) {
  constexpr std::string_view kAlways[] = {"$format", "$schemaversion"};
  if (std::find(std::begin(kAlways), std::end(kAlways), option) != std::end(kAlways)) return true;
  if (first.kind != PathSegment::Kind::kEntity) return false;
  return option == "$id" || option == "$select" || option == "$expand";
}

// Reads root and path of a URI without query and fragment; `origin` is the length of scheme and
// host.
Status ReadPath(std::string_view text, std::size_t origin, const UriParseOptions& options,
                Budget& budget, Uri& uri) {
  if (origin == 0) {
    const std::size_t begin = text.starts_with('/') ? 1 : 0;
    TABLECAST_ASSIGN_OR_RETURN(
        uri.path, ParseResourcePathAt(text.substr(begin), begin, options.query, budget));
    return {};
  }
  const std::string_view path = text.substr(origin);
  const std::optional<std::size_t> configured = ConfiguredRoot(path, options.root_path);
  const std::vector<std::size_t> candidates =
      configured ? std::vector<std::size_t>{*configured} : RootCandidates(path);
  std::optional<Error> first_error;
  for (const std::size_t root : candidates) {
    const std::size_t begin = origin + root;
    Budget attempt = budget;
    Result<ResourcePath> parsed =
        ParseResourcePathAt(text.substr(begin), begin, options.query, attempt);
    if (parsed.ok()) {
      budget = attempt;
      uri.root = std::string(text.substr(0, begin));
      uri.path = *std::move(parsed);
      return {};
    }
    if (!first_error) first_error = std::move(parsed).error();
    if (IsRootName(LastSegment(text.substr(origin, root)))) break;
  }
  return *std::move(first_error);
}

// What $metadata, $batch and $entity take.
Status CheckOptions(const Uri& uri) {
  if (uri.path.segments.empty()) return {};
  const PathSegment& first = uri.path.segments.front();
  const bool special = first.kind == PathSegment::Kind::kMetadata ||
                       first.kind == PathSegment::Kind::kBatch ||
                       first.kind == PathSegment::Kind::kEntity;
  if (!special) return {};
  for (const std::string& option : uri.options.system_options) {
    if (Allowed(first, option)) continue;
    Error error =
        UriError("option-not-allowed", option + " may not be given with " + first.decoded, 0);
    error.target = option;
    return error;
  }
  if (first.kind == PathSegment::Kind::kEntity && !uri.options.id) {
    return UriError("entity-without-id", "$entity needs the query option $id", first.at.begin);
  }
  return {};
}

}  // namespace

Result<Uri> ParseUri(std::string_view text, const UriParseOptions& options) {
  if (text.size() > options.query.limits.max_url_bytes) {
    Error error =
        UriError("url-too-long",
                 "the URL is longer than " + std::to_string(options.query.limits.max_url_bytes) +
                     " bytes (limit max_url_bytes)",
                 0);
    error.code = ErrorCode::kResourceExhausted;
    return error;
  }
  Uri uri;
  TABLECAST_ASSIGN_OR_RETURN(const std::size_t origin, OriginLength(text));
  const std::size_t hash = text.find('#');
  const std::string_view before_fragment = text.substr(0, hash);
  const std::size_t question = before_fragment.find('?', origin);
  Budget budget(options.query.limits);
  TABLECAST_RETURN_IF_ERROR(
      ReadPath(before_fragment.substr(0, question), origin, options, budget, uri));
  if (question != std::string_view::npos) {
    TABLECAST_ASSIGN_OR_RETURN(
        uri.options, ParseQueryOptionsAt(before_fragment.substr(question + 1), question + 1,
                                         options.query, budget));
  }
  TABLECAST_RETURN_IF_ERROR(CheckOptions(uri));
  if (hash != std::string_view::npos) {
    if (uri.path.segments.empty() ||
        uri.path.segments.front().kind != PathSegment::Kind::kMetadata) {
      return UriError("uri-syntax", "a fragment may follow $metadata only", hash);
    }
    TABLECAST_ASSIGN_OR_RETURN(uri.fragment, ParseContextFragment(text.substr(hash + 1), hash + 1,
                                                                  options.query.positions, budget));
  }
  return uri;
}

Result<ResourcePath> ParseResourcePath(std::string_view path, const QueryParseOptions& options) {
  Budget budget(options.limits);
  return ParseResourcePathAt(path, 0, options, budget);
}

}  // namespace tablecast::syntax
