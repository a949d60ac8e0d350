#include "formats/record_shapes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/json_reader.h"
#include "formats/table_definition.h"
#include "item/item_json.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxRecordBytes = 8U << 20U;  // a 400 KB item is at most about 3 MB of JSON

// How the items of a file are written; fixed by its first record.
enum class Dialect { kUnknown, kTyped, kPlain };

// Whether an item is in DynamoDB's JSON, by its attributes. One with a fault in one of them is still typed: it is to be
// reported, not read as something else: one good attribute tells where all are objects, since an item of plain JSON has a
// key that is none.
struct TypedSigns {
  std::size_t members = 0;
  std::size_t objects = 0;
  std::size_t tagged = 0;  // objects whose only member is called like a type
  std::size_t exact = 0;   // of these, S, N or B with a string

  void Add(bool object, std::string_view only_member, bool string) {
    ++members;
    if (!object) return;
    ++objects;
    if (!AttributeTypeFromName(only_member)) return;
    ++tagged;
    if (string && (only_member == "S" || only_member == "N" || only_member == "B")) ++exact;
  }
  bool Typed() const {
    return members > 0 && (tagged == members || (objects == members && exact > 0));
  }
};

class JsonDump {
 public:
  JsonDump(DumpCursor& cursor, Dialect dialect) : cursor_(cursor), dialect_(dialect) {}

  // Each returns false to stop.
  bool OneItem(const JsonSlice& slice, std::string path, const std::string& table);
  bool OneWriteRequest(const JsonSlice& slice, const std::string& path, const std::string& table);
  bool OneTransactItem(const JsonSlice& slice, const std::string& path);
  bool OneChange(const JsonSlice& slice, const std::string& path);
  bool OneStreamRecord(const JsonSlice& slice, const std::string& path);

  template <class Each>
  Status EachElement(const JsonSlice& array, const std::string& path, Each each);
  // Arrays at the top of a file, one behind the other (appended dumps); nothing else may stand behind one.
  template <class Each>
  Status EachOfTopArrays(std::size_t begin, Each each);

 private:
  struct Parsed {
    JsonValue json;
    DumpPlace place;
  };
  std::optional<Parsed> Parse(const JsonSlice& slice, std::string path, bool& go_on);
  bool Put(const Parsed& parsed, const JsonValue& item, std::string_view text, const std::string& table,
           DumpRecord::Kind kind = DumpRecord::Kind::kPut);
  bool Fault(const Parsed& parsed, std::string reason, std::string message, std::string_view text) {
    return cursor_.Fault(MakeError(ErrorCode::kInvalidArgument, std::move(reason), std::move(message)), parsed.place,
                         text);
  }

  DumpCursor& cursor_;
  Dialect dialect_;
};

// Offsets of slices are relative to the text they were cut from; ours are always absolute.
JsonSlice Inside(const JsonSlice& outer, const JsonSlice& inner) {
  return {inner.text, outer.offset + inner.offset};
}

std::optional<JsonDump::Parsed> JsonDump::Parse(const JsonSlice& slice, std::string path, bool& go_on) {
  Parsed parsed;
  parsed.place = cursor_.PlaceAt(slice.offset, std::move(path));
  JsonOptions options;
  options.max_bytes = kMaxRecordBytes;
  auto json = ParseJson(slice.text, options);
  if (!json.ok()) {
    Error error = json.error();
    error.target = parsed.place.path;
    go_on = cursor_.Fault(std::move(error), parsed.place, slice.text);
    return std::nullopt;
  }
  parsed.json = *std::move(json);
  return parsed;
}

bool JsonDump::Put(const Parsed& parsed, const JsonValue& item, std::string_view text, const std::string& table,
                   DumpRecord::Kind kind) {
  if (dialect_ == Dialect::kUnknown) {
    TypedSigns signs;
    for (const JsonMember& member : item.members) {
      const JsonValue& value = member.value;
      const bool one = value.IsObject() && value.members.size() == 1;
      signs.Add(value.IsObject(), one ? value.members.front().name : "", one && value.members.front().value.IsString());
    }
    dialect_ = signs.Typed() ? Dialect::kTyped : Dialect::kPlain;
  }
  std::vector<Issue> warnings;
  auto decoded = dialect_ == Dialect::kTyped ? ItemFromDynamoDbJson(item, {.tolerant = true}, &warnings)
                                             : ItemFromPlainJson(item);
  if (!decoded.ok()) {
    Error error = decoded.error();
    if (!parsed.place.path.empty()) {
      error.target = parsed.place.path + (error.target.empty() ? "" : "." + error.target);
    }
    return cursor_.Fault(std::move(error), parsed.place, text);
  }
  for (const Issue& warning : warnings) {
    cursor_.Warn(warning.code, warning.message + (warning.target.empty() ? "" : " (" + warning.target + ")"),
                 parsed.place);
  }
  return cursor_.Record({kind, table, *std::move(decoded), parsed.place});
}

