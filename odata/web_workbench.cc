// The qualifier workbench behind the browsing page: findings of a text, what it takes of a table and why, and
// the files of the catalog folder.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/json_reader.h"
#include "item/item_json.h"
#include "odata/web_api.h"
#include "qualifiers/qualifier_parser.h"
#include "qualifiers/validator.h"

namespace tablecast::web {

namespace {

constexpr std::size_t kMaxFileBytes = 1U << 20U;
constexpr std::size_t kItemsLookedAt = 20000;  // in each of the two passes
constexpr std::size_t kItemsShown = 25;        // of each kind
constexpr std::size_t kShownPerReason = 8;     // so that one reason does not hide the others
constexpr auto kPassTime = std::chrono::milliseconds(700);
constexpr std::size_t kAttributesShown = 6;
constexpr std::size_t kValueBytes = 80;

std::string HashOf(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned int i = 0; i < 16 && i < size; ++i) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += kHex[digest[i] >> 4U];
    out += kHex[digest[i] & 15U];
  }
  return out;
}

std::string BaseName(const std::string& name) { return name.substr(name.rfind('/') + 1); }
std::string Stem(const std::string& name) {
  const std::string base = BaseName(name);
  return base.substr(0, base.rfind('.'));
}

// A file of the folder itself: letters, digits, _ and -, then .json.
Status CheckFileName(std::string_view name) {
  const bool ends = name.ends_with(".json") && name.size() > 5 && name.size() <= 64;
  const std::string_view stem = name.substr(0, name.size() - std::min<std::size_t>(5, name.size()));
  const bool plain = std::all_of(stem.begin(), stem.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
  if (ends && plain) return {};
  return MakeError(ErrorCode::kInvalidArgument, "file-name", "a catalog file is called NAME.json, with letters, digits, _ and -",
                   "name");
}

Status CheckWorkbench(const Call& call) {
  if (MayUseWorkbench(call.principal, call.catalog)) return {};
  return MakeError(ErrorCode::kPermissionDenied, "workbench-forbidden",
                   "the workbench is for those who may read everything or edit the catalog");
}

struct Draft {
  std::string name, text, table;
};

Result<Draft> ReadDraft(const Call& call) {
  JsonOptions options;
  options.max_depth = 4;
  options.max_bytes = 8 * kMaxFileBytes;  // escapes make a text longer
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue body, ParseJson(call.request.body, options));
  Draft draft;
  for (const auto& [name, target] : {std::pair("name", &draft.name), std::pair("text", &draft.text),
                                     std::pair("table", &draft.table)}) {
    const JsonValue* value = body.Find(name);
    if (value != nullptr && value->IsString()) *target = value->text;
  }
  if (draft.name.empty()) draft.name = "untitled.json";
  if (draft.text.size() > kMaxFileBytes) {
    return MakeError(ErrorCode::kResourceExhausted, "file-too-large", "a qualifier file has at most 1 MiB", "text");
  }
  return draft;
}

// The part of catalog.json that completes this file.
class Overlay {
 public:
  Overlay(const Call& call, const std::string& file) {
    if (call.catalog_folder.empty()) return;
    auto files = ReadCatalogFolder(call.catalog_folder);
    if (!files.ok()) return;
    JsonOptions options;
    options.allow_comments = options.allow_trailing_commas = true;
    for (const CatalogFile& candidate : *files) {
      if (BaseName(candidate.name) != "catalog.json") continue;
      auto parsed = ParseJson(candidate.text, options);
      if (parsed.ok()) document_ = *std::move(parsed);
    }
    if (const JsonValue* objects = document_.Find("objects")) object_ = objects->Find(Stem(file));
    if (const JsonValue* table = document_.Find("defaultTable"); table != nullptr && table->IsString()) {
      default_table_ = table->text;
    }
  }
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  const JsonValue* object() const { return object_; }
  const std::string& default_table() const { return default_table_; }

 private:
  JsonValue document_;
  const JsonValue* object_ = nullptr;
  std::string default_table_;
};

