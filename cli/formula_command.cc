// tablecast formula: evaluates one formula, explains it, or answers a batch of them.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "formula/batch.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast::cli {

namespace {

Error BadOption(const char* option, const std::string& entry, const std::string& what) {
  return MakeError(ErrorCode::kInvalidArgument, "formula-option", "`" + entry + "` " + what, option);
}

// "name=value" -> both; the value may hold further equals signs.
Result<std::pair<std::string, std::string>> SplitEntry(const char* option, const std::string& entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos || equals == 0) return BadOption(option, entry, "is not name=value");
  return std::pair{entry.substr(0, equals), entry.substr(equals + 1)};
}

Result<Timestamp> NowOf(const FormulaOptions& options) {
  if (options.now.empty()) return CurrentTimestamp();
  const Result<IsoDateTime> now = ParseIso8601(options.now, 0);
  if (!now.ok()) return BadOption("--now", options.now, "is no ISO 8601 timestamp; write 2020-01-31T12:00:00Z");
  return now->instant;
}

auto FieldNamed(formula::FormulaRequest& request, const std::string& name) {
  return std::find_if(request.fields.begin(), request.fields.end(), [&](const auto& field) { return field.name == name; });
}

Result<formula::FormulaRequest> RequestOf(const FormulaOptions& options) {
  formula::FormulaRequest request;
  request.formula = options.formula;
  request.blank_as_zero = options.blank_as_zero;
  request.qualifier_mode = true;
  request.explain = options.explain;
  TABLECAST_ASSIGN_OR_RETURN(request.now, NowOf(options));
  for (const std::string& entry : options.set) {
    TABLECAST_ASSIGN_OR_RETURN(auto parts, SplitEntry("--set", entry));
    if (FieldNamed(request, parts.first) != request.fields.end())
      return BadOption("--set", entry, "gives a second value to the field");
    formula::RequestField field;
    field.name = parts.first;
    if (!parts.second.empty()) field.value = parts.second;
    request.fields.push_back(std::move(field));
  }
  for (const std::string& entry : options.type) {
    TABLECAST_ASSIGN_OR_RETURN(const auto parts, SplitEntry("--type", entry));
    const auto type = formula::FieldTypeNamed(parts.second);
    if (!type) return BadOption("--type", entry, "names no type; one of Text, Number, Currency, Percent, Boolean, Date, DateTime, Time");
    const auto found = FieldNamed(request, parts.first);
    if (found != request.fields.end()) {
      found->type = *type;
    } else {
      formula::RequestField field;
      field.name = parts.first;
      field.type = *type;
      request.fields.push_back(std::move(field));
    }
  }
  return request;
}

ExitCode RunBatch(const Terminal& terminal, const FormulaOptions& options) {
  if (!options.formula.empty() || !options.set.empty() || !options.type.empty() || options.blank_as_zero || options.explain) {
    return PrintError(terminal, "formula",
                      MakeError(ErrorCode::kInvalidArgument, "formula-option", "a batch brings its own formulas, fields and null_mode",
                                "--batch", "leave the other options away; only --now is taken with it"));
  }
  const auto now = NowOf(options);
  if (!now.ok()) return PrintError(terminal, "formula", now.error());
  std::ifstream file;
  if (options.batch == "-") {
    std::ios::sync_with_stdio(false);
  } else {
    std::error_code ignored;
    if (!std::filesystem::is_directory(options.batch, ignored)) file.open(options.batch, std::ios::binary);
    if (!file.is_open()) {
      return PrintError(terminal, "formula", MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", options.batch));
    }
  }
  formula::AnswerBatch(options.batch == "-" ? std::cin : file, std::cout, *now);
  std::cout.flush();
  if (!std::cout) {
    PrintError(terminal, "formula", MakeError(ErrorCode::kUnavailable, "output-failed", "cannot write the answers", "standard output"));
    return kEnvironment;
  }
  return kSuccess;
}

}  // namespace

ExitCode RunFormula(const Terminal& terminal, const FormulaOptions& options) {
  if (!options.batch.empty()) return RunBatch(terminal, options);
  if (options.formula.empty()) {
    return PrintError(terminal, "formula",
                      MakeError(ErrorCode::kInvalidArgument, "formula-missing", "no formula given", "", "see `tablecast formula --help`"));
  }
  const auto request = RequestOf(options);
  if (!request.ok()) return PrintError(terminal, "formula", request.error());
  const formula::FormulaAnswer answer = formula::AnswerFormula(*request);
  for (Issue issue : answer.issues) {
    issue.file = "formula";
    WriteStderr(RenderIssue(issue, options.formula, terminal.colour_err));
  }
  const bool compiled = !HasErrors(answer.issues);
  if (answer.error && compiled) {
    return PrintError(terminal, "formula",
                      MakeError(ErrorCode::kInvalidArgument, answer.error->code, answer.error->message, "", "",
                                PositionAt(options.formula, answer.error->position)));
  }
  if (!compiled) return kWrongInput;
  if (options.explain) {
    WriteStdout(answer.explain + (answer.explain.ends_with("\n") ? "" : "\n"));
    return kSuccess;
  }
  if (options.format == "json") {
    std::string out;
    JsonWriter json(out);
    std::string type(formula::ValueTypeName(answer.value.type()));
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    json.BeginObject().Key("type").String(type).Key("value");
    if (answer.value.IsBlank()) {
      json.Null();
    } else if (answer.value.Is(formula::ValueType::kBoolean)) {
      json.Bool(answer.value.boolean());
    } else {
      json.String(formula::AnswerText(answer.value));
    }
    json.EndObject();
    WriteStdout(out + "\n");
    return kSuccess;
  }
  WriteStdout(formula::AnswerText(answer.value) + "\n");
  return kSuccess;
}

}  // namespace tablecast::cli
