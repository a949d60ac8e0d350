#include "cli/trace_file.h"

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace tablecast::cli {

namespace {

constexpr std::size_t kMaxBody = 1U << 20U;

// Headers that carry secrets, or that differ from run to run.
bool IsRedacted(std::string_view name) {
  for (const char* hidden : {"Authorization", "Cookie", "Proxy-Authorization", "X-API-Key", "X-CSRF-Token"}) {
    if (EqualsIgnoreCase(name, hidden)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::Create(const std::string& path) {
  std::unique_ptr<TraceFile> file(new TraceFile(path));
  if (!file->out_) return MakeError(ErrorCode::kUnavailable, "trace-unwritable", "cannot write the trace", path);
  return file;
}

void TraceFile::Write(const HttpRequest& request, const HttpResponse& response) {
  std::string line;
  JsonWriter json(line);
  json.BeginObject().Key("method").String(request.method).Key("target").String(request.target);
  json.Key("headers").BeginArray();
  for (const HttpHeader& header : request.headers.lines()) {
    if (IsRedacted(header.name)) continue;
    json.BeginArray().String(header.name).String(header.value).EndArray();
  }
  json.EndArray().Key("body").String(request.body.substr(0, kMaxBody));
  json.Key("authority").String(request.authority).Key("scheme").String(request.scheme);
  json.Key("received").Int(request.received.seconds);
  json.Key("status").Int(response.status).Key("answer").String(response.body.substr(0, kMaxBody)).EndObject();
  const std::lock_guard<std::mutex> lock(mutex_);
  out_ << line << '\n';
  out_.flush();
}

Result<TracedExchange> ReadTraceLine(const std::string& line) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(line));
  TracedExchange exchange;
  const auto text = [&json](std::string_view name) {
    const JsonValue* value = json.Find(name);
    return value == nullptr ? std::string() : value->text;
  };
  exchange.request.method = text("method");
  exchange.request.target = text("target");
  exchange.request.body = text("body");
  exchange.request.authority = text("authority");
  exchange.request.scheme = text("scheme");
  exchange.request.received.seconds = std::strtoll(text("received").c_str(), nullptr, 10);
  if (const JsonValue* headers = json.Find("headers")) {
    for (const JsonValue& header : headers->elements) {
      if (header.elements.size() == 2) exchange.request.headers.Add(header.elements[0].text, header.elements[1].text);
    }
  }
  exchange.status = static_cast<int>(std::strtol(text("status").c_str(), nullptr, 10));
  exchange.body = text("answer");
  if (exchange.request.method.empty() || exchange.request.target.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "trace-syntax", "the line is no traced exchange");
  }
  exchange.request.principal = Principal::Unrestricted();
  exchange.request.request_id = "replay";
  return exchange;
}

}  // namespace tablecast::cli
