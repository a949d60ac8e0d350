#ifndef TABLECAST_ODATA_EXPRESSION_PARSER_H_
#define TABLECAST_ODATA_EXPRESSION_PARSER_H_

// The recursive-descent parser behind filter_parser.h. Internal to odata/. Operators by precedence
// climbing; every bracket, call and prefix operator costs one level of the depth budget before it
// is entered, and no node is built higher than that budget.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "odata/syntax_scanner.h"
#include "odata/syntax_tree.h"

namespace tablecast::syntax {

class ExpressionParser {
 public:
  explicit ExpressionParser(Scanner& scanner) : s_(scanner) {}

  // One whole expression (filter_parser.cc).
  Result<Expr> Expression() { return BinaryFrom(kLowest); }
  // A path (path_expression.cc): the scanner stands on a name, '$' or '@'.
  Result<Expr> Path();

 private:
  static constexpr int kLowest = 1;

  // filter_parser.cc
  Result<Expr> BinaryFrom(int lowest);
  Result<Expr> Unary();
  Result<Expr> WithPostfix(Expr left);
  Result<Expr> InOperand();
  Result<Expr> Primary();
  Result<Expr> Bracketed();
  Result<std::vector<Expr>> ListItems(char close);
  bool StandsOnOperator() const;

  // function_call.cc
  bool StandsOnCall() const;
  Result<Expr> Call(bool* is_path);
  Result<Expr> CastOrIsOf(ExprKind kind, std::size_t begin);
  Result<Expr> CaseCall(std::size_t begin);
  Result<std::string> TypeName();

  // json_literal.cc
  Result<Expr> JsonArray();
  Result<Expr> JsonObject();
  Result<Expr> JsonValue();
  Result<std::string> JsonString();

  // path_expression.cc
  Status FirstSegment(std::vector<Expr>& segments);
  Status NextSegment(std::vector<Expr>& segments);
  Status NameSegment(std::vector<Expr>& segments, bool first);
  Status AfterRoot(std::vector<Expr>& segments);
  Result<Expr> AnnotationSegment(std::size_t begin);
  Result<Expr> CountSegment(std::size_t begin);
  Result<Expr> CountOption();
  Result<Expr> LambdaSegment(std::size_t begin, ExprKind kind);
  Result<Expr> AggregateSegment(std::size_t begin);
  Result<std::vector<Expr>> Arguments(bool* named);
  Result<Expr> ArgumentValue();

  Expr Node(ExprKind kind, std::string text = {}) const;
  // Sets span and height and charges the node.
  Result<Expr> Finish(Expr expr, std::size_t begin);

  Scanner& s_;
};

// True for words that call something when a bracket follows: canonical functions, cast, isof, case,
// any, all. In any case.
bool IsCallWord(std::string_view word);
// The canonical function with the most similar name.
std::optional<std::string> NearestFunction(std::string_view name);

// The text up to the bracket that closes the one just taken; the scanner then stands on it.
// Brackets inside quotes do not count. ERRORS: the syntax reason when it is not closed.
Result<std::string> TakeBalanced(Scanner& scanner);

}  // namespace tablecast::syntax

#endif  // TABLECAST_ODATA_EXPRESSION_PARSER_H_