// The table that a draft speaks about: asked for, named by the text, the catalog's default, the object's.
std::string TableOf(const Call& call, const Draft& draft, const ParsedQualifier& parsed, const Overlay& overlay) {
  if (!draft.table.empty()) return draft.table;
  if (parsed.qualifier && parsed.qualifier->table_name) return *parsed.qualifier->table_name;
  if (!overlay.default_table().empty()) return overlay.default_table();
  const ExternalObject* object = call.catalog.Find(Stem(draft.name));
  return object == nullptr ? "" : object->table();
}

std::string Cut(std::string text) {
  if (text.size() <= kValueBytes) return text;
  std::size_t end = kValueBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

std::string PlainText(const AttributeValue& value) {
  if (value.Is(AttributeType::kS)) return Cut(value.text());
  std::string out;
  JsonWriter json(out);
  WritePlainJson(json, value);
  return Cut(std::move(out));
}

// Key and first attributes of an item, cut for a table cell.
void WritePreview(JsonWriter& json, const TableSchema& schema, const Item& item) {
  json.Key("key").BeginArray();
  const auto key = [&](const std::string& name) {
    const auto found = item.find(name);
    if (found != item.end()) json.String(PlainText(found->second));
  };
  key(schema.key.partition.name);
  if (schema.key.sort) key(schema.key.sort->name);
  json.EndArray();
  json.Key("attributes").BeginArray();
  std::size_t shown = 0;
  for (const auto& [name, value] : item) {
    const bool is_key = name == schema.key.partition.name || (schema.key.sort && name == schema.key.sort->name);
    if (is_key || LooksSecret(name)) continue;
    if (++shown > kAttributesShown) break;
    json.BeginArray().String(Cut(name)).String(PlainText(value)).EndArray();
  }
  json.EndArray();
}

void WriteVerdict(JsonWriter& json, const ConditionVerdict& verdict) {
  json.BeginObject().Key("column").String(verdict.column).Key("condition").String(verdict.condition);
  json.Key("seen").String(LooksSecret(verdict.column) ? "" : verdict.seen);
  json.Key("holds").Bool(verdict.holds).EndObject();
}

// What one pass over items found. Two passes: along the qualifier's own key condition, where what it takes
// lies, and over the table from its start, where what it leaves out lies.
class Judging {
 public:
  Judging(const CompiledQualifier& qualifier, const TableSchema& schema, const AttributeNames& names, Timestamp now)
      : qualifier_(qualifier), schema_(schema), row_(qualifier, schema, names, now), taken_json_(taken_), left_json_(left_) {
    taken_json_.BeginArray();
    left_json_.BeginArray();
  }

  Status LookWhereItsItemsLie(const ReadSnapshot& snapshot) {
    const auto end = std::chrono::steady_clock::now() + kPassTime;
    std::size_t seen = 0;
    Status status;
    const auto visited = snapshot.Query(schema_.name, qualifier_.key_condition(), {}, [&](const ItemView& item) {
      row_.Reset(item);
      if (row_.Belongs()) status = ShowTaken(item);
      return status.ok() && taken_shown_ < kItemsShown && ++seen < kItemsLookedAt && std::chrono::steady_clock::now() < end;
    });
    if (!visited.ok()) return visited.error();
    return status;
  }

  Status LookAtTheTable(const ReadSnapshot& snapshot) {
    const auto end = std::chrono::steady_clock::now() + kPassTime;
    Status status;
    complete_ = true;
    const auto visited = snapshot.Scan(schema_.name, {}, [&](const ItemView& item) {
      if (scanned_ >= kItemsLookedAt || (scanned_ % 64 == 0 && std::chrono::steady_clock::now() >= end)) {
        complete_ = false;
        return false;
      }
      ++scanned_;
      row_.Reset(item);
      if (row_.Belongs()) {
        ++taken_count_;
      } else {
        status = CountLeftOut(item);
      }
      return status.ok();
    });
    if (!visited.ok()) return visited.error();
    return status;
  }

  std::string Finish() {
    taken_json_.EndArray();
    left_json_.EndArray();
    std::string out;
    JsonWriter json(out);
    json.BeginObject().Key("table").String(schema_.name);
    json.Key("keys").BeginArray().String(schema_.key.partition.name);
    if (schema_.key.sort) json.String(schema_.key.sort->name);
    json.EndArray();
    json.Key("scanned").Uint(scanned_).Key("complete").Bool(complete_);
    json.Key("takenCount").Uint(taken_count_).Key("leftOutCount").Uint(scanned_ - taken_count_);
    json.Key("reasons").BeginArray();
    std::vector<std::pair<std::string, std::uint64_t>> reasons(reasons_.begin(), reasons_.end());
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [reason, count] : reasons) {
      json.BeginObject().Key("condition").String(reason).Key("count").Uint(count).EndObject();
    }
    json.EndArray();
    json.Key("taken").Raw(taken_).Key("leftOut").Raw(left_).EndObject();
    return out;
  }

 private:
  Status ShowTaken(const ItemView& view) {
    TABLECAST_ASSIGN_OR_RETURN(const Item item, view.ToItem());
    ++taken_shown_;
    taken_json_.BeginObject();
    WritePreview(taken_json_, schema_, item);
    taken_json_.Key("values").BeginArray();
    for (std::size_t i = 0; i < qualifier_.virtual_columns().size(); ++i) {
      taken_json_.BeginObject().Key("column").String(qualifier_.virtual_columns()[i].name);
      taken_json_.Key("value").String(Cut(row_.Virtual(i).ToString()));
      const formula::EvalError* error = row_.VirtualError(i);
      if (error != nullptr) taken_json_.Key("error").String(error->message);
      taken_json_.EndObject();
    }
    taken_json_.EndArray().EndObject();
    return {};
  }

  Status CountLeftOut(const ItemView& view) {
    const std::vector<ConditionVerdict> verdicts = row_.Explain();
    const auto failed = std::find_if(verdicts.begin(), verdicts.end(), [](const auto& verdict) { return !verdict.holds; });
    const std::string reason = failed == verdicts.end() ? "" : failed->column + ": " + failed->condition;
    const std::uint64_t before = reasons_[reason]++;
    if (left_shown_ >= kItemsShown || before >= kShownPerReason) return {};
    TABLECAST_ASSIGN_OR_RETURN(const Item item, view.ToItem());
    ++left_shown_;
    left_json_.BeginObject();
    WritePreview(left_json_, schema_, item);
    left_json_.Key("failed");
    if (failed == verdicts.end()) {
      left_json_.Null();
    } else {
      WriteVerdict(left_json_, *failed);
    }
    left_json_.Key("conditions").BeginArray();
    for (const ConditionVerdict& verdict : verdicts) WriteVerdict(left_json_, verdict);
    left_json_.EndArray().EndObject();
    return {};
  }

  const CompiledQualifier& qualifier_;
  const TableSchema& schema_;
  QualifierRow row_;
  std::string taken_, left_;
  JsonWriter taken_json_, left_json_;
  std::size_t taken_shown_ = 0, left_shown_ = 0;
  std::uint64_t scanned_ = 0, taken_count_ = 0;
  bool complete_ = false;
  std::map<std::string, std::uint64_t> reasons_;  // first failing condition -> items
};

