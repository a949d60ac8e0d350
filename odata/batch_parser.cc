#include "odata/batch_parser.h"

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "base/json_reader.h"
#include "odata/http_error.h"

namespace tablecast {

namespace {

Error Syntax(std::string message) {
  return MakeError(ErrorCode::kInvalidArgument, "batch-syntax", std::move(message));
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The boundary parameter of a multipart type, wherever it stands, quoted or not.
std::string BoundaryOf(std::string_view type) {
  for (std::size_t at = type.find(';'); at != std::string_view::npos; at = type.find(';', at + 1)) {
    std::string_view parameter = Trim(type.substr(at + 1, type.find(';', at + 1) - at - 1));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos || !EqualsIgnoreCase(Trim(parameter.substr(0, equals)), "boundary")) continue;
    std::string_view value = Trim(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "";
}

bool IsMultipart(std::string_view type) { return EqualsIgnoreCase(Trim(type.substr(0, type.find(';'))), "multipart/mixed"); }

// Cuts a multipart body at its boundary lines. Preamble and epilogue fall away; a missing closing line is taken.
Result<std::vector<std::string_view>> SplitParts(std::string_view body, const std::string& boundary, std::size_t max_parts) {
  if (boundary.empty() || boundary.size() > 200) return Syntax("the multipart type names no boundary");
  const std::string marker = "--" + boundary;
  std::vector<std::string_view> parts;
  std::size_t begin = std::string_view::npos;  // of the part at hand
  bool closed = false;
  for (std::size_t line = 0; line < body.size() && !closed;) {
    const std::size_t line_end = std::min(body.find('\n', line), body.size());
    const std::string_view text = body.substr(line, line_end - line);
    if (text.starts_with(marker)) {
      const std::string_view tail = Trim(text.substr(marker.size()));
      if (tail.empty() || tail == "--") {
        if (begin != std::string_view::npos) {
          std::size_t end = line;
          if (end > begin && body[end - 1] == '\n') --end;
          if (end > begin && body[end - 1] == '\r') --end;
          parts.push_back(body.substr(begin, end - begin));
          if (parts.size() > max_parts) {
            return MakeError(ErrorCode::kResourceExhausted, "batch-parts",
                             "a batch may have " + std::to_string(max_parts) + " requests");
          }
        }
        begin = line_end + 1;
        closed = tail == "--";
      }
    }
    line = line_end + 1;
  }
  if (!closed && begin != std::string_view::npos && begin < body.size()) parts.push_back(body.substr(begin));
  if (begin == std::string_view::npos) return Syntax("the body has no line with the boundary");
  return parts;
}

// Reads header lines up to the first empty line; `text` is left behind it.
Result<HttpHeaders> ReadHeaders(std::string_view& text) {
  HttpHeaders headers;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty()) return headers;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return Syntax("a header line has no colon: " + std::string(line.substr(0, 80)));
    headers.Add(Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
  }
  return headers;
}

// What may not stand in a part (spec odata.md 1.5): credentials and connection matters belong to the whole.
Status CheckPartHeaders(const HttpHeaders& headers) {
  for (const char* name : {"Authorization", "Expect", "From", "Max-Forwards", "Range", "TE"}) {
    if (headers.Has(name)) {
      return MakeError(ErrorCode::kInvalidArgument, "batch-part-header", std::string(name) + " may not stand in a part of a batch");
    }
  }
  return {};
}

// The embedded request behind a part's own headers.
Result<BatchPart> ReadHttpPart(std::string_view text, const HttpHeaders& outer) {
  BatchPart part;
  part.id = std::string(outer.Get("Content-ID"));
  while (!text.empty() && (text.front() == '\r' || text.front() == '\n')) text.remove_prefix(1);
  const std::size_t line_end = text.find('\n');
  const std::string_view line = Trim(text.substr(0, line_end));
  text = line_end == std::string_view::npos ? std::string_view() : text.substr(line_end + 1);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos) return Syntax("a part has no request line: " + std::string(line.substr(0, 80)));
  part.method = std::string(line.substr(0, first));
  const bool has_version = last > first && line.substr(last + 1).starts_with("HTTP/");
  part.url = std::string(Trim(line.substr(first + 1, has_version ? last - first - 1 : std::string_view::npos)));
  TABLECAST_ASSIGN_OR_RETURN(part.headers, ReadHeaders(text));
  TABLECAST_RETURN_IF_ERROR(CheckPartHeaders(part.headers));
  if (part.id.empty()) part.id = std::string(part.headers.Get("Content-ID"));
  // Extra blank lines around a body are not part of it.
  while (!text.empty() && (text.front() == '\r' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  part.body = std::string(text);
  return part;
}

Result<BatchRequest> ParseMultipart(std::string_view body, std::string_view type, std::size_t max_parts) {
  BatchRequest batch;
  batch.boundary = BoundaryOf(type);
  TABLECAST_ASSIGN_OR_RETURN(const auto outer_parts, SplitParts(body, batch.boundary, max_parts));
  int group = 0;
  for (std::string_view text : outer_parts) {
    while (!text.empty() && (text.front() == '\r' || text.front() == '\n')) text.remove_prefix(1);
    if (Trim(text).empty()) continue;
    TABLECAST_ASSIGN_OR_RETURN(const HttpHeaders headers, ReadHeaders(text));
    const std::string_view part_type = headers.Get("Content-Type");
    if (!IsMultipart(part_type)) {
      if (!EqualsIgnoreCase(Trim(part_type.substr(0, part_type.find(';'))), "application/http")) {
        return Syntax("a part has the type application/http or multipart/mixed, not `" + std::string(part_type.substr(0, 80)) + "`");
      }
      TABLECAST_ASSIGN_OR_RETURN(BatchPart part, ReadHttpPart(text, headers));
      batch.parts.push_back(std::move(part));
    } else {
      TABLECAST_ASSIGN_OR_RETURN(const auto inner_parts, SplitParts(text, BoundaryOf(part_type), max_parts));
      std::set<std::string> ids;
      for (std::string_view inner : inner_parts) {
        while (!inner.empty() && (inner.front() == '\r' || inner.front() == '\n')) inner.remove_prefix(1);
        if (Trim(inner).empty()) continue;
        TABLECAST_ASSIGN_OR_RETURN(const HttpHeaders inner_headers, ReadHeaders(inner));
        if (IsMultipart(inner_headers.Get("Content-Type"))) return Syntax("change sets may not nest");
        TABLECAST_ASSIGN_OR_RETURN(BatchPart part, ReadHttpPart(inner, inner_headers));
        if (!part.id.empty() && !ids.insert(part.id).second) {
          return MakeError(ErrorCode::kInvalidArgument, "batch-duplicate-id", "two requests of a change set have the Content-ID " + part.id);
        }
        if (part.method == "GET") return Syntax("a change set holds no GET");
        part.group = group;
        batch.parts.push_back(std::move(part));
      }
      ++group;
    }
    if (batch.parts.size() > max_parts) {
      return MakeError(ErrorCode::kResourceExhausted, "batch-parts", "a batch may have " + std::to_string(max_parts) + " requests");
    }
  }
  return batch;
}

std::string TextOf(const JsonValue& object, std::string_view name) {
  const JsonValue* value = object.Find(name);
  return value != nullptr && (value->IsString() || value->IsNumber()) ? value->text : "";
}

Result<BatchRequest> ParseJsonBatch(std::string_view body, std::size_t max_parts) {
  BatchRequest batch;
  batch.json = true;
  JsonOptions options;
  options.max_bytes = body.size() + 1;
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(body, options));
  const JsonValue* requests = json.Find("requests");
  if (requests == nullptr || !requests->IsArray()) return Syntax("the body has no array `requests`");
  if (requests->elements.size() > max_parts) {
    return MakeError(ErrorCode::kResourceExhausted, "batch-parts", "a batch may have " + std::to_string(max_parts) + " requests");
  }
  std::set<std::string> ids;
  std::vector<std::string> groups;
  for (const JsonValue& request : requests->elements) {
    if (!request.IsObject()) return Syntax("a request of the batch is an object");
    BatchPart part;
    part.id = TextOf(request, "id");
    part.method = TextOf(request, "method");
    std::transform(part.method.begin(), part.method.end(), part.method.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    part.url = TextOf(request, "url");
    if (part.id.empty() || part.method.empty() || part.url.empty()) return Syntax("a request has id, method and url");
    if (!ids.insert(part.id).second) {
      return MakeError(ErrorCode::kInvalidArgument, "batch-duplicate-id", "two requests have the id " + part.id, part.id);
    }
    if (request.Find("if") != nullptr) return NotOffered("`if` in a JSON batch");
    if (const JsonValue* headers = request.Find("headers"); headers != nullptr && headers->IsObject()) {
      for (const JsonMember& header : headers->members) part.headers.Add(header.name, header.value.text);
    }
    TABLECAST_RETURN_IF_ERROR(CheckPartHeaders(part.headers));
    if (const JsonValue* depends = request.Find("dependsOn"); depends != nullptr && depends->IsArray()) {
      for (const JsonValue& id : depends->elements) part.depends_on.push_back(id.text);
    }
    part.group_name = TextOf(request, "atomicityGroup");
    if (!part.group_name.empty()) {
      const auto known = std::find(groups.begin(), groups.end(), part.group_name);
      const bool adjacent = known == groups.end() ||
                            (!batch.parts.empty() && batch.parts.back().group_name == part.group_name);
      if (!adjacent) return Syntax("the requests of the atomicity group " + part.group_name + " are not adjacent");
      part.group = static_cast<int>(known - groups.begin());
      if (known == groups.end()) groups.push_back(part.group_name);
      if (part.method == "GET") return Syntax("an atomicity group holds no GET");
    }
    if (const JsonValue* payload = request.Find("body")) {
      const std::string_view type = part.headers.Get("Content-Type");
      if (payload->IsString() && !type.empty() && type.find("json") == std::string_view::npos) {
        if (type.starts_with("text/")) {
          part.body = payload->text;
        } else {
          TABLECAST_ASSIGN_OR_RETURN(part.body, DecodeBase64Url(payload->text));
        }
      } else {
        const std::size_t begin = payload->span.begin.offset;
        part.body = std::string(body.substr(begin, payload->span.end.offset - begin));
        if (type.empty()) part.headers.Set("Content-Type", "application/json");
      }
    }
    batch.parts.push_back(std::move(part));
  }
  return batch;
}

}  // namespace

Result<BatchRequest> ParseBatch(const HttpRequest& request, std::size_t max_parts) {
  const std::string_view type = request.headers.Get("Content-Type");
  if (IsMultipart(type)) return ParseMultipart(request.body, type, max_parts);
  if (EqualsIgnoreCase(Trim(type.substr(0, type.find(';'))), "application/json")) return ParseJsonBatch(request.body, max_parts);
  return UnsupportedMediaType("a batch is multipart/mixed or application/json");
}

}  // namespace tablecast
