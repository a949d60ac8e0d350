// IMPLEMENTATION of the four renderings of findings declared in qualifier_parser.h. Tested by
// issue_report_test.

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {
namespace {

constexpr std::size_t kMaxLineShown = 160;  // code points of a source line

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kInfo: return "info";
  }
  return "info";
}

std::string_view LineAt(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = std::min(text.find('\n', offset), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

// The line as shown: control characters made visible, so that a hostile file cannot drive a
// terminal. Every code point stays one column, so that the underline fits.
std::string Shown(std::string_view line) {
  std::string out;
  std::size_t i = 0;
  while (i < line.size()) {
    const char32_t c = DecodeUtf8(line, i);
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
                         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
                         c == 0xFEFF;
    AppendUtf8(out, c == '\t' ? U' ' : (control ? U'\u00B7' : c));
  }
  return out;
}

// Messages quote what the author wrote: the same care.
std::string Safe(std::string_view message) {
  std::string out;
  std::size_t i = 0;
  while (i < message.size()) {
    const std::size_t begin = i;
    const char32_t c = DecodeUtf8(message, i);
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
      AppendPrintable(out, message.substr(begin, i - begin));
    } else {
      out += message.substr(begin, i - begin);
    }
  }
  return out;
}

void AppendUnderline(std::string& out, const Issue& issue, std::string_view text, bool colour) {
  const std::string_view line = LineAt(text, issue.span.begin.offset);
  const std::size_t line_length = CountCodePoints(line);
  std::size_t first = issue.span.begin.column - 1U;
  const bool one_line = issue.span.end.line == issue.span.begin.line;
  std::size_t last = one_line ? issue.span.end.column - 1U : line_length;
  first = std::min(first, line_length);
  last = std::max(std::min(last, line_length), first);
  // A long line is shown around the finding.
  std::size_t from = 0;
  if (line_length > kMaxLineShown && first > kMaxLineShown / 2) from = first - kMaxLineShown / 2;
  const std::size_t to = std::min(line_length, from + kMaxLineShown);
  last = std::min(last, std::max(to, first));
  const std::size_t begin_byte = CodePointOffset(line, from);
  const std::string_view window = line.substr(begin_byte, CodePointOffset(line, to) - begin_byte);
  out += "    ";
  if (from > 0) out += "…";
  out += Shown(window);
  if (to < line_length) out += "…";
  out += "\n    ";
  out.append(first - from + (from > 0 ? 1U : 0U), ' ');
  if (colour) out += "\x1b[1;32m";
  out += '^';
  if (last > first + 1) out.append(last - first - 1, '~');
  if (colour) out += "\x1b[0m";
  out += '\n';
}

// RFC 3986: what a relative reference may hold unescaped.
std::string AsUri(std::string_view file) {
  std::string out;
  if (!file.empty() && file[0] == '/') out = "file://";
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      out += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

std::string GithubData(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string WholeMessage(const Issue& issue) {
  return issue.remedy.empty() ? issue.message : issue.message + "; " + issue.remedy;
}

}  // namespace

std::string RenderIssue(const Issue& issue, std::string_view text, bool colour) {
  const bool located = issue.span.begin.line != 0;
  std::string out;
  if (colour) out += "\x1b[1m";
  out += Safe(issue.file);
  if (located) {
    out +=
        ":" + std::to_string(issue.span.begin.line) + ":" + std::to_string(issue.span.begin.column);
  }
  if (!out.empty()) out += ": ";
  if (colour) {
    out += issue.severity == Severity::kError     ? "\x1b[31m"
           : issue.severity == Severity::kWarning ? "\x1b[35m"
                                                  : "\x1b[36m";
  }
  out += std::string(SeverityName(issue.severity)) + ": ";
  if (colour) out += "\x1b[0m";
  out += Safe(WholeMessage(issue)) + " [" + issue.code + "]\n";
  if (located && !text.empty()) AppendUnderline(out, issue, text, colour);
  return out;
}

std::string IssuesAsJson(const std::vector<Issue>& issues) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  json.BeginArray();
  for (const Issue& issue : issues) {
    json.BeginObject().Key("file").String(issue.file);
    json.Key("line").Uint(issue.span.begin.line).Key("column").Uint(issue.span.begin.column);
    json.Key("endLine").Uint(issue.span.end.line).Key("endColumn").Uint(issue.span.end.column);
    json.Key("severity").String(SeverityName(issue.severity)).Key("code").String(issue.code);
    json.Key("message").String(issue.message).Key("remedy").String(issue.remedy);
    json.Key("target").String(issue.target).EndObject();
  }
  json.EndArray();
  out += '\n';
  return out;
}

std::string IssuesAsSarif(const std::vector<Issue>& issues) {
  std::map<std::string, std::size_t> rules;  // code -> index in the driver's rules
  for (const Issue& issue : issues) rules.emplace(issue.code, 0);
  std::size_t next = 0;
  for (auto& [code, index] : rules) index = next++;

  std::string out;
  JsonWriter json(out, JsonWriter::Style::kIndented);
  json.BeginObject();
  json.Key("$schema")
      .String("https://json.schemastore.org/sarif-2.1.0.json")
      .Key("version")
      .String("2.1.0");
  json.Key("runs").BeginArray().BeginObject();
  json.Key("tool").BeginObject().Key("driver").BeginObject().Key("name").String("tablecast");
  json.Key("rules").BeginArray();
  for (const auto& rule : rules) {
    // Codes are words; docs/qualifiers.md describes each at length.
    std::string words = rule.first;
    std::replace(words.begin(), words.end(), '-', ' ');
    json.BeginObject().Key("id").String(rule.first).Key("shortDescription").BeginObject();
    json.Key("text").String(words).EndObject().EndObject();
  }
  json.EndArray().EndObject().EndObject();
  json.Key("columnKind").String("unicodeCodePoints");
  json.Key("results").BeginArray();
  for (const Issue& issue : issues) {
    json.BeginObject().Key("ruleId").String(issue.code).Key("ruleIndex").Uint(rules[issue.code]);
    json.Key("level").String(issue.severity == Severity::kInfo ? "note"
                                                               : SeverityName(issue.severity));
    json.Key("message").BeginObject().Key("text").String(WholeMessage(issue)).EndObject();
    json.Key("locations").BeginArray();
    if (!issue.file.empty()) {
      json.BeginObject().Key("physicalLocation").BeginObject();
      json.Key("artifactLocation").BeginObject().Key("uri").String(AsUri(issue.file)).EndObject();
      if (issue.span.begin.line != 0) {
        json.Key("region").BeginObject();
        json.Key("startLine")
            .Uint(issue.span.begin.line)
            .Key("startColumn")
            .Uint(issue.span.begin.column);
        json.Key("endLine").Uint(std::max(issue.span.end.line, issue.span.begin.line));
        json.Key("endColumn").Uint(std::max<std::uint32_t>(issue.span.end.column, 1)).EndObject();
      }
      json.EndObject().EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject().EndArray().EndObject();
  out += '\n';
  return out;
}

std::string IssuesAsGithub(const std::vector<Issue>& issues) {
  std::string out;
  for (const Issue& issue : issues) {
    out += issue.severity == Severity::kError     ? "::error"
           : issue.severity == Severity::kWarning ? "::warning"
                                                  : "::notice";
    out += " file=" + GithubData(issue.file, true);
    if (issue.span.begin.line != 0) {
      out += ",line=" + std::to_string(issue.span.begin.line) +
             ",endLine=" + std::to_string(issue.span.end.line);
      out += ",col=" + std::to_string(issue.span.begin.column) +
             ",endColumn=" + std::to_string(issue.span.end.column);
    }
    out += ",title=" + GithubData(issue.code, true) +
           "::" + GithubData(WholeMessage(issue), false) + "\n";
  }
  return out;
}

}  // namespace tablecast
