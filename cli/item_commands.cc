// tablecast why, items: stored items and who claims them.

#include <algorithm>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "connector/external_id.h"
#include "connector/item_judge.h"
#include "connector/record_types.h"
#include "item/item_codec.h"
#include "item/item_json.h"

namespace tablecast::cli {

namespace {

constexpr std::string_view kKeyMark = " / ";  // between the parts of a key as KeyForPeople writes it
constexpr std::size_t kMaxJudged = 50;  // items of a partition that one `why` judges

std::string ClaimText(const ItemClaim& claim) {
  return claim.object->name() + "('" + claim.external_id + "')";
}

std::string ItemJson(const ItemView& view) {
  std::string out;
  JsonWriter json(out);
  if (const auto item = view.ToItem(); item.ok()) WriteDynamoDbJson(json, *item);
  return out;
}

void AppendVerdictsText(std::string& out, const std::vector<ConditionVerdict>& verdicts) {
  std::vector<std::vector<std::string>> rows{{"", "column", "condition", "seen"}};
  bool first = true;
  for (const ConditionVerdict& verdict : verdicts) {
    rows.push_back({verdict.holds ? "ok"
                    : first       ? "NO"
                                  : "no",
                    verdict.column, verdict.condition, verdict.seen});
    if (!verdict.holds) first = false;
  }
  if (verdicts.empty()) {
    out += "  (no condition: it takes every item of its table)\n";
    return;
  }
  std::string table = AlignedTable(rows);
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    out += "  " + table.substr(at, end - at) + "\n";
    at = end + 1;
  }
}

// One item against one object. Returns whether it belongs.
bool AppendJudgement(std::string& out, const std::string& format, ItemJudge& judge,
                     const ExternalObject& object, const ItemView& item) {
  const std::vector<ConditionVerdict> verdicts = judge.Explain(object, item);
  const std::vector<ItemClaim> claims = judge.Claims(item);
  const auto own = std::find_if(claims.begin(), claims.end(),
                                [&](const ItemClaim& claim) { return claim.object == &object; });
  const bool belongs = own != claims.end();
  std::string takers;
  for (const ItemClaim& claim : claims) {
    if (claim.object != &object) takers += (takers.empty() ? "" : ", ") + ClaimText(claim);
  }
  if (format == "json") {
    JsonWriter json(out);
    json.BeginObject()
        .Key("item")
        .String(KeyForPeople(item))
        .Key("object")
        .String(object.name())
        .Key("belongs")
        .Bool(belongs);
    json.Key("conditions").BeginArray();
    for (const ConditionVerdict& verdict : verdicts) {
      json.BeginObject()
          .Key("column")
          .String(verdict.column)
          .Key("condition")
          .String(verdict.condition);
      json.Key("seen").String(verdict.seen).Key("holds").Bool(verdict.holds).EndObject();
    }
    json.EndArray().Key("claimedBy").BeginArray();
    for (const ItemClaim& claim : claims) json.String(ClaimText(claim));
    json.EndArray().EndObject();
    out += "\n";
    return belongs;
  }
  out += KeyForPeople(item) + (belongs ? " is " + ClaimText(*own) : " is not in " + object.name()) +
         "\n";
  AppendVerdictsText(out, verdicts);
  if (!takers.empty()) {
    out += belongs ? "Claimed as well: " + takers + "\n" : "It is " + takers + "\n";
  } else if (!belongs) {
    out += "No object takes it.\n";
  }
  return belongs;
}

}  // namespace

