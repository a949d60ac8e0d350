#ifndef TABLECAST_BASE_RESULT_H_
#define TABLECAST_BASE_RESULT_H_

// The error channel of the whole program: Result<T> is a T or an Error.
//
// Three channels are never mixed: an Error says that an operation failed; a formula's error value
// says that one cell failed (the row survives); an Issue is one finding for the author of a file.
//
//   Result<Item> Load(std::string_view text) {
//     TABLECAST_ASSIGN_OR_RETURN(JsonText json, Parse(text));
//     if (json.empty()) return MakeError(ErrorCode::kInvalidArgument, "item-empty", "no item here");
//     return ToItem(json);
//   }

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace tablecast {

// What the CALLER should do, in google.rpc's words. Mapped to HTTP in odata/http_error.cc alone and
// to exit codes in cli/.
enum class ErrorCode {
  kInvalidArgument,     // fix the request or file
  kNotFound,            // no such thing
  kAlreadyExists,       // key or unique value taken
  kFailedPrecondition,  // the state does not allow it: ETag, row condition, read-only
  kAborted,             // lost a race; the same request may succeed when repeated
  kResourceExhausted,   // a limit; the message names it
  kDeadlineExceeded,    // the time budget ran out
  kUnavailable,         // try later: store locked, disk full, remote source away
  kPermissionDenied,
  kUnauthenticated,
  kUnimplemented,  // valid, but not offered here
  kDataLoss,       // stored bytes do not decode
  kInternal,       // our bug
};

// Short lower-case name, e.g. "invalid-argument".
std::string_view ErrorCodeName(ErrorCode code);

// A place in a text. UNITS: line and column are 1-based and count code points; offset is a 0-based
// byte offset. line == 0 means "no position known".
struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::size_t offset = 0;
  bool operator==(const TextPosition&) const = default;
};

// Half-open range [begin, end).
struct TextSpan {
  TextPosition begin;
  TextPosition end;
  bool operator==(const TextSpan&) const = default;
};

// Finds line and column of a byte offset. COST: linear in `offset`.
TextPosition PositionAt(std::string_view text, std::size_t offset);

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;   // stable kebab-case word, e.g. "formula-unknown-function"; listed in docs
  std::string message;  // for people: what is wrong and why; no trailing full stop
  std::string target;   // what it concerns: "$filter", "columns.sk.values[0]", a field name
  std::string remedy;   // what to do about it; may be empty
  TextPosition position;

  // "message (target, line 3, column 7); remedy"
  std::string ToString() const;
};

Error MakeError(ErrorCode code, std::string reason, std::string message, std::string target = {},
                std::string remedy = {}, TextPosition position = {});

// A T or an Error. A dropped Result is a compiler warning (an error in our builds).
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return this->has_value(); }
};

using Status = Result<void>;

enum class Severity { kError, kWarning, kInfo };

// One finding about a file an author wrote (qualifier, catalog, formula).
struct Issue {
  Severity severity = Severity::kError;
  std::string code;     // stable kebab-case word, listed in docs/qualifiers.md
  std::string message;  // what is wrong and why
  std::string remedy;   // what to write instead
  std::string target;   // dotted path inside the document, "columns.sk.postFilter"
  TextSpan span;        // where in the file
  std::string file;     // set by whoever knows the file's name
};

bool HasErrors(const std::vector<Issue>& issues);

namespace internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace internal

}  // namespace tablecast

#define TABLECAST_CONCAT_INNER_(a, b) a##b
#define TABLECAST_CONCAT_(a, b) TABLECAST_CONCAT_INNER_(a, b)

#define TABLECAST_RETURN_IF_ERROR(expr) \
  TABLECAST_RETURN_IF_ERROR_IMPL_(TABLECAST_CONCAT_(tablecast_status_, __COUNTER__), expr)
#define TABLECAST_RETURN_IF_ERROR_IMPL_(name, expr) \
  do {                                              \
    auto&& name = (expr);                           \
    if (!name.has_value()) return std::forward<decltype(name)>(name).error(); \
  } while (false)

#define TABLECAST_ASSIGN_OR_RETURN(lhs, expr) \
  TABLECAST_ASSIGN_OR_RETURN_IMPL_(TABLECAST_CONCAT_(tablecast_result_, __COUNTER__), lhs, expr)
#define TABLECAST_ASSIGN_OR_RETURN_IMPL_(name, lhs, expr) \
  auto&& name = (expr);                                   \
  if (!name.has_value()) return std::forward<decltype(name)>(name).error(); \
  lhs = *std::move(name)

// For programmer errors only; never reachable from input. Always on.
#define TABLECAST_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::tablecast::internal::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // TABLECAST_BASE_RESULT_H_