// Writes beside the target, then takes its place in one step: nobody ever reads half a file.
Status ReplaceFile(const std::filesystem::path& target, std::string_view text) {
  const std::filesystem::path temporary = target.parent_path() / ("." + target.filename().string() + ".saving");
  const auto fail = [&](const char* what) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return MakeError(ErrorCode::kUnavailable, "file-write", std::string("cannot ") + what + " the file: " + std::strerror(error),
                     target.filename().string());
  };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return fail("create");
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const Status status = fail("write");
      ::close(file);
      return status;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0 || ::close(file) != 0) return fail("write");
  if (::rename(temporary.c_str(), target.c_str()) != 0) return fail("replace");
  const int folder = ::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    static_cast<void>(::fsync(folder));
    ::close(folder);
  }
  return {};
}

Result<std::vector<CatalogFile>> FilesOf(const Call& call) {
  if (call.catalog_folder.empty()) {
    return MakeError(ErrorCode::kNotFound, "catalog-not-found", "this server has no catalog folder");
  }
  return ReadCatalogFolder(call.catalog_folder);
}

// The file must be the one that the caller has seen: If-Match for a change, If-None-Match: * for a new one.
Status CheckUnchanged(const Call& call, const CatalogFile* current, const std::string& name) {
  const std::string_view if_match = call.request.headers.Get("If-Match");
  const std::string_view if_none_match = call.request.headers.Get("If-None-Match");
  if (if_match.empty() && if_none_match.empty()) {
    return MakeError(ErrorCode::kFailedPrecondition, "precondition-required", "If-Match or If-None-Match is needed", name);
  }
  const bool matches = if_match.empty() || (current != nullptr && (if_match == "*" || if_match.find("\"" + HashOf(current->text) + "\"") != std::string_view::npos));
  const bool absent = if_none_match.empty() || current == nullptr;
  if (matches && absent) return {};
  return MakeError(ErrorCode::kFailedPrecondition, "etag-mismatch",
                   current == nullptr ? "the file is gone" : "the file was changed by somebody else", name,
                   "open it again and repeat your change");
}

}  // namespace

