#include "connector/external_id.h"

#include "base/base64.h"
#include "connector/content_hash.h"
#include "connector/key_ranges.h"
#include "item/number.h"

namespace tablecast {
namespace {

std::string AlternateKeyText(const ExternalObject& object) {
  std::string out = object.name() + "(";
  for (std::size_t i = 0; i < object.alternate_key_columns().size(); ++i) {
    if (i > 0) out += ',';
    out += object.alternate_key_columns()[i] + "=...";
  }
  return out + ")";
}

Error TooManySplits(const ExternalObject& object) {
  return MakeError(
      ErrorCode::kInvalidArgument, "external-id-separators",
      "this external ID can be split in more than " + std::to_string(kMaxIdSplits) + " ways", {},
      "address the record by its alternate key " + AlternateKeyText(object));
}

// nullopt when a `~` is followed by anything but 0 or 1.
std::optional<std::string> Unescape(const ExternalIdSpec& spec, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') {
      out += text[i];
      continue;
    }
    if (i + 1 >= text.size()) return std::nullopt;
    const char code = text[++i];
    if (code == '0') {
      out += '~';
    } else if (code == '1') {
      out += spec.separator;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

// Chooses `left` more separator positions at or after `from`.
bool Choose(std::string_view id, const std::vector<std::size_t>& at, std::size_t separator,
            std::size_t from, std::size_t left, std::vector<std::size_t>& chosen,
            std::vector<std::vector<std::string>>& out) {
  if (left == 0) {
    if (out.size() >= kMaxIdSplits) return false;
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (const std::size_t position : chosen) {
      parts.emplace_back(id.substr(begin, position - begin));
      begin = position + separator;
    }
    parts.emplace_back(id.substr(begin));
    out.push_back(std::move(parts));
    return true;
  }
  for (std::size_t i = from; i < at.size(); ++i) {
    if (!chosen.empty() && at[i] < chosen.back() + separator) continue;
    chosen.push_back(at[i]);
    const bool room = Choose(id, at, separator, i + 1, left - 1, chosen, out);
    chosen.pop_back();
    if (!room) return false;
  }
  return true;
}

// The stored value that a physical part's text stands for; nullopt when there is none.
std::optional<AttributeValue> PartValue(const ExternalIdPart& part, const std::string& text) {
  switch (part.type) {
    case AttributeType::kN: {
      Result<AttributeValue> number = AttributeValue::NumberFromText(text);
      // Only the normal form is an ID: 1.0 is not the record 1.
      if (!number.ok() || number->NumberAsText() != text) return std::nullopt;
      return *std::move(number);
    }
    case AttributeType::kB: {
      Result<std::string> bytes = DecodeBase64Url(text);
      if (!bytes.ok() || bytes->empty()) return std::nullopt;
      return AttributeValue::Binary(*std::move(bytes));
    }
    default: {
      std::string value = part.stripped_prefix + text;
      if (value.empty()) return std::nullopt;
      return AttributeValue::String(std::move(value));
    }
  }
}

void NarrowKey(KeyCondition& key, const TableSchema& schema, std::string_view attribute,
               const ColumnCondition& by) {
  if (attribute == schema.key.partition.name) key.partition = Intersect(key.partition, by);
  if (schema.key.sort && attribute == schema.key.sort->name) key.sort = Intersect(key.sort, by);
}

}  // namespace

std::string ExternalIdPartText(const ExternalIdPart& part, const AttributeView& stored) {
  if (stored.Is(AttributeType::kN)) return NumberText(stored.payload());
  if (stored.Is(AttributeType::kB)) return EncodeBase64Url(stored.payload());
  if (!stored.Is(AttributeType::kS)) return {};
  std::string_view text = stored.payload();
  if (text.substr(0, part.stripped_prefix.size()) == part.stripped_prefix) {
    text.remove_prefix(part.stripped_prefix.size());
  }
  return std::string(text);
}

std::string EscapeIdPart(const ExternalIdSpec& spec, std::string text, bool always) {
  if (!spec.escape && !always) return text;
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '~') {
      out += "~0";
      ++at;
    } else if (!spec.separator.empty() &&
               text.compare(at, spec.separator.size(), spec.separator) == 0) {
      out += "~1";
      at += spec.separator.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

Result<std::vector<std::vector<std::string>>> SplitExternalId(const ExternalObject& object,
                                                              std::string_view id) {
  const ExternalIdSpec& spec = object.external_id();
  const std::size_t wanted = object.embedded() != nullptr ? 2 : spec.parts.size();
  std::vector<std::size_t> at;
  if (!spec.separator.empty()) {
    for (std::size_t i = id.find(spec.separator); i != std::string_view::npos;
         i = id.find(spec.separator, i + 1)) {
      at.push_back(i);
    }
  }
  std::vector<std::vector<std::string>> splits;
  if (wanted > 1 && at.size() + 1 < wanted) return splits;
  // Escaped parts hold no separator: there is one way or none.
  if (spec.escape && object.embedded() == nullptr && at.size() + 1 != wanted) return splits;
  std::vector<std::size_t> chosen;
  if (!Choose(id, at, spec.separator.size(), 0, wanted - 1, chosen, splits))
    return TooManySplits(object);
  std::vector<std::vector<std::string>> out;
  for (std::vector<std::string>& parts : splits) {
    bool valid = true;
    for (std::size_t i = 0; i < parts.size() && valid; ++i) {
      const bool binary = object.embedded() == nullptr && spec.parts[i].type == AttributeType::kB;
      const bool parent_id = object.embedded() != nullptr && i == 0;
      if ((!spec.escape && !binary) || parent_id) continue;
      std::optional<std::string> plain = Unescape(spec, parts[i]);
      valid = plain.has_value();
      if (plain) parts[i] = *std::move(plain);
    }
    if (valid) out.push_back(std::move(parts));
  }
  return out;
}

Result<std::vector<KeyCondition>> ExternalIdConditions(const ExternalObject& object,
                                                       std::string_view id) {
  TABLECAST_ASSIGN_OR_RETURN(const auto splits, SplitExternalId(object, id));
  std::vector<KeyCondition> out;
  const auto keep = [&](KeyCondition condition) {
    if (condition.partition.never || condition.sort.never) return;
    for (const KeyCondition& other : out) {
      if (other == condition) return;
    }
    out.push_back(std::move(condition));
  };
  for (const std::vector<std::string>& parts : splits) {
    if (const EmbeddedList* list = object.embedded()) {
      TABLECAST_ASSIGN_OR_RETURN(auto parents, ExternalIdConditions(*list->parent, parts.front()));
      for (KeyCondition& condition : parents) keep(std::move(condition));
      continue;
    }
    KeyCondition key = object.qualifier().key_condition();
    std::vector<CompiledQualifier::VirtualCondition> bound;
    bool possible = true;
    for (std::size_t i = 0; i < parts.size() && possible; ++i) {
      const ExternalIdPart& part = object.external_id().parts[i];
      if (part.source.kind == SourceKind::kVirtual) {
        const VirtualColumn& column =
            object.qualifier().virtual_columns()[part.source.virtual_index];
        formula::Value literal = formula::Value::Text(parts[i]);
        if (column.type == formula::ValueType::kNumber) {
          const Result<Decimal> number = Decimal::Parse(parts[i]);
          possible = number.ok();
          if (number.ok()) literal = formula::Value::Number(*number);
        }
        bound.push_back({part.column, CompiledQualifier::PushOp::kEq, {literal}});
        continue;
      }
      std::optional<AttributeValue> value = PartValue(part, parts[i]);
      possible = value.has_value();
      if (value)
        NarrowKey(key, object.schema(), part.source.attribute, EqualsCondition(*std::move(value)));
    }
    if (!possible) continue;
    if (!bound.empty()) {
      for (const auto& condition : object.qualifier().PushDown(bound).conditions) {
        NarrowKey(key, object.schema(), condition.attribute, condition.condition);
      }
    }
    keep(std::move(key));
  }
  return out;
}

std::string GuidOf(const ExternalObject& object, std::string_view encoded_key,
                   std::uint32_t element) {
  ContentHasher hasher;
  hasher.Add(object.table());
  hasher.Add(encoded_key);
  hasher.Add(std::to_string(element));
  std::string hex = hasher.Hex();
  hex[12] = '8';                                 // version: custom
  constexpr std::string_view kVariant = "89ab";  // variant: RFC 9562
  const char digit = hex[16];
  hex[16] = kVariant[static_cast<std::size_t>(digit >= 'a' ? digit - 'a' + 2 : digit - '0') % 4];
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20);
}

std::optional<std::string> PrefixOfFilter(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += pattern[++i];
    } else if (c == '%') {
      return i + 1 == pattern.size() ? std::optional<std::string>(out) : std::nullopt;
    } else if (c == '_') {
      return std::nullopt;
    } else {
      out += c;
    }
  }
  return std::nullopt;
}

}  // namespace tablecast