bool JsonDump::OneItem(const JsonSlice& slice, std::string path, const std::string& table) {
  bool go_on = true;
  const auto parsed = Parse(slice, std::move(path), go_on);
  if (!parsed) return go_on;
  if (!parsed->json.IsObject()) {
    return Fault(*parsed, "item-not-object", "an item is a JSON object", slice.text);
  }
  const JsonValue* item = &parsed->json;
  // {"Item":{...}}: a line of an export, or an element of an array of them.
  if (item->members.size() == 1 && item->members.front().name == "Item" && item->members.front().value.IsObject()) {
    const JsonValue& inner = item->members.front().value;
    if (!AttributeTypeFromName(inner.members.size() == 1 ? inner.members.front().name : "") ||
        inner.members.front().value.IsObject()) {
      item = &inner;
    }
  }
  return Put(*parsed, *item, slice.text, table);
}

bool JsonDump::OneWriteRequest(const JsonSlice& slice, const std::string& path, const std::string& table) {
  bool go_on = true;
  const auto parsed = Parse(slice, path, go_on);
  if (!parsed) return go_on;
  if (const JsonValue* put = parsed->json.Find("PutRequest")) {
    const JsonValue* item = put->Find("Item");
    if (item == nullptr || !item->IsObject()) {
      return Fault(*parsed, "put-request-item", "PutRequest has no Item object", slice.text);
    }
    return Put(*parsed, *item, slice.text, table);
  }
  if (const JsonValue* remove = parsed->json.Find("DeleteRequest")) {
    const JsonValue* key = remove->Find("Key");
    if (key == nullptr || !key->IsObject()) {
      return Fault(*parsed, "delete-request-key", "DeleteRequest has no Key object", slice.text);
    }
    return Put(*parsed, *key, slice.text, table, DumpRecord::Kind::kDelete);
  }
  return Fault(*parsed, "write-request", "a request is a PutRequest or a DeleteRequest", slice.text);
}

bool JsonDump::OneTransactItem(const JsonSlice& slice, const std::string& path) {
  bool go_on = true;
  const auto parsed = Parse(slice, path, go_on);
  if (!parsed) return go_on;
  for (const auto& [name, part, kind] : {std::tuple{"Put", "Item", DumpRecord::Kind::kPut},
                                         std::tuple{"Delete", "Key", DumpRecord::Kind::kDelete}}) {
    const JsonValue* action = parsed->json.Find(name);
    if (action == nullptr) continue;
    const JsonValue* item = action->Find(part);
    const JsonValue* table = action->Find("TableName");
    if (item == nullptr || !item->IsObject()) {
      return Fault(*parsed, "transact-item", std::string(name) + " has no " + part + " object", slice.text);
    }
    return Put(*parsed, *item, slice.text, table != nullptr && table->IsString() ? table->text : "", kind);
  }
  if (parsed->json.Find("ConditionCheck") != nullptr) {
    cursor_.Warn("condition-check-ignored", "a ConditionCheck writes nothing and is passed over", parsed->place);
    return true;
  }
  return Fault(*parsed, "transact-item", "only Put and Delete can be loaded: an Update needs the item it changes",
               slice.text);
}

// One line of an incremental export: the new image, or a delete when there is none.
bool JsonDump::OneChange(const JsonSlice& slice, const std::string& path) {
  bool go_on = true;
  const auto parsed = Parse(slice, path, go_on);
  if (!parsed) return go_on;
  const JsonValue* keys = parsed->json.Find("Keys");
  if (keys == nullptr || !keys->IsObject()) return Fault(*parsed, "change-keys", "Keys is missing", slice.text);
  const JsonValue* image = parsed->json.Find("NewImage");
  if (image != nullptr && image->IsObject() && !image->members.empty()) return Put(*parsed, *image, slice.text, "");
  return Put(*parsed, *keys, slice.text, "", DumpRecord::Kind::kDelete);
}

