#ifndef TABLECAST_CONNECTOR_EXPRESSION_H_
#define TABLECAST_CONNECTOR_EXPRESSION_H_

// The one general expression tree: bound to fields, typed, evaluated with OData's semantics (code
// points, three-valued logic, exact decimals). Built only through the factories of namespace expr,
// which check types; whoever parses a syntax (odata/ does) turns its tree into these calls.
//
//   auto total = expr::FieldRef({}, *orders, *orders->FindField("TOTAL"));
//   auto five = expr::Literal(EdmValue::Number(Decimal(5)));
//   auto filter = expr::Binary(BinaryOp::kGt, *total, *five);       // Result<ExpressionPtr>
//   (*filter)->ToString();                                           // "TOTAL gt 5"
//
// Every factory that can refuse returns an Error: kInvalidArgument "type-mismatch" and friends
// whose message names what was expected and what was given, or kUnimplemented for valid OData that
// is not offered. The caller adds target and position. Trees are immutable and shared between
// threads. LIMITS: depth 100; a deeper tree is refused by the factories ("expression-depth").

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "connector/edm_value.h"
#include "connector/external_object.h"
#include "connector/field.h"
#include "qualifiers/predicate.h"

namespace tablecast {

class EvalContext;  // record_view.h: the records in scope, the request's time, related reads
class Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;
struct SearchNode;
using SearchPtr = std::shared_ptr<const SearchNode>;

class Expression {
 public:
  virtual ~Expression() = default;
  const EdmType& type() const { return type_; }
  int depth() const { return depth_; }

  // The value for the records in scope. A failed operation (division by zero, a deadline during a
  // related read) is kept in the context, which the caller checks; the value is then null.
  virtual EdmValue Evaluate(EvalContext& context) const = 0;
  // REQUIRES: type() is Boolean (or null). Avoids building values for comparisons of fields.
  virtual Truth Test(EvalContext& context) const;
  // OData text that parses back to the same tree.
  virtual void AppendTo(std::string& out) const = 0;
  std::string ToString() const;

 protected:
  Expression(EdmType type, int depth) : type_(type), depth_(depth) {}

 private:
  EdmType type_;
  int depth_;
};

enum class BinaryOp : std::uint8_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kDivBy,
  kMod,
};
enum class LambdaKind : std::uint8_t { kAny, kAll };

// Where a field is read: a range variable, then navigation properties to one record each.
// Variable 0 is the record of the query ($it); lambda variables are numbered by the caller from 1,
// each number once in one expression (at most 63).
struct Origin {
  std::uint32_t variable = 0;
  std::vector<const Navigation*> path;
};

namespace expr {

ExpressionPtr Literal(EdmValue value);
// A field of the object at the end of `origin`. ERRORS: "field-hidden".
Result<ExpressionPtr> FieldRef(Origin origin, const ExternalObject& owner, const Field& field);
// A member of a complex value (`Address/City`). ERRORS: "type-mismatch".
Result<ExpressionPtr> Member(ExpressionPtr complex, std::string_view member);
// Column number `index` of the rows of $apply (ApplyShape::columns).
ExpressionPtr ColumnRef(std::uint32_t index, std::string name, EdmType type);
// A column of $compute under its name; evaluates `definition`.
ExpressionPtr Alias(std::string name, ExpressionPtr definition);
// A lambda variable over a collection of values (not records), and $this.
ExpressionPtr VariableRef(std::uint32_t variable, std::string name, EdmType type);
// `Product eq null`: the last navigation of `origin.path` leads to no record.
// ERRORS: "type-mismatch" unless origin.path is not empty.
Result<ExpressionPtr> NavigationIsNull(Origin origin);

Result<ExpressionPtr> Not(ExpressionPtr operand);
Result<ExpressionPtr> Negate(ExpressionPtr operand);
// Numbers compare and calculate across numeric types; Date promotes to DateTimeOffset; a text
// literal fits Duration, Guid. Everything else must agree.
Result<ExpressionPtr> Binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right);
Result<ExpressionPtr> In(ExpressionPtr operand, std::vector<ExpressionPtr> list);
Result<ExpressionPtr> InCollection(ExpressionPtr operand, ExpressionPtr collection);
// `has` needs an enumeration type; there is none here, so this is always an error that says so.
Result<ExpressionPtr> Has(ExpressionPtr left, ExpressionPtr right);

// A canonical function by its name (any case): contains startswith endswith indexof length concat
// substring tolower toupper trim matchespattern year month day hour minute second fractionalseconds
// date time totaloffsetminutes totalseconds now mindatetime maxdatetime round floor ceiling
// hassubset hassubsequence. ERRORS: "unknown-function" with the nearest name; "function-arity";
// "type-mismatch" naming the signature; kUnimplemented "function-not-supported" for geo.*.
Result<ExpressionPtr> Call(std::string_view function, std::vector<ExpressionPtr> arguments);
// case(c1:v1,...): null when no condition holds.
Result<ExpressionPtr> Case(std::vector<std::pair<ExpressionPtr, ExpressionPtr>> branches);
// `type_name` as written: "Edm.Decimal". ERRORS: kUnimplemented for unknown types.
Result<ExpressionPtr> Cast(ExpressionPtr operand, std::string_view type_name);
Result<ExpressionPtr> IsOf(ExpressionPtr operand, std::string_view type_name);

// any/all over a collection of values; `predicate` may be null for any() without arguments. It
// reads `variable` through VariableRef (and Member of it).
Result<ExpressionPtr> LambdaOverValues(LambdaKind kind, ExpressionPtr collection,
                                       std::uint32_t variable, std::string variable_name,
                                       ExpressionPtr predicate);
// any/all over the records that `navigation` leads to from the end of `origin`; `predicate` reads
// them through FieldRef({variable}, ...).
Result<ExpressionPtr> LambdaOverRecords(LambdaKind kind, Origin origin,
                                        const Navigation& navigation, std::uint32_t variable,
                                        std::string variable_name, ExpressionPtr predicate);
// TAGS/$count
Result<ExpressionPtr> CountOfValues(ExpressionPtr collection);
// Lines/$count, Lines/$count($filter=...;$search=...): `filter` reads the related record as
// `variable`.
Result<ExpressionPtr> CountOfRecords(Origin origin, const Navigation& navigation,
                                     std::uint32_t variable, ExpressionPtr filter,
                                     SearchPtr search);

}  // namespace expr

// $search: words and phrases joined. SOURCE: spec external-objects.md section 7.
struct SearchNode {
  enum class Kind : std::uint8_t { kTerm, kAnd, kOr, kNot };
  Kind kind = Kind::kTerm;
  std::string text;                 // kTerm: word or phrase
  std::vector<SearchPtr> children;  // kAnd, kOr: two or more; kNot: one
};
// Builds nodes; a term is kept as given, folding happens once when the query starts.
SearchPtr SearchTerm(std::string text);
SearchPtr SearchAnd(std::vector<SearchPtr> children);
SearchPtr SearchOr(std::vector<SearchPtr> children);
SearchPtr SearchNot(SearchPtr child);
std::string SearchText(const SearchPtr& search);

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_EXPRESSION_H_
