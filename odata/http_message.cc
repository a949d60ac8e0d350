#include "odata/http_message.h"

#include <algorithm>

#include "base/json_writer.h"

namespace tablecast {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return Lower(x) == Lower(y); });
}

void HttpHeaders::Add(std::string_view name, std::string_view value) {
  lines_.push_back({std::string(name), std::string(value)});
}

void HttpHeaders::Set(std::string_view name, std::string_view value) {
  const std::string kept_name(name);
  const std::string kept_value(value);  // `value` may borrow from a line that goes
  Remove(kept_name);
  Add(kept_name, kept_value);
}

void HttpHeaders::Remove(std::string_view name) {
  std::erase_if(lines_, [&](const HttpHeader& line) { return EqualsIgnoreCase(line.name, name); });
}

const std::string* HttpHeaders::Find(std::string_view name) const {
  for (const HttpHeader& line : lines_) {
    if (EqualsIgnoreCase(line.name, name)) return &line.value;
  }
  return nullptr;
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::string HttpHeaders::Joined(std::string_view name) const {
  std::string all;
  bool first = true;
  for (const HttpHeader& line : lines_) {
    if (!EqualsIgnoreCase(line.name, name)) continue;
    if (!first) all += ", ";
    first = false;
    all += line.value;
  }
  return all;
}

namespace {

// The part of the request that a refusal of this status is about; "" when the request is not to blame.
std::string_view PartAtFault(int status) {
  switch (status) {
    case 400: return "request";
    case 401: case 403: return "Authorization";
    case 405: case 501: return "method";
    case 411: return "Content-Length";
    case 413: return "body";
    case 414: return "path";
    case 415: return "Content-Encoding";
    case 417: return "Expect";
    case 431: return "headers";
    default: return "";
  }
}

}  // namespace

HttpResponse MakeHttpError(int status, std::string_view code, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json;odata.metadata=minimal"},
                      {"OData-Version", "4.0"},
                      {"Content-Language", "en"},
                      {"Cache-Control", "no-store"}};
  response.route = "error";
  JsonWriter json(response.body);
  json.BeginObject().Key("error").BeginObject();
  json.Key("code").String(code).Key("message").String(message);
  const std::string_view target = PartAtFault(status);
  if (!target.empty()) json.Key("target").String(target);
  json.EndObject().EndObject();
  return response;
}

std::string_view HttpReasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 424: return "Failed Dependency";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

}  // namespace tablecast