bool JsonDump::OneStreamRecord(const JsonSlice& slice, const std::string& path) {
  bool go_on = true;
  const auto parsed = Parse(slice, path, go_on);
  if (!parsed) return go_on;
  const JsonValue* change = parsed->json.Find("dynamodb");
  const JsonValue* event = parsed->json.Find("eventName");
  if (change == nullptr || event == nullptr || !event->IsString()) {
    return Fault(*parsed, "stream-record", "a stream record has eventName and dynamodb", slice.text);
  }
  // arn:aws:dynamodb:region:account:table/NAME/stream/...
  std::string table;
  if (const JsonValue* arn = parsed->json.Find("eventSourceARN"); arn != nullptr && arn->IsString()) {
    const std::size_t at = arn->text.find(":table/");
    if (at != std::string::npos) table = arn->text.substr(at + 7, arn->text.find('/', at + 7) - at - 7);
  }
  const JsonValue* keys = change->Find("Keys");
  if (event->text == "REMOVE") {
    if (keys == nullptr) return Fault(*parsed, "stream-record", "a REMOVE has no Keys", slice.text);
    return Put(*parsed, *keys, slice.text, table, DumpRecord::Kind::kDelete);
  }
  if (event->text != "INSERT" && event->text != "MODIFY") {
    return Fault(*parsed, "stream-record", "eventName is INSERT, MODIFY or REMOVE, not `" + event->text + "`",
                 slice.text);
  }
  const JsonValue* image = change->Find("NewImage");
  if (image == nullptr) {
    return Fault(*parsed, "stream-no-image",
                 "the stream holds no NewImage (its view type is KEYS_ONLY or OLD_IMAGE): the item cannot be known",
                 slice.text);
  }
  return Put(*parsed, *image, slice.text, table);
}

template <class Each>
Status JsonDump::EachElement(const JsonSlice& array, const std::string& path, Each each) {
  JsonArrayWalker walk(array.text, 0);
  for (std::size_t i = 0;; ++i) {
    auto next = walk.Next();
    if (!next.ok()) {
      Error error = next.error();
      error.position.offset += array.offset;
      return error;
    }
    if (!*next) return {};
    if (!each(Inside(array, **next), path + "[" + std::to_string(i) + "]")) return {};
  }
}

template <class Each>
Status JsonDump::EachOfTopArrays(std::size_t begin, Each each) {
  const std::string_view text = cursor_.text();
  for (std::size_t at = begin; at < text.size();) {
    if (text[at] != '[') {
      TextPosition position;
      position.offset = at;
      return MakeError(ErrorCode::kInvalidArgument, "json-syntax", "behind an array only a further one may stand", "",
                       "make one array of it, or write one item a line", position);
    }
    JsonArrayWalker walk(text, at);
    for (std::size_t i = 0;; ++i) {
      TABLECAST_ASSIGN_OR_RETURN(const auto next, walk.Next());
      if (!next) break;
      if (!each(*next, "[" + std::to_string(i) + "]")) return {};
    }
    at = SkipJsonSpace(text, walk.end());
  }
  return {};
}

const JsonSlice* Member(const std::vector<JsonMemberSlice>& members, std::string_view name) {
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    if (it->name == name) return &it->value;
  }
  return nullptr;
}

std::string TextOf(const JsonSlice* slice) {
  if (slice == nullptr || slice->text.size() < 2 || slice->text.front() != '"') return "";
  auto json = ParseJson(slice->text);
  return json.ok() && json->IsString() ? json->text : "";
}

// Continuation tokens tell that the dump is cut; Count is never trusted.
void WarnIfTruncated(DumpCursor& cursor, const std::vector<JsonMemberSlice>& members, const DumpPlace& place) {
  for (const char* token : {"NextToken", "LastEvaluatedKey", "UnprocessedItems", "UnprocessedKeys"}) {
    const JsonSlice* slice = Member(members, token);
    if (slice == nullptr || slice->text == "null" || slice->text == "{}") continue;
    cursor.Warn("dump-truncated",
                std::string(token) + " is present: this dump holds only a part of the table; fetch the rest with it",
                place);
  }
}