bool MayUseWorkbench(const Principal& principal, const Catalog& catalog) {
  if (principal.may_edit_catalog) return true;
  if (!principal.default_rights.read || !principal.hidden_fields.empty()) return false;
  return std::all_of(catalog.objects().begin(), catalog.objects().end(),
                     [&](const auto& object) { return principal.RightsFor(object->name()).read; });
}

Result<std::string> Validate(const Call& call) {
  TABLECAST_RETURN_IF_ERROR(CheckWorkbench(call));
  TABLECAST_ASSIGN_OR_RETURN(const Draft draft, ReadDraft(call));
  const Overlay overlay(call, draft.name);
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, call.store.BeginRead());
  std::vector<Issue> issues;
  if (BaseName(draft.name) == "catalog.json") {
    // The overlay means something only together with the files it completes.
    TABLECAST_ASSIGN_OR_RETURN(std::vector<CatalogFile> files, FilesOf(call));
    for (CatalogFile& file : files) {
      if (BaseName(file.name) == "catalog.json") file.text = draft.text;
    }
    CatalogOptions options;
    options.keep_inferred = false;
    for (Issue& issue : LoadCatalog(files, &call.store, options).issues) {
      if (BaseName(issue.file) == "catalog.json") issues.push_back(std::move(issue));
    }
  } else {
    ValidateOptions options;
    options.overlay = overlay.object();
    options.compile.blank_as_zero = call.catalog.blank_as_zero();
    const std::string table = TableOf(call, draft, ParseQualifier(draft.text, draft.name), overlay);
    const auto schema = snapshot->Schema(table);
    issues = ValidateQualifier(draft.text, draft.name, schema.ok() ? *schema : nullptr, options);
  }
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("issues").Raw(IssuesAsJson(issues)).Key("faulty").Bool(HasErrors(issues)).EndObject();
  return out;
}

Result<std::string> Judge(const Call& call) {
  TABLECAST_RETURN_IF_ERROR(CheckWorkbench(call));
  TABLECAST_ASSIGN_OR_RETURN(const Draft draft, ReadDraft(call));
  const Overlay overlay(call, draft.name);
  const ParsedQualifier parsed = ParseQualifier(draft.text, draft.name);
  const Error faulty = MakeError(ErrorCode::kInvalidArgument, "qualifier-faulty",
                                 "the qualifier has errors; mend them first", draft.name);
  if (!parsed.qualifier || HasErrors(parsed.issues)) return faulty;
  const std::string table = TableOf(call, draft, parsed, overlay);
  TABLECAST_ASSIGN_OR_RETURN(const auto snapshot, call.store.BeginRead());
  TABLECAST_ASSIGN_OR_RETURN(const TableSchema* schema, snapshot->Schema(table));
  TABLECAST_ASSIGN_OR_RETURN(const AttributeNames* names, snapshot->Names(table));
  CompileQualifierOptions options;
  options.blank_as_zero = call.catalog.blank_as_zero();
  const QualifierCompilation compiled = CompileQualifier(*parsed.qualifier, *schema, options);
  if (compiled.qualifier == nullptr) return faulty;
  Judging judging(*compiled.qualifier, *schema, *names, call.request.received);
  TABLECAST_RETURN_IF_ERROR(judging.LookWhereItsItemsLie(*snapshot));
  TABLECAST_RETURN_IF_ERROR(judging.LookAtTheTable(*snapshot));
  return judging.Finish();
}

