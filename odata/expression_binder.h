#ifndef TABLECAST_ODATA_EXPRESSION_BINDER_H_
#define TABLECAST_ODATA_EXPRESSION_BINDER_H_

// Syntax trees of expressions -> bound expressions of connector/: names to fields, navigation properties, lambda
// variables and computed columns; literals to values. Every error says which option and which position.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connector/catalog.h"
#include "connector/expression.h"
#include "connector/object_query.h"
#include "odata/principal.h"
#include "odata/query_options.h"
#include "odata/syntax_tree.h"
#include "odata/uri_parser.h"

namespace tablecast {

// What names mean at one place.
struct BindScope {
  // Variable 0 is the record of the query; null for rows of $apply that are no records.
  const ExternalObject* object = nullptr;
  std::uint32_t object_variable = 0;
  // Columns of $compute by alias.
  std::vector<std::pair<std::string, ExpressionPtr>> aliases;
  // Columns of rows of $apply; unset while rows are records.
  const std::vector<ResultColumn>* columns = nullptr;
  // Lambda variables, innermost last.
  struct Variable {
    std::string name;
    std::uint32_t number = 0;
    const ExternalObject* object = nullptr;  // a record; null: a value of `type`
    EdmType type;
  };
  std::vector<Variable> variables;
};

// Reads what a path behind $root leads to: `$root/Orders('1012')/TOTAL`, `$root/Orders/$count`. The value is the
// same for every record of a query, so it is read once, when the query is bound, and planned as a literal.
// ERRORS: those of the path; "root-record-not-found"; "type-mismatch" for a path without a value.
using RootReader = std::function<Result<EdmValue>(const syntax::ResourcePath& path)>;

class ExpressionBinder {
 public:
  // BORROWS all four. `option` is the target of errors ("$filter"). Without a reader $root is refused (501).
  ExpressionBinder(const Catalog& catalog, const Principal& principal, const std::vector<syntax::AliasValue>& aliases,
                   const RootReader& root_reader)
      : catalog_(catalog), principal_(principal), parameter_aliases_(aliases), root_reader_(root_reader) {}

  void SetTarget(std::string option) { target_ = std::move(option); }

  Result<ExpressionPtr> Bind(const syntax::Expr& expr, const BindScope& scope);
  // As Bind, and the result must be Boolean.
  Result<ExpressionPtr> BindCondition(const syntax::Expr& expr, const BindScope& scope);
  Result<SearchPtr> BindSearch(const syntax::Search& search);

  // A field that this caller may know of. ERRORS: "property-unknown" with the nearest name.
  Result<const Field*> FindField(const ExternalObject& object, std::string_view name, const syntax::Span& at) const;
  const Navigation* FindNavigation(const ExternalObject& object, std::string_view name) const;
  // True for the object's own type: a cast to it changes nothing.
  bool IsOwnType(const ExternalObject& object, std::string_view qualified) const;
  Error At(Error error, const syntax::Span& at) const;

 private:
  struct PathState;
  Result<ExpressionPtr> BindPath(const syntax::Expr& path, const BindScope& scope);
  Result<ExpressionPtr> BindRoot(const syntax::Expr& path);
  Status FirstSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state);
  Status NextSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state);
  Status NameOnObject(const syntax::Expr& segment, const BindScope& scope, PathState& state);
  Status Lambda(const syntax::Expr& segment, const BindScope& scope, PathState& state);
  Status CountSegment(const syntax::Expr& segment, const BindScope& scope, PathState& state);
  Result<ExpressionPtr> BindLiteral(const syntax::Expr& literal);
  Result<ExpressionPtr> BindBinary(const syntax::Expr& expr, const BindScope& scope);
  Result<ExpressionPtr> BindIn(const syntax::Expr& expr, const BindScope& scope);
  Result<std::vector<ExpressionPtr>> BindAll(const std::vector<syntax::Expr>& list, const BindScope& scope);

  const Catalog& catalog_;
  const Principal& principal_;
  const std::vector<syntax::AliasValue>& parameter_aliases_;
  const RootReader& root_reader_;
  std::string target_;
  std::uint32_t next_variable_ = 1;
  int alias_depth_ = 0;
};

// A literal by its look. ERRORS: "literal-invalid"; kUnimplemented for geography and enumerations.
Result<EdmValue> LiteralValue(const syntax::Expr& literal);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_EXPRESSION_BINDER_H_
