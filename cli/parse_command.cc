// tablecast parse: the syntax tree of a text, for tools and for the curious.

#include <iostream>
#include <iterator>

#include "base/civil_time.h"
#include "base/json_writer.h"
#include "cli/commands.h"
#include "formula/ast_json.h"
#include "odata/syntax_json.h"
#include "qualifiers/like_pattern.h"

namespace tablecast::cli {

namespace {

Result<std::string> Iso8601ToJson(std::string_view text) {
  TABLECAST_ASSIGN_OR_RETURN(const IsoDateTime read, ParseIso8601(text, 0));
  static constexpr const char* kForms[] = {"date", "extended", "basic"};
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("kind").String("iso8601").Key("value").String(FormatTimestamp(read.instant, read.fraction_digits));
  json.Key("form").String(kForms[static_cast<std::size_t>(read.form)]);
  json.Key("zone").Bool(read.has_zone).Key("offsetMinutes").Int(read.zone_offset_minutes);
  json.Key("fractionDigits").Int(read.fraction_digits);
  json.Key("at").BeginArray().Int(0).Uint(text.size()).EndArray().EndObject();
  return out;
}

// An external ID split at its separators, escapes resolved: the parts that any object would try.
Result<std::string> ExternalIdToJson(std::string_view text) {
  if (text.empty()) return MakeError(ErrorCode::kInvalidArgument, "external-id-empty", "an external ID is not empty");
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("kind").String("externalId").Key("value").String(text).Key("args").BeginArray();
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '-') continue;
    json.BeginObject().Key("kind").String("part").Key("value").String(text.substr(begin, i - begin));
    json.Key("at").BeginArray().Uint(begin).Uint(i).EndArray().EndObject();
    begin = i + 1;
  }
  json.EndArray().Key("at").BeginArray().Int(0).Uint(text.size()).EndArray().EndObject();
  return out;
}

Result<std::string> ParseText(const std::string& kind, const std::string& text) {
  if (kind == "formula") return formula::FormulaAstJson(text);
  if (kind == "like") return LikeToJson(text);
  if (kind == "iso8601") return Iso8601ToJson(text);
  if (kind == "external-id") return ExternalIdToJson(text);
  return syntax::ParseToJson(kind, text);
}

}  // namespace

ExitCode RunParse(const Terminal& terminal, const ParseOptions& options) {
  std::string text = options.text;
  if (text == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    if (!text.empty() && text.back() == '\n') text.pop_back();
  }
  const auto json = ParseText(options.kind, text);
  if (!json.ok()) {
    Error error = json.error();
    error.code = ErrorCode::kInvalidArgument;
    if (error.position.line == 0) error.position = PositionAt(text, error.position.offset);
    return PrintError(terminal, "parse " + options.kind, error);
  }
  WriteStdout(*json + "\n");
  return kSuccess;
}

}  // namespace tablecast::cli