Result<std::string> CatalogFiles(const Call& call) {
  TABLECAST_RETURN_IF_ERROR(CheckWorkbench(call));
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<CatalogFile> files, FilesOf(call));
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("files").BeginArray();
  for (const CatalogFile& file : files) json.String(BaseName(file.name));
  json.EndArray().EndObject();
  return out;
}

Result<FileText> ReadCatalogFile(const Call& call) {
  TABLECAST_RETURN_IF_ERROR(CheckWorkbench(call));
  TABLECAST_ASSIGN_OR_RETURN(const std::string name, call.Parameter("name"));
  TABLECAST_ASSIGN_OR_RETURN(const std::vector<CatalogFile> files, FilesOf(call));
  for (const CatalogFile& file : files) {
    if (BaseName(file.name) != name) continue;
    FileText out;
    out.etag = HashOf(file.text);
    JsonWriter json(out.json);
    json.BeginObject().Key("name").String(name).Key("text").String(file.text).EndObject();
    return out;
  }
  return MakeError(ErrorCode::kNotFound, "file-not-found", "the catalog has no such file", name);
}

Result<SaveOutcome> SaveCatalogFile(const Call& call) {
  if (!call.principal.may_edit_catalog) {
    return MakeError(ErrorCode::kPermissionDenied, "catalog-edit-forbidden", "you may not change the catalog");
  }
  TABLECAST_ASSIGN_OR_RETURN(const std::string name, call.Parameter("name"));
  TABLECAST_RETURN_IF_ERROR(CheckFileName(name));
  TABLECAST_ASSIGN_OR_RETURN(const Draft draft, ReadDraft(call));
  TABLECAST_ASSIGN_OR_RETURN(std::vector<CatalogFile> files, FilesOf(call));
  const auto same = std::find_if(files.begin(), files.end(), [&](const CatalogFile& file) { return BaseName(file.name) == name; });
  TABLECAST_RETURN_IF_ERROR(CheckUnchanged(call, same == files.end() ? nullptr : &*same, name));
  const std::filesystem::path path = std::filesystem::path(call.catalog_folder) / name;
  if (same == files.end()) {
    files.push_back({path.string(), draft.text});
  } else {
    same->text = draft.text;
  }
  std::sort(files.begin(), files.end(), [](const CatalogFile& a, const CatalogFile& b) { return a.name < b.name; });
  // A file may be right by itself and wrong beside the others: two objects of one name, a lost relationship.
  CatalogOptions options;
  options.keep_inferred = false;
  const CatalogLoad load = LoadCatalog(files, &call.store, options);
  SaveOutcome outcome;
  outcome.saved = load.catalog != nullptr;
  if (outcome.saved) {
    TABLECAST_RETURN_IF_ERROR(ReplaceFile(path, draft.text));
    outcome.etag = HashOf(draft.text);
  }
  JsonWriter json(outcome.json);
  json.BeginObject().Key("saved").Bool(outcome.saved);
  if (!outcome.saved) {
    json.Key("error").BeginObject().Key("code").String("catalog-faulty");
    json.Key("message").String("the catalog would not load with this text; nothing was saved").EndObject();
  }
  json.Key("issues").Raw(IssuesAsJson(load.issues)).EndObject();
  return outcome;
}

}  // namespace tablecast::web
