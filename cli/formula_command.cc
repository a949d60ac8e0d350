// tablecast formula: evaluates one formula, explains it, or answers a batch of them.

#include <algorithm>
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

Result<formula::FormulaRequest> RequestOf(const FormulaOptions& options) {
  formula::FormulaRequest request;
  request.formula = options.formula;
  request.blank_as_zero = options.blank_as_zero;
  request.qualifier_mode = true;
  request.explain = options.explain;
  request.now = CurrentTimestamp();
  if (!options.now.empty()) {
    TABLECAST_ASSIGN_OR_RETURN(const IsoDateTime now, ParseIso8601(options.now, 0));
    request.now = now.instant;
  }
  for (const std::string& entry : options.set) {
    TABLECAST_ASSIGN_OR_RETURN(auto parts, SplitEntry("--set", entry));
    formula::RequestField field;
    field.name = parts.first;
    if (!parts.second.empty()) field.value = parts.second;
    request.fields.push_back(std::move(field));
  }
  for (const std::string& entry : options.type) {
    TABLECAST_ASSIGN_OR_RETURN(const auto parts, SplitEntry("--type", entry));
    const auto type = formula::FieldTypeNamed(parts.second);
    if (!type) return BadOption("--type", entry, "names no type; one of Text, Number, Currency, Percent, Boolean, Date, DateTime, Time");
    const auto found = std::find_if(request.fields.begin(), request.fields.end(), [&](const auto& field) { return field.name == parts.first; });
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
  if (options.batch == "-") {
    std::ios::sync_with_stdio(false);
    formula::AnswerBatch(std::cin, std::cout, CurrentTimestamp());
    std::cout.flush();
    return kSuccess;
  }
  std::ifstream file(options.batch, std::ios::binary);
  if (!file) {
    return PrintError(terminal, "formula", MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", options.batch));
  }
  formula::AnswerBatch(file, std::cout, CurrentTimestamp());
  std::cout.flush();
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
