#ifndef TABLECAST_QUALIFIERS_ROW_RULE_H_
#define TABLECAST_QUALIFIERS_ROW_RULE_H_

// A formula over the attributes of one item: `default` and `onUpdate` of fields. The facade through
// which connector/ uses formulas without naming formula/.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "base/result.h"
#include "formula/value.h"
#include "item/item.h"

namespace tablecast {

class RowRule {
 public:
  // Any attribute name may be mentioned; its type is taken from its use. ERRORS: kInvalidArgument
  // with the reason of the first issue ("formula-...") and its position.
  static Result<std::shared_ptr<const RowRule>> Compile(std::string_view formula);
  virtual ~RowRule() = default;
  // Over the item as it stands; text results are owned. ERRORS: kInvalidArgument "formula-failed".
  virtual Result<formula::Value> Evaluate(const Item& item, Timestamp now) const = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_QUALIFIERS_ROW_RULE_H_