// One JSON value after another, usually one a line. A line that cannot be cut into a value is one fault; reading
// goes on behind its end.
template <class Each>
Status EachLine(DumpCursor& cursor, Each each) {
  const std::string_view text = cursor.text();
  std::size_t at = SkipJsonSpace(text, cursor.options().start_offset);
  // A broken line makes the search for the end of its value run on over good ones; that search has a bound for each
  // line and a budget for the file, so that many broken lines cost no quadratic time.
  std::size_t budget = 16 * kMaxRecordBytes;
  while (at < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    auto end = SkipJsonValue(text.substr(0, line_end), at);
    if (!end.ok() && budget > 0 && line_end < text.size()) {
      const std::size_t reach = std::min({text.size(), at + kMaxRecordBytes, at + budget});
      end = SkipJsonValue(text.substr(0, reach), at);
      if (!end.ok()) budget -= reach - at;
    }
    const bool one_line = end.ok() && *end <= line_end;
    std::string_view rest;
    if (one_line) rest = text.substr(*end, line_end - *end);
    if (one_line && rest.find_first_not_of(" \t\r,") == std::string_view::npos) {
      if (!each(JsonSlice{text.substr(at, *end - at), at})) return {};
      at = SkipJsonSpace(text, line_end);
      continue;
    }
    // Several on one line: deliveries of change streams come so, without anything between them.
    if (const std::size_t next = rest.find_first_not_of(" \t,"); next != std::string_view::npos && rest[next] == '{') {
      if (!each(JsonSlice{text.substr(at, *end - at), at})) return {};
      at = *end + next;
      continue;
    }
    // A value over several lines is fine as long as the next one starts on a line of its own.
    if (end.ok() && !one_line) {
      const std::size_t next = SkipJsonSpace(text, *end);
      const std::size_t value_line_end = std::min(text.find('\n', *end), text.size());
      if (next >= text.size() || next > value_line_end) {
        if (!each(JsonSlice{text.substr(at, *end - at), at})) return {};
        at = next;
        continue;
      }
    }
    const JsonSlice broken{text.substr(at, line_end - at), at};
    if (!each(broken)) return {};
    at = SkipJsonSpace(text, line_end);
  }
  return {};
}

Status ReadWholeObject(DumpCursor& cursor, JsonDump& dump, DumpFormat format, const JsonSlice& object) {
  auto sliced = SliceJsonMembers(object.text, 0, nullptr);
  if (!sliced.ok()) {
    Error error = sliced.error();
    error.position.offset += object.offset;
    return error;
  }
  std::vector<JsonMemberSlice>& members = *sliced;
  for (JsonMemberSlice& member : members) member.value.offset += object.offset;
  const auto each_item = [&](const std::string& table) {
    return [&dump, table](const JsonSlice& slice, const std::string& path) { return dump.OneItem(slice, path, table); };
  };
  const auto each_request = [&](const std::string& table) {
    return [&dump, table](const JsonSlice& slice, const std::string& path) {
      return dump.OneWriteRequest(slice, path, table);
    };
  };
  switch (format) {
    case DumpFormat::kCli: {
      const JsonSlice* items = Member(members, "Items");
      if (items == nullptr || items->text.front() != '[') {
        return MakeError(ErrorCode::kInvalidArgument, "format-mismatch", "there is no Items array");
      }
      WarnIfTruncated(cursor, members, {});
      return dump.EachElement(*items, "Items", each_item(TextOf(Member(members, "TableName"))));
    }
    case DumpFormat::kGetItem: {
      const JsonSlice* item = Member(members, "Item");
      if (item == nullptr) return MakeError(ErrorCode::kInvalidArgument, "format-mismatch", "there is no Item");
      dump.OneItem(*item, "Item", "");
      return {};
    }
    case DumpFormat::kTransactWrite: {
      const JsonSlice* items = Member(members, "TransactItems");
      if (items == nullptr || items->text.front() != '[') {
        return MakeError(ErrorCode::kInvalidArgument, "format-mismatch", "there is no TransactItems array");
      }
      return dump.EachElement(*items, "TransactItems", [&](const JsonSlice& slice, const std::string& path) {
        return dump.OneTransactItem(slice, path);
      });
    }
    case DumpFormat::kStream: {
      const JsonSlice* records = Member(members, "Records");
      if (records == nullptr) {
        dump.OneStreamRecord(object, "");
        return {};
      }
      return dump.EachElement(*records, "Records", [&](const JsonSlice& slice, const std::string& path) {
        return dump.OneStreamRecord(slice, path);
      });
    }
    case DumpFormat::kBatchWrite: {
      WarnIfTruncated(cursor, members, {});
      std::string path;
      bool answers = false;
      for (const char* wrapper : {"RequestItems", "Responses"}) {
        const JsonSlice* inner = Member(members, wrapper);
        if (inner == nullptr || inner->text.front() != '{') continue;
        path = wrapper;
        answers = path == "Responses";
        const std::size_t offset = inner->offset;
        TABLECAST_ASSIGN_OR_RETURN(members, SliceJsonMembers(inner->text, 0, nullptr));
        for (JsonMemberSlice& member : members) member.value.offset += offset;
        break;
      }
      for (const JsonMemberSlice& member : members) {
        if (member.value.text.front() != '[') continue;
        const std::string at = path + (path.empty() ? "" : ".") + member.name;
        if (answers) {
          TABLECAST_RETURN_IF_ERROR(dump.EachElement(member.value, at, each_item(member.name)));
        } else {
          TABLECAST_RETURN_IF_ERROR(dump.EachElement(member.value, at, each_request(member.name)));
        }
        if (cursor.stopped()) break;
      }
      return {};
    }
    case DumpFormat::kTableDefinition: {
      TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(object.text));
      TABLECAST_ASSIGN_OR_RETURN(const auto schemas, TableDefinitionsFromJson(json));
      for (const TableSchema& schema : schemas) {
        if (!cursor.Schema(schema)) break;
      }
      return {};
    }
    default:
      return MakeError(ErrorCode::kInvalidArgument, "format-mismatch",
                       "the text is not of the format " + std::string(DumpFormatName(format)));
  }
}

}  // namespace