ExitCode RunWhy(const Terminal& terminal, const WhyOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "why", store.error());
  const auto loaded =
      LoadCatalogFolder(terminal, options.catalog, store->get(), {.keep_inferred = false});
  if (!loaded.ok()) return PrintError(terminal, "why", loaded.error());
  const Catalog& catalog = *loaded->catalog;
  const ExternalObject* object = catalog.Find(options.object);
  if (object == nullptr) {
    const auto nearest = catalog.NearestObjectName(options.object);
    return PrintError(terminal, "why",
                      MakeError(ErrorCode::kInvalidArgument, "unknown-object",
                                "there is no object `" + options.object + "`", options.catalog,
                                nearest ? "did you mean `" + *nearest + "`?" : ""));
  }
  if (object->embedded() != nullptr)
    object = object->embedded()->parent;  // elements belong when their item does
  const auto snapshot = (*store)->BeginRead();
  if (!snapshot.ok()) return PrintError(terminal, "why", snapshot.error());
  auto judge = ItemJudge::Make(catalog, **snapshot, object->table(), CurrentTimestamp());
  if (!judge.ok()) return PrintError(terminal, "why", judge.error());

  std::string out;
  std::size_t judged = 0, belonging = 0;
  const auto visit = [&](const ItemView& item) {
    if (judged > 0 && options.format != "json") out += "\n";
    if (AppendJudgement(out, options.format, *judge, *object, item)) ++belonging;
    return ++judged < kMaxJudged;
  };
  const TableSchema& schema = object->schema();
  // A whole key names one item. Anything else is an external ID, or a partition key whose items are
  // all judged.
  const auto key = ParseItemKey(schema, options.key);
  if (key.ok()) {
    const auto encoded = EncodeKey(schema, *key);
    if (!encoded.ok()) return PrintError(terminal, "why", encoded.error());
    const auto found =
        (*snapshot)->Get(object->table(), *encoded, [&](const ItemView& item) { visit(item); });
    if (!found.ok()) return PrintError(terminal, "why", found.error());
  } else if (key.error().reason != "key-syntax" || options.key.starts_with("{")) {
    return PrintError(terminal, "why", key.error());
  } else {
    if (const auto conditions = ExternalIdConditions(*object, options.key); conditions.ok()) {
      for (const KeyCondition& condition : *conditions) {
        const auto read =
            (*snapshot)->Query(object->table(), condition, {}, [&](const ItemView& item) {
              for (const ItemClaim& claim : judge->Claims(item)) {
                if (claim.object == object && claim.external_id == options.key) visit(item);
              }
              return judged < kMaxJudged;
            });
        if (!read.ok()) return PrintError(terminal, "why", read.error());
      }
    }
    if (judged == 0) {
      if (auto value = ParseKeyValue(schema.key.partition, options.key); value.ok()) {
        KeyCondition partition;
        partition.partition.equals = {*std::move(value)};
        const auto read = (*snapshot)->Query(object->table(), partition, {}, visit);
        if (!read.ok()) return PrintError(terminal, "why", read.error());
      }
    }
  }
  // "1012 / ORDER", as every message writes a key. The key's own text may hold the mark: each place is tried.
  for (std::size_t at = options.key.find(kKeyMark); at != std::string::npos && judged == 0 && schema.key.sort && !key.ok();
       at = options.key.find(kKeyMark, at + 1)) {
    auto partition = ParseKeyValue(schema.key.partition, options.key.substr(0, at));
    auto sort = ParseKeyValue(*schema.key.sort, options.key.substr(at + kKeyMark.size()));
    if (!partition.ok() || !sort.ok()) continue;
    const auto encoded = EncodeKey(schema, ItemKey{*std::move(partition), *std::move(sort)});
    if (!encoded.ok()) continue;  // an empty part, say
    const auto found =
        (*snapshot)->Get(object->table(), *encoded, [&](const ItemView& item) { visit(item); });
    if (!found.ok()) return PrintError(terminal, "why", found.error());
  }
  if (judged == 0) {
    return PrintError(
        terminal, "why",
        MakeError(
            ErrorCode::kNotFound, "item-not-found",
            "table " + object->table() + " has no item with this key", options.key,
            "`tablecast items --table " + object->table() + " --pk VALUE` shows a partition"));
  }
  WriteStdout(out);
  return belonging == judged ? kSuccess : kAnswerIsNo;
}

ExitCode RunItems(const Terminal& terminal, const ItemsOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "items", store.error());
  Catalog none;
  OpenCatalog loaded;
  if (!options.catalog.empty()) {
    auto opened =
        LoadCatalogFolder(terminal, options.catalog, store->get(), {.keep_inferred = false});
    if (!opened.ok()) return PrintError(terminal, "items", opened.error());
    loaded = *std::move(opened);
  }
  const Catalog& catalog = loaded.catalog == nullptr ? none : *loaded.catalog;
  const auto snapshot = (*store)->BeginRead();
  if (!snapshot.ok()) return PrintError(terminal, "items", snapshot.error());
  auto judge = ItemJudge::Make(catalog, **snapshot, options.table, CurrentTimestamp());
  if (!judge.ok()) return PrintError(terminal, "items", judge.error());
  const auto schema = (*snapshot)->Schema(options.table);
  if (!schema.ok()) return PrintError(terminal, "items", schema.error());

  KeyCondition condition;
  auto partition = ParseKeyValue((*schema)->key.partition, options.pk);
  if (!partition.ok()) return PrintError(terminal, "items", partition.error());
  condition.partition.equals = {*std::move(partition)};
  if (options.sk) {
    if (!(*schema)->key.sort) {
      return PrintError(
          terminal, "items",
          MakeError(ErrorCode::kInvalidArgument, "key-column-unknown",
                    "table " + options.table + " has no sort key", "--sk", "leave --sk out"));
    }
    auto sort = ParseKeyValue(*(*schema)->key.sort, *options.sk);
    if (!sort.ok()) return PrintError(terminal, "items", sort.error());
    condition.sort.equals = {*std::move(sort)};
  }
  std::uint64_t shown = 0;
  const auto read = (*snapshot)->Query(options.table, condition, {}, [&](const ItemView& item) {
    std::string out;
    const std::vector<ItemClaim> claims = judge->Claims(item);
    if (options.format == "json") {
      JsonWriter json(out);
      json.BeginObject().Key("Item").Raw(ItemJson(item)).Key("claimedBy").BeginArray();
      for (const ItemClaim& claim : claims) {
        json.BeginObject()
            .Key("object")
            .String(claim.object->name())
            .Key("externalId")
            .String(claim.external_id)
            .EndObject();
      }
      json.EndArray().EndObject();
      out += "\n";
    } else {
      out += KeyForPeople(item);
      for (std::size_t i = 0; i < claims.size(); ++i)
        out += (i == 0 ? "  " : ", ") + ClaimText(claims[i]);
      if (claims.empty() && !options.catalog.empty()) out += "  (no object takes it)";
      out += "\n  " + ItemJson(item) + "\n";
    }
    WriteStdout(out);
    ++shown;
    return true;
  });
  if (!read.ok()) return PrintError(terminal, "items", read.error());
  if (shown == 0) {
    return PrintError(
        terminal, "items",
        MakeError(ErrorCode::kNotFound, "item-not-found", "no item has this key", options.table));
  }
  return kSuccess;
}

}  // namespace tablecast::cli
