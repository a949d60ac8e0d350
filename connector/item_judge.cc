#include "connector/item_judge.h"

#include <algorithm>
#include <map>

#include "base/base64.h"
#include "base/json_reader.h"

namespace tablecast {

Result<ItemJudge> ItemJudge::Make(const Catalog& catalog, const ReadSnapshot& snapshot,
                                  std::string_view table, Timestamp now) {
  TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot.Schema(table));
  TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot.Names(table));
  ItemJudge judge;
  for (const auto& object : catalog.objects()) {
    if (object->table() != table || object->embedded() != nullptr || !object->table_exists())
      continue;
    judge.records_.push_back(std::make_unique<ItemRecord>(*object, *schema, *names, now));
    judge.rows_.push_back(
        std::make_unique<QualifierRow>(object->qualifier(), *schema, *names, now));
  }
  return judge;
}

std::vector<ItemClaim> ItemJudge::Claims(const ItemView& item) {
  std::vector<ItemClaim> claims;
  for (const auto& record : records_) {
    record->Reset(item);
    if (record->Belongs()) claims.push_back({&record->object(), record->ExternalId()});
  }
  return claims;
}

std::vector<ConditionVerdict> ItemJudge::Explain(const ExternalObject& object,
                                                 const ItemView& item) {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (&records_[i]->object() != &object) continue;
    rows_[i]->Reset(item);
    return rows_[i]->Explain();
  }
  return {};
}

ItemJudge::Nearest ItemJudge::NearestObject(const ItemView& item) {
  Nearest nearest;
  std::size_t fewest = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    rows_[i]->Reset(item);
    const std::vector<ConditionVerdict> verdicts = rows_[i]->Explain();
    const auto failed = static_cast<std::size_t>(
        std::count_if(verdicts.begin(), verdicts.end(),
                      [](const ConditionVerdict& verdict) { return !verdict.holds; }));
    if (failed == 0 || (nearest.object != nullptr && failed >= fewest)) continue;
    fewest = failed;
    nearest.object = &records_[i]->object();
    nearest.failed = *std::find_if(verdicts.begin(), verdicts.end(),
                                   [](const ConditionVerdict& verdict) { return !verdict.holds; });
  }
  return nearest;
}

Result<AttributeValue> ParseKeyValue(const KeyColumn& column, std::string_view text) {
  const auto refused = [&](const std::string& wanted) {
    return MakeError(
        ErrorCode::kInvalidArgument, "key-type",
        "`" + std::string(text) + "` is no " + wanted + ", as column " + column.name + " needs",
        column.name);
  };
  if (column.type == AttributeType::kN) {
    auto number = AttributeValue::NumberFromText(text);
    if (!number.ok()) return refused("number");
    return number;
  }
  if (column.type == AttributeType::kB) {
    auto bytes = DecodeBase64(text);
    if (!bytes.ok()) bytes = DecodeBase64Url(text);
    if (!bytes.ok()) return refused("base64");
    return AttributeValue::Binary(*std::move(bytes));
  }
  return AttributeValue::String(std::string(text));
}

Result<ItemKey> ParseItemKey(const TableSchema& schema, std::string_view text) {
  const KeyColumn& partition = schema.key.partition;
  std::map<std::string, std::string, std::less<>> values;
  const std::string example =
      partition.name + "=..." + (schema.key.sort ? "," + schema.key.sort->name + "=..." : "");
  if (text.starts_with("{")) {
    TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text));
    for (const JsonMember& member : json.members) {
      // {"pk":"1"} and {"pk":{"S":"1"}} alike.
      const bool tagged = member.value.IsObject() && member.value.members.size() == 1;
      values[member.name] = tagged ? member.value.members.front().value.text : member.value.text;
    }
  } else if (text.starts_with(partition.name + "=")) {
    std::string_view rest = text.substr(partition.name.size() + 1);
    if (schema.key.sort) {
      const std::string mark = "," + schema.key.sort->name + "=";
      const std::size_t at = rest.find(mark);
      if (at != std::string_view::npos) {
        values[schema.key.sort->name] = std::string(rest.substr(at + mark.size()));
        rest = rest.substr(0, at);
      }
    }
    values[partition.name] = std::string(rest);
  } else if (!schema.key.sort) {
    values[partition.name] = std::string(text);
  } else {
    return MakeError(ErrorCode::kInvalidArgument, "key-syntax",
                     "`" + std::string(text) + "` names no whole key", "key", "write " + example);
  }
  ItemKey key;
  for (const auto& [name, value] : values) {
    if (name == partition.name) {
      TABLECAST_ASSIGN_OR_RETURN(key.partition, ParseKeyValue(partition, value));
    } else if (schema.key.sort && name == schema.key.sort->name) {
      TABLECAST_ASSIGN_OR_RETURN(AttributeValue sort, ParseKeyValue(*schema.key.sort, value));
      key.sort = std::move(sort);
    } else {
      return MakeError(ErrorCode::kInvalidArgument, "key-column-unknown",
                       "`" + name + "` is no key column of " + schema.name, name,
                       "write " + example);
    }
  }
  if (!values.contains(partition.name) || (schema.key.sort && !key.sort)) {
    return MakeError(ErrorCode::kInvalidArgument, "key-syntax", "the key is not whole", "key",
                     "write " + example);
  }
  return key;
}

}  // namespace tablecast
