// The formula language under arbitrary bytes. The first byte chooses: formula text as it is; a
// well-typed formula written by the bytes; a Java regular expression; a LIKE pattern against a
// naive matcher. Whatever compiles must evaluate alike in the interpreter and in compiled code, and
// print to a text that compiles to the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "formula/ast_json.h"
#include "formula/batch.h"
#include "formula/java_regex.h"
#include "formula/like_match.h"
#include "tests/formula/random_formula.h"

namespace tablecast::formula {
namespace {

[[noreturn]] void Disagree(std::string_view what, std::string_view formula) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(formula.size()), formula.data());
  std::abort();
}

// Random numbers from the input, so that the fuzzer steers the formula; zeros when it is used up.
class ByteSource {
 public:
  ByteSource(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint32_t operator()() {
    if (next_ >= size_) return static_cast<std::uint32_t>(spent_++ % 7);
    const std::uint32_t low = data_[next_++];
    return next_ < size_ ? low | static_cast<std::uint32_t>(data_[next_]) << 8U : low;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t next_ = 0;
  std::size_t spent_ = 0;
};

std::string Shown(const EvalResult& result) {
  return result.ok() ? result.value().ToString()
                     : std::string(EvalErrorCodeName(result.error().code)) + "@" +
                           std::to_string(result.error().position.offset);
}

template <class Random>
void Compare(const std::string& formula, NamedFields& fields, Random& random) {
  const CompileResult compiled = Program::Compile(formula, fields, {.qualifier_mode = true});
  if (!compiled.program) {
    if (compiled.issues.empty()) Disagree("no program and no issue", formula);
    return;
  }
  const std::string printed = compiled.program->ToString();
  const CompileResult again = Program::Compile(printed, fields, {.qualifier_mode = true});
  if (printed.size() <= kMaxSourceBytes && (!again.program || again.program->ToString() != printed))
    Disagree("prints to another formula", formula);
  // A budget hit by one evaluator only is no disagreement: steps are counted differently.
  EvalContext context(kTestNow, {.max_text_bytes = 1U << 16U, .max_steps = 200'000});
  for (int row = 0; row < 3; ++row) {
    RandomRow(random, fields);
    const std::string fast = Shown(compiled.program->Evaluate(fields, context));
    const std::string plain = Shown(compiled.program->Interpret(fields, context));
    const bool budget = fast.find("limit-exceeded") != std::string::npos ||
                        plain.find("limit-exceeded") != std::string::npos;
    // IFERROR may have swallowed a limit in one of them.
    if (fast != plain && !budget && formula.size() < 4000)
      Disagree("compiled " + fast + ", interpreted " + plain, formula);
    context.ResetRow();
  }
}

bool NaiveLike(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    if (NaiveLike(text, pattern.substr(1))) return true;
    if (text.empty()) return false;
    std::size_t offset = 0;
    DecodeUtf8(text, offset);
    return NaiveLike(text.substr(offset), pattern);
  }
  if (text.empty()) return false;
  if (pattern[0] == '_') {
    std::size_t offset = 0;
    DecodeUtf8(text, offset);
    return NaiveLike(text.substr(offset), pattern.substr(1));
  }
  const std::size_t skip = pattern[0] == '\\' && pattern.size() > 1 ? 1 : 0;
  return pattern[skip] == text[0] && NaiveLike(text.substr(1), pattern.substr(skip + 1));
}

}  // namespace
}  // namespace tablecast::formula

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast::formula;  // NOLINT(google-build-using-namespace)
  if (size == 0) return 0;
  const int mode = data[0] % 4;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  ByteSource bytes(data + 1, size - 1);
  std::mt19937 fixed(1);
  NamedFields fields = RandomFields(fixed);
  switch (mode) {
    case 0:
      Compare(std::string(rest), fields, bytes);
      (void)FormulaAstJson(rest);
      break;
    case 1: {
      FormulaWriter<ByteSource> writer(bytes);
      Compare(writer.Any(4), fields, bytes);
      break;
    }
    case 2: (void)TranslateJavaRegex(rest); break;
    default: {
      const std::size_t half = std::min<std::size_t>(rest.size() / 2, 12);
      const std::string_view pattern = rest.substr(0, half);
      const std::string_view text = rest.substr(half, 12);
      if (tablecast::IsValidUtf8(pattern) && tablecast::IsValidUtf8(text) &&
          LikeMatches(text, pattern) != NaiveLike(text, pattern)) {
        Disagree("LIKE", rest);
      }
    }
  }
  return 0;
}
