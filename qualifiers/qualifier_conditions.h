#ifndef TABLECAST_QUALIFIERS_QUALIFIER_CONDITIONS_H_
#define TABLECAST_QUALIFIERS_QUALIFIER_CONDITIONS_H_

// The row conditions of a qualifier's entries (qualifiers.md section 2), one RowCondition each,
// with the contradictions between them, and what they say together about a column's values. Private
// to qualifiers/.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "item/key_condition.h"
#include "item/table_schema.h"
#include "qualifiers/compiled_impl.h"
#include "qualifiers/match_regex.h"
#include "qualifiers/table_qualifier.h"

namespace tablecast {

// Collects findings of one file.
class FindingSink {
 public:
  FindingSink(const TableQualifier& qualifier, std::vector<Issue>& issues)
      : qualifier_(qualifier), issues_(issues) {}
  void Add(Severity severity, std::string code, std::string message, std::string remedy,
           std::string target, TextSpan span);
  void Error(std::string code, std::string message, std::string remedy, std::string target,
             TextSpan span) {
    Add(Severity::kError, std::move(code), std::move(message), std::move(remedy), std::move(target),
        span);
  }
  // The place of [begin, end) of a string's decoded value, given the span of its literal.
  TextSpan InString(const TextSpan& literal, std::size_t begin, std::size_t end) const;

 private:
  const TableQualifier& qualifier_;
  std::vector<Issue>& issues_;
};

class ConditionBuilder {
 public:
  ConditionBuilder(const TableSchema& schema, const SlotMap& slots, FindingSink& findings);

  void AddPhysical(const ColumnQualifier& column, Slot slot,
                   const std::vector<AttributeValue>& constants);
  void AddVirtual(const ColumnQualifier& column, Slot virtual_index, formula::ValueType type);

  // After all columns: the key condition, and marks what it proves.
  KeyCondition Finish();
  std::vector<RowCondition>& conditions() { return conditions_; }
  // Every value of the column begins with it; "" if unknown.
  std::string LiteralPrefix(Slot slot) const;
  // Every member has the column, and with this type.
  bool DemandsType(Slot slot, AttributeType type) const;

 private:
  struct Knowledge {
    ColumnCondition condition;  // of text values
    bool demands_presence = false;
    std::optional<AttributeType> type;
  };
  const KeyColumn* KeyAt(Slot slot) const;
  void CheckPresence(const ColumnQualifier& column, Slot slot, bool has_constants);
  void CheckPatternType(const ColumnQualifier& column, std::string_view type_name, bool readable);
  std::optional<LikePattern> ReadFilter(const ColumnQualifier& column);
  std::shared_ptr<const MatchRegex> ReadPostFilter(const ColumnQualifier& column);
  void CheckConstants(const ColumnQualifier& column, const std::vector<AttributeValue>& constants,
                      const std::optional<LikePattern>& like, const MatchRegex* regex);
  void Narrow(const ColumnQualifier& column, Knowledge& known, const ColumnCondition& condition);
  bool IsProved(const RowCondition& condition, const KeyColumn& key,
                const ColumnCondition& known) const;

  const TableSchema& schema_;
  const SlotMap& slots_;
  FindingSink& findings_;
  std::vector<RowCondition> conditions_;
  std::map<Slot, Knowledge> known_;
  RegexBudget regex_budget_;
};

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_QUALIFIER_CONDITIONS_H_
