// tablecast formula: evaluates one formula, explains it, or runs a batch of them.

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "cli/commands.h"
#include "formula/batch.h"

namespace tablecast::cli {

ExitCode RunFormula(const Terminal& terminal, const FormulaOptions& options) {
  if (!options.batch.empty()) {
    std::ifstream file;
    if (options.batch != "-") {
      file.open(options.batch, std::ios::binary);
      if (!file) {
        return PrintError(terminal, "formula",
                          MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the file", options.batch));
      }
    }
    std::istream& in = options.batch == "-" ? std::cin : file;
    for (std::string line; std::getline(in, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      WriteStdout(formula::EvaluateBatchLine(line) + "\n");
    }
    return kSuccess;
  }
  if (options.formula.empty()) {
    return PrintError(terminal, "formula", MakeError(ErrorCode::kInvalidArgument, "formula-missing", "no formula given", "",
                                                     "see `tablecast formula --help`"));
  }
  formula::SingleRequest request;
  request.formula = options.formula;
  request.now = options.now;
  request.blank_as_zero = options.blank_as_zero;
  for (const auto& [list, target] : {std::pair{&options.set, &request.values}, std::pair{&options.type, &request.types}}) {
    for (const std::string& entry : *list) {
      const std::size_t equals = entry.find('=');
      if (equals == std::string::npos || equals == 0) {
        return PrintError(terminal, "formula",
                          MakeError(ErrorCode::kInvalidArgument, "formula-set", "`" + entry + "` is not name=value"));
      }
      target->emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  const auto answer = options.explain ? formula::ExplainSingle(request) : formula::EvaluateSingle(request);
  if (!answer.ok()) return PrintError(terminal, "formula", answer.error());
  WriteStdout(*answer + "\n");
  return kSuccess;
}

}  // namespace tablecast::cli
