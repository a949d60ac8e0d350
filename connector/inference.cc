#include "connector/inference.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/civil_time.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "item/item_codec.h"
#include "item/number.h"

namespace tablecast {
namespace {

constexpr int kMaxComplexDepth = 4;
constexpr std::size_t kMaxMembers = 100;
constexpr std::size_t kMaxAttributes = 1000;
constexpr std::uint64_t kMaxVisited = 1000000;  // items looked at for the spread half of the sample
constexpr int kKeptVersion = 1;
constexpr std::size_t kMaxName = 40;

// The next of 128, 255 and long that leaves half as much again.
std::uint32_t WithHeadroom(std::size_t longest) {
  const std::size_t wanted = longest + longest / 2;
  if (wanted <= 128) return 128;
  if (wanted <= 255) return 255;
  if (wanted <= 32768) return 32768;
  return wanted <= 131072 ? 131072 : 409600;
}

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool IsIdentifierByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string MakeName(std::string_view original) {
  std::string out;
  for (const char c : original) {
    const char kept = IsIdentifierByte(c) ? c : '_';
    if (kept == '_' && !out.empty() && out.back() == '_') continue;
    out += kept;
  }
  const std::size_t first = out.find_first_not_of('_');
  if (first == std::string::npos) return "f_";
  out = out.substr(first, out.find_last_not_of('_') - first + 1);
  if (!IsLetter(out.front())) out.insert(0, "f_");
  if (out.size() > kMaxName) out.resize(kMaxName);
  return out;
}

void WriteAttributes(JsonWriter& json, const std::vector<InferredAttribute>& attributes) {
  json.BeginArray();
  for (const InferredAttribute& attribute : attributes) {
    json.BeginObject()
        .Key("name")
        .String(attribute.name)
        .Key("type")
        .String(FieldTypeName(attribute.type));
    if (attribute.collection) {
      json.Key("collection")
          .Bool(true)
          .Key("stored")
          .String(AttributeTypeName(attribute.stored_collection));
    }
    if (attribute.mixed_list) json.Key("mixed").Bool(true);
    json.Key("length").Uint(attribute.max_length);
    if (!attribute.members.empty()) {
      json.Key("members");
      WriteAttributes(json, attribute.members);
    }
    json.EndObject();
  }
  json.EndArray();
}

bool ReadAttributes(const JsonValue* array, std::vector<InferredAttribute>& out) {
  if (array == nullptr || !array->IsArray()) return false;
  for (const JsonValue& element : array->elements) {
    const JsonValue* name = element.Find("name");
    const JsonValue* type = element.Find("type");
    const JsonValue* length = element.Find("length");
    if (name == nullptr || type == nullptr || length == nullptr || !length->IsNumber())
      return false;
    const std::optional<FieldType> field_type = FieldTypeFromName(type->text);
    const Result<Decimal> size = Decimal::Parse(length->text);
    if (!field_type || !size.ok()) return false;
    InferredAttribute attribute;
    attribute.name = name->text;
    attribute.type = *field_type;
    attribute.max_length = static_cast<std::uint32_t>(size->ToInt64Saturated());
    if (const JsonValue* collection = element.Find("collection"))
      attribute.collection = collection->boolean;
    if (const JsonValue* mixed = element.Find("mixed")) attribute.mixed_list = mixed->boolean;
    if (const JsonValue* stored = element.Find("stored")) {
      attribute.stored_collection = AttributeTypeFromName(stored->text).value_or(AttributeType::kL);
    }
    const JsonValue* members = element.Find("members");
    if (members != nullptr && !ReadAttributes(members, attribute.members)) return false;
    out.push_back(std::move(attribute));
  }
  return true;
}

}  // namespace

bool LooksLikeSecret(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWords = {"password", "salt", "secret", "token", "ssn"};
  const std::string lower = LowerAscii(name);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void ValueStatistics::Add(const AttributeView& value, int depth) {
  if (!value.present()) return;
  ++seen_;
  if (value.Is(AttributeType::kNull)) return;
  ++types_[value.type()];
  switch (value.type()) {
    case AttributeType::kS: {
      longest_ = std::max(longest_, CountCodePoints(value.payload()));
      if (value.payload().empty()) return;
      ++texts_;
      const Result<IsoDateTime> iso = ParseIso8601(value.payload(), 0);
      if (!iso.ok()) {
        if (misfit_.empty()) misfit_ = value.payload().substr(0, CodePointOffset(value.payload(), kMaxName));
        return;
      }
      ++date_times_;
      if (iso->form == IsoForm::kDate) ++dates_;
      return;
    }
    case AttributeType::kN: {
      ++numbers_;
      const Result<Decimal> number = DecodeNumber(value.payload());
      if (!number.ok()) return;
      if (number->Scale() <= 2) ++cents_;
      const std::optional<std::int64_t> whole = number->ToInt64();
      // 2000..2100 in seconds or milliseconds.
      if (whole && *whole >= 946684800 && *whole < 4102444800) ++seconds_;
      if (whole && *whole >= 946684800000 && *whole < 4102444800000) ++milliseconds_;
      return;
    }
    case AttributeType::kB: longest_ = std::max(longest_, value.payload().size()); return;
    case AttributeType::kM:
      if (depth >= kMaxComplexDepth) return;
      ForEachElement(value, [&](std::string_view name, const AttributeView& member) {
        auto at = members_.find(name);
        if (at == members_.end()) {
          if (members_.size() > kMaxMembers) return false;
          at = members_.emplace(std::string(name), std::make_unique<ValueStatistics>()).first;
        }
        at->second->Add(member, depth + 1);
        return true;
      });
      return;
    case AttributeType::kL:
    case AttributeType::kSS:
    case AttributeType::kNS:
    case AttributeType::kBS:
      if (depth >= kMaxComplexDepth) return;
      if (!elements_) elements_ = std::make_unique<ValueStatistics>();
      ForEachElement(value, [&](std::string_view, const AttributeView& element) {
        elements_->Add(element, depth + 1);
        return true;
      });
      return;
    default: return;
  }
}

bool ValueStatistics::varies() const { return types_.size() > 1; }

std::vector<std::pair<std::string, std::uint64_t>> ValueStatistics::TypeCounts() const {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const auto& [type, count] : types_)
    out.emplace_back(std::string(AttributeTypeName(type)), count);
  return out;
}

AttributeType ValueStatistics::Majority() const {
  AttributeType best = AttributeType::kS;
  std::uint64_t most = 0;
  for (const auto& [type, count] : types_) {
    if (count > most) {
      most = count;
      best = type;
    }
  }
  return best;
}

InferredAttribute ValueStatistics::Conclude(std::string name) const {
  InferredAttribute out;
  out.name = std::move(name);
  const AttributeType type = Majority();
  switch (type) {
    case AttributeType::kS:
      out.max_length = WithHeadroom(longest_);
      if (texts_ > 0 && dates_ == texts_) {
        out.type = FieldType::kDate;
      } else if (texts_ > 0 && date_times_ == texts_) {
        out.type = FieldType::kDateTime;
      } else {
        out.type = out.max_length > 255 ? FieldType::kLongText : FieldType::kText;
      }
      return out;
    case AttributeType::kN: out.type = FieldType::kNumber; return out;
    case AttributeType::kBool: out.type = FieldType::kCheckbox; return out;
    case AttributeType::kB:
      out.type = FieldType::kBinary;
      out.max_length = WithHeadroom(longest_);
      return out;
    case AttributeType::kM: {
      out.type = FieldType::kJsonText;
      out.max_length = 32768;
      if (members_.empty() || members_.size() > kMaxMembers) return out;
      for (const auto& [member, statistics] : members_) {
        if (statistics->varies()) {
          out.members.clear();
          return out;
        }
        if (!LooksLikeSecret(member)) out.members.push_back(statistics->Conclude(member));
      }
      if (!out.members.empty()) out.type = FieldType::kComplex;
      return out;
    }
    default: break;
  }
  // Lists and sets.
  const bool uniform =
      elements_ && elements_->seen_ > 0 && !elements_->varies() && !elements_->types_.empty();
  if (uniform) {
    InferredAttribute element = elements_->Conclude(out.name);
    if (!element.collection && element.type != FieldType::kJsonText) {
      element.collection = true;
      element.stored_collection = type;
      return element;
    }
  }
  out.type = FieldType::kJsonText;
  out.mixed_list = true;
  out.max_length = 32768;
  return out;
}

bool ValueStatistics::LooksLikeEpoch() const {
  return numbers_ > 0 && seconds_ == numbers_ && numbers_ == seen_;
}

bool ValueStatistics::LooksLikeEpochMilliseconds() const {
  return numbers_ > 0 && milliseconds_ == numbers_ && numbers_ == seen_;
}

std::optional<InferenceReport::DateLike> ValueStatistics::MostlyDates() const {
  if (Majority() != AttributeType::kS || date_times_ == texts_ || date_times_ < texts_ - texts_ / 10) return std::nullopt;
  InferenceReport::DateLike out;
  out.type = dates_ == date_times_ ? FieldType::kDate : FieldType::kDateTime;
  out.fitting = date_times_;
  out.texts = texts_;
  out.misfit = misfit_;
  return out;
}

bool ValueStatistics::LooksLikeMoney(std::string_view name) const {
  constexpr std::array<std::string_view, 7> kWords = {"price", "total",   "amount", "cost",
                                                      "fee",   "balance", "revenue"};
  if (numbers_ == 0 || cents_ != numbers_) return false;
  const std::string lower = LowerAscii(name);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

InferredSchema InferSchema(const std::string& object, const TableSchema& schema,
                           const std::function<Status(const ItemVisitor&)>& members,
                           std::uint64_t total, const CatalogOptions& options, Status& status) {
  std::map<std::string, ValueStatistics, std::less<>> attributes;
  InferredSchema out;
  out.report.object = object;
  std::uint64_t visited = 0;
  const std::uint64_t rest = total > options.sample_first ? total - options.sample_first : 0;
  const std::uint64_t stride =
      options.sample_spread == 0 ? 0 : std::max<std::uint64_t>(1, rest / options.sample_spread);
  status = members([&](const ItemView& item) {
    ++visited;
    if (visited > kMaxVisited) return false;
    if (visited > options.sample_first) {
      if (stride == 0) return false;
      if ((visited - options.sample_first) % stride != 0) return true;
    }
    ++out.report.items_seen;
    for (std::size_t i = 0; i < item.AttributeCount(); ++i) {
      const ItemView::Attribute attribute = item.AttributeAt(i);
      const std::string_view name = item.names().Name(attribute.id);
      auto at = attributes.find(name);
      if (at == attributes.end()) {
        if (attributes.size() >= kMaxAttributes) continue;
        at = attributes.emplace(std::string(name), ValueStatistics()).first;
      }
      at->second.Add(attribute.value, 0);
    }
    attributes[schema.key.partition.name].Add(item.partition(), 0);
    if (schema.key.sort) attributes[schema.key.sort->name].Add(item.sort(), 0);
    return true;
  });
  for (const auto& [name, statistics] : attributes) {
    if (LooksLikeSecret(name)) {
      out.report.withheld.push_back(name);
      continue;
    }
    if (statistics.varies()) out.report.conflicts.push_back({name, statistics.TypeCounts()});
    if (statistics.LooksLikeMoney(name)) out.report.money_like.push_back(name);
    if (statistics.LooksLikeEpoch()) out.report.epoch_like.push_back(name);
    if (statistics.LooksLikeEpochMilliseconds()) out.report.epoch_ms_like.push_back(name);
    if (auto dates = statistics.MostlyDates()) {
      dates->attribute = name;
      out.report.date_like.push_back(*std::move(dates));
    }
    out.attributes.push_back(statistics.Conclude(name));
  }
  return out;
}

std::string WriteInferredSchema(const InferredSchema& schema, std::string_view qualifier_hash) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  json.Key("version").Int(kKeptVersion);
  json.Key("hash").String(qualifier_hash);
  json.Key("seen").Uint(schema.report.items_seen);
  json.Key("attributes");
  WriteAttributes(json, schema.attributes);
  const auto names = [&](std::string_view key, const std::vector<std::string>& list) {
    json.Key(key).BeginArray();
    for (const std::string& name : list) json.String(name);
    json.EndArray();
  };
  names("withheld", schema.report.withheld);
  names("money", schema.report.money_like);
  names("epoch", schema.report.epoch_like);
  names("epochMs", schema.report.epoch_ms_like);
  json.Key("conflicts").BeginArray();
  for (const InferenceReport::Conflict& conflict : schema.report.conflicts) {
    json.BeginObject().Key("name").String(conflict.attribute).Key("types").BeginObject();
    for (const auto& [type, count] : conflict.types) json.Key(type).Uint(count);
    json.EndObject().EndObject();
  }
  json.EndArray().EndObject();
  return text;
}

std::optional<InferredSchema> ReadInferredSchema(std::string_view text,
                                                 std::string_view qualifier_hash) {
  const Result<JsonValue> json = ParseJson(text);
  if (!json.ok()) return std::nullopt;
  const JsonValue* version = json->Find("version");
  const JsonValue* hash = json->Find("hash");
  if (version == nullptr || version->text != std::to_string(kKeptVersion)) return std::nullopt;
  if (hash == nullptr || hash->text != qualifier_hash) return std::nullopt;
  InferredSchema out;
  out.report.from_kept = true;
  const auto count = [](const JsonValue* value) {
    if (value == nullptr || !value->IsNumber()) return std::uint64_t{0};
    const Result<Decimal> number = Decimal::Parse(value->text);
    return number.ok() ? static_cast<std::uint64_t>(number->ToInt64Saturated()) : std::uint64_t{0};
  };
  out.report.items_seen = count(json->Find("seen"));
  const auto names = [&](std::string_view key, std::vector<std::string>& list) {
    const JsonValue* array = json->Find(key);
    if (array == nullptr) return;
    for (const JsonValue& element : array->elements) list.push_back(element.text);
  };
  names("withheld", out.report.withheld);
  names("money", out.report.money_like);
  names("epoch", out.report.epoch_like);
  names("epochMs", out.report.epoch_ms_like);
  if (const JsonValue* conflicts = json->Find("conflicts")) {
    for (const JsonValue& element : conflicts->elements) {
      InferenceReport::Conflict conflict;
      if (const JsonValue* name = element.Find("name")) conflict.attribute = name->text;
      if (const JsonValue* types = element.Find("types")) {
        for (const JsonMember& member : types->members)
          conflict.types.emplace_back(member.name, count(&member.value));
      }
      out.report.conflicts.push_back(std::move(conflict));
    }
  }
  if (!ReadAttributes(json->Find("attributes"), out.attributes)) return std::nullopt;
  return out;
}

bool IsODataIdentifier(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  if (!IsLetter(name.front()) && name.front() != '_') return false;
  return std::all_of(name.begin(), name.end(), IsIdentifierByte);
}

std::map<std::string, std::string, std::less<>> PublishedNames(
    std::vector<std::string> originals, const std::vector<std::string>& taken) {
  std::sort(originals.begin(), originals.end());
  originals.erase(std::unique(originals.begin(), originals.end()), originals.end());
  std::set<std::string, std::less<>> used(taken.begin(), taken.end());
  std::map<std::string, std::string, std::less<>> out;
  // Identifiers keep their names whatever the others would become.
  for (const std::string& original : originals) {
    if (IsODataIdentifier(original) && original != kExternalIdField &&
        used.insert(original).second) {
      out[original] = original;
    }
  }
  for (const std::string& original : originals) {
    if (out.count(original) != 0) continue;
    const bool external = original == kExternalIdField;
    const std::string base = external ? std::string(original) + "_1" : MakeName(original);
    std::string name = base;
    for (int number = 2; !used.insert(name).second; ++number) {
      const std::string suffix = "_" + std::to_string(number);
      name = base.substr(0, kMaxName - suffix.size()) + suffix;
    }
    out[original] = name;
  }
  return out;
}

}  // namespace tablecast
