#ifndef TABLECAST_CONNECTOR_SEARCH_H_
#define TABLECAST_CONNECTOR_SEARCH_H_

// $search over a record: each term is a case-insensitive containment (simple case folding) in any
// of the object's searchable fields, or in all its text fields when none is declared searchable.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "connector/expression.h"
#include "connector/record_view.h"

namespace tablecast {

// Simple case folding by code point. COST: one pass; ASCII without tables.
std::string FoldCase(std::string_view text);

// A search compiled for one object. Immutable.
class SearchMatcher {
 public:
  SearchMatcher(const ExternalObject& object, SearchPtr search);
  bool Matches(const RecordView& record) const;
  // Over the text columns of a row of $apply.
  static bool MatchesRow(const SearchPtr& search, const EvalContext::Row& row);

 private:
  std::vector<const Field*> fields_;
  SearchPtr folded_;
};

}  // namespace tablecast

#endif  // TABLECAST_CONNECTOR_SEARCH_H_