bool LooksTyped(const std::vector<JsonMemberSlice>& members) {
  TypedSigns signs;
  for (const JsonMemberSlice& member : members) {
    const bool object = member.value.text.front() == '{';
    const auto inner = SliceJsonMembers(object ? member.value.text : "{}", 0, nullptr);
    const bool one = inner.ok() && inner->size() == 1;
    signs.Add(object, one ? std::string_view(inner->front().name) : "", one && inner->front().value.text.front() == '"');
  }
  return signs.Typed();
}

bool LooksLikeItemWrapper(const std::vector<JsonMemberSlice>& members) {
  for (const JsonMemberSlice& member : members) {
    if (member.name == "Item" || member.name == "ConsumedCapacity" || member.name == "ResponseMetadata") continue;
    return false;
  }
  const JsonSlice* item = Member(members, "Item");
  if (item == nullptr) return false;
  // {"Item":{"S":"x"}} is a typed item whose only attribute is called Item.
  const auto inner = SliceJsonMembers(item->text, 0, nullptr);
  return inner.ok() && !(inner->size() == 1 && AttributeTypeFromName(inner->front().name) &&
                         inner->front().value.text.front() != '{');
}

Status ReadJsonDump(DumpCursor& cursor, DumpFormat format) {
  const std::string_view text = cursor.text();
  Dialect dialect = Dialect::kTyped;
  if (format == DumpFormat::kPlainJson) dialect = Dialect::kPlain;
  if (format == DumpFormat::kItemsArray || format == DumpFormat::kCli || format == DumpFormat::kGetItem ||
      format == DumpFormat::kPutRequests || format == DumpFormat::kBatchWrite) {
    dialect = Dialect::kUnknown;
  }
  JsonDump dump(cursor, dialect);
  const std::size_t begin = SkipJsonSpace(text, 0);
  switch (format) {
    case DumpFormat::kDynamoDbJson:
    case DumpFormat::kPlainJson:
      if (begin < text.size() && text[begin] == '[') {
        return dump.EachOfTopArrays(
            begin, [&](const JsonSlice& slice, const std::string& path) { return dump.OneItem(slice, path, ""); });
      }
      return EachLine(cursor, [&](const JsonSlice& slice) { return dump.OneItem(slice, "", ""); });
    case DumpFormat::kS3Incremental:
      return EachLine(cursor, [&](const JsonSlice& slice) { return dump.OneChange(slice, ""); });
    case DumpFormat::kItemsArray:
    case DumpFormat::kPutRequests: {
      if (begin >= text.size() || text[begin] != '[') {
        if (format == DumpFormat::kPutRequests) {
          return EachLine(cursor, [&](const JsonSlice& slice) { return dump.OneWriteRequest(slice, "", ""); });
        }
        return MakeError(ErrorCode::kInvalidArgument, "format-mismatch", "the text is no array");
      }
      return dump.EachOfTopArrays(begin, [&](const JsonSlice& slice, const std::string& path) {
        return format == DumpFormat::kItemsArray ? dump.OneItem(slice, path, "")
                                                 : dump.OneWriteRequest(slice, path, "");
      });
    }
    case DumpFormat::kS3Export:
      return {};  // manifests carry no records; the importer reads them itself
    default: {
      // Whole documents; several may follow each other (appended pages of the command line).
      std::size_t at = begin;
      while (at < text.size() && !cursor.stopped()) {
        if (text[at] != '{') {
          TextPosition position;
          position.offset = at;
          return MakeError(ErrorCode::kInvalidArgument, "json-syntax", "an object is due here", "", "", position);
        }
        TABLECAST_ASSIGN_OR_RETURN(const std::size_t end, SkipJsonValue(text, at));
        TABLECAST_RETURN_IF_ERROR(ReadWholeObject(cursor, dump, format, {text.substr(at, end - at), at}));
        at = SkipJsonSpace(text, end);
      }
      return {};
    }
  }
}

}  // namespace tablecast
