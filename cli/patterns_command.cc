// tablecast patterns: the declared access patterns, run on the data; without declarations, what each object's
// operations cost.

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace tablecast::cli {

namespace {

struct Outcome {
  std::string name;
  std::string request;
  std::string path;       // access kind that was taken
  std::string expected;   // declared; "" = none
  std::uint64_t read = 0;
  std::uint64_t returned = 0;
  std::optional<std::uint64_t> max_reads;
  std::string fault;  // why the pattern degrades; "" = fine
};


// Each report of a plan holds its own figures: the request's are their sum.
void AddFigures(const PlanReport& report, Outcome& outcome) {
  std::vector<const PlanReport*> left = {&report};
  while (!left.empty()) {
    const PlanReport* at = left.back();
    left.pop_back();
    if (at->actual) outcome.read += at->actual->items;
    outcome.returned += at->root.actual_rows.value_or(0);
    for (const PlanReport& expand : at->expands) left.push_back(&expand);
  }
}

Outcome RunPattern(const Service& service, const AccessPattern& pattern) {
  Outcome outcome;
  outcome.name = pattern.name;
  outcome.request = pattern.ExampleRequest();
  outcome.expected = pattern.path;
  outcome.max_reads = pattern.max_reads;
  const auto report = service.Plan(LocalRequest(outcome.request), true);
  if (!report.ok()) {
    outcome.fault = report.error().ToString();
    return outcome;
  }
  outcome.path = std::string(AccessKindName(report->access));
  AddFigures(*report, outcome);
  if (!outcome.expected.empty() && outcome.expected != outcome.path) {
    outcome.fault = "takes " + outcome.path + " instead of " + outcome.expected;
  } else if (outcome.max_reads && outcome.read > *outcome.max_reads) {
    outcome.fault = "reads " + Thousands(outcome.read) + " items, more than " + Thousands(*outcome.max_reads);
  } else if (outcome.expected.empty() && report->access == AccessKind::kFullScan) {
    outcome.fault = "reads the whole table";
  }
  return outcome;
}

// A text as a quoted literal of a request, escaped for its address: "a/b's" -> 'a%2Fb%27%27s'.
std::string Literal(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "'";
  const auto escape = [&out, kHex](unsigned char byte) {
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  };
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (plain) {
      out += c;
      continue;
    }
    escape(static_cast<unsigned char>(c));
    if (c == '\'') escape(static_cast<unsigned char>(c));
  }
  return out + "'";
}

// Literals for the fields of the object, from its first record: made-up values would lead to plans that no real request
// has, such as nothing at all for a key that no item can have.
class SampleRecord {
 public:
  SampleRecord(const Service& service, const ExternalObject& object) {
    const HttpResponse answer = service.Handle(LocalRequest(object.name() + "?$top=1"));
    auto json = ParseJson(answer.body);
    if (answer.status == 200 && json.ok()) answer_ = *std::move(json);
  }

  // '0' where the record has no text there, or none that an address can carry.
  std::string LiteralOf(std::string_view field) const {
    constexpr std::size_t kMaxText = 2000;
    const JsonValue* records = answer_.Find("value");
    if (records == nullptr || records->elements.empty()) return "'0'";
    const JsonValue* value = records->elements.front().Find(field);
    const bool usable = value != nullptr && value->type == JsonType::kString && value->text.size() <= kMaxText;
    return usable ? Literal(value->text) : "'0'";
  }

 private:
  JsonValue answer_;
};

// What the operations of an object cost when no pattern is declared.
std::vector<std::vector<std::string>> OperationRows(const Service& service, const Catalog& catalog) {
  std::vector<std::vector<std::string>> rows{{"object", "operation", "path"}};
  for (const auto& object : catalog.objects()) {
    const auto path_of = [&](const std::string& request) -> std::string {
      const auto report = service.Plan(LocalRequest(request), false);
      return report.ok() ? std::string(AccessKindName(report->access)) : report.error().reason;
    };
    const SampleRecord sample(service, *object);
    rows.push_back({object->name(), "browse", path_of(object->name())});
    rows.push_back({object->name(), "by external ID", path_of(object->name() + "(" + sample.LiteralOf(kExternalIdField) + ")")});
    for (const Navigation& navigation : object->navigations()) {
      rows.push_back({object->name(), "expand " + navigation.name, path_of(object->name() + "?$top=1&$expand=" + navigation.name)});
    }
    for (const Field& field : object->fields()) {
      if (field.hidden || field.collection || field.kind != EdmKind::kString || field.source.kind == SourceKind::kExternalId) continue;
      rows.push_back({object->name(), "filter " + field.name, path_of(object->name() + "?$filter=" + field.name + " eq " + sample.LiteralOf(field.name))});
    }
  }
  return rows;
}

std::string RatioText(const Outcome& outcome) {
  if (outcome.returned == 0) return "-";
  // One decimal, exactly.
  const std::uint64_t tenths = outcome.read * 10 / outcome.returned;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

ExitCode RunPatterns(const Terminal& terminal, const PatternsOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "patterns", store.error());
  const auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
  if (!catalog.ok()) return PrintError(terminal, "patterns", catalog.error());
  const Status built = BuildIndexes(terminal, *catalog->catalog, **store);
  if (!built.ok()) return PrintError(terminal, "patterns", built.error());
  Service service(**store, {});
  service.SetCatalog(catalog->catalog);
  if (catalog->catalog->access_patterns().empty()) {
    WriteStdout(AlignedTable(OperationRows(service, *catalog->catalog)));
    return kSuccess;
  }
  std::vector<Outcome> outcomes;
  for (const AccessPattern& pattern : catalog->catalog->access_patterns()) outcomes.push_back(RunPattern(service, pattern));
  bool degraded = false;
  std::string out;
  if (options.format == "json") {
    JsonWriter json(out);
    json.BeginObject().Key("patterns").BeginArray();
    for (const Outcome& outcome : outcomes) {
      json.BeginObject().Key("name").String(outcome.name).Key("request").String(outcome.request).Key("path").String(outcome.path);
      json.Key("read").Uint(outcome.read).Key("returned").Uint(outcome.returned);
      if (!outcome.fault.empty()) json.Key("fault").String(outcome.fault);
      json.EndObject();
      degraded = degraded || !outcome.fault.empty();
    }
    json.EndArray().EndObject();
    out += '\n';
  } else {
    std::vector<std::vector<std::string>> rows{{"pattern", "path", "read", "returned", "read per row"}};
    for (const Outcome& outcome : outcomes) {
      rows.push_back({outcome.name, outcome.path, Thousands(outcome.read), Thousands(outcome.returned), RatioText(outcome)});
    }
    out = AlignedTable(rows);
    for (const Outcome& outcome : outcomes) {
      if (outcome.fault.empty()) continue;
      degraded = true;
      out += outcome.name + ": " + outcome.fault + " (" + outcome.request + ")\n";
    }
  }
  WriteStdout(out);
  return options.check && degraded ? kAnswerIsNo : kSuccess;
}

}  // namespace tablecast::cli
