#include "base/result.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tablecast {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid-argument";
    case ErrorCode::kNotFound: return "not-found";
    case ErrorCode::kAlreadyExists: return "already-exists";
    case ErrorCode::kFailedPrecondition: return "failed-precondition";
    case ErrorCode::kAborted: return "aborted";
    case ErrorCode::kResourceExhausted: return "resource-exhausted";
    case ErrorCode::kDeadlineExceeded: return "deadline-exceeded";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kPermissionDenied: return "permission-denied";
    case ErrorCode::kUnauthenticated: return "unauthenticated";
    case ErrorCode::kUnimplemented: return "unimplemented";
    case ErrorCode::kDataLoss: return "data-loss";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

TextPosition PositionAt(std::string_view text, std::size_t offset) {
  TextPosition position{.line = 1, .column = 1, .offset = std::min(offset, text.size())};
  for (std::size_t i = 0; i < position.offset; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++position.column;
    }
  }
  return position;
}

std::string Error::ToString() const {
  std::string out = message;
  std::string where = target;
  if (position.line != 0) {
    if (!where.empty()) where += ", ";
    where +=
        "line " + std::to_string(position.line) + ", column " + std::to_string(position.column);
  }
  if (!where.empty()) out += " (" + where + ")";
  if (!remedy.empty()) out += "; " + remedy;
  return out;
}

Error MakeError(ErrorCode code, std::string reason, std::string message, std::string target,
                std::string remedy, TextPosition position) {
  return Error{code,    std::move(reason), std::move(message), std::move(target), std::move(remedy),
               position};
}

bool HasErrors(const std::vector<Issue>& issues) {
  return std::any_of(issues.begin(), issues.end(),
                     [](const Issue& issue) { return issue.severity == Severity::kError; });
}

namespace internal {
void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "tablecast: internal error: %s:%d: %s\n", file, line, condition);
  std::abort();
}
}  // namespace internal

}  // namespace tablecast
