// Keys: bytes whose memcmp order is the order of the values (docs/format.md, "Keys").
//
// IMPLEMENTATION. A part that is followed by another must delimit itself: number codes do; S and B
// are escaped, 00 becoming 00 FF, and closed by 00 01. The end mark lies below 00 FF and below any
// byte that could follow, so a shorter value sorts before every longer one that it begins. The last
// part stays raw. Tested by tests/item/key_codec_test.cc and tests/item/codec_property_test.cc.

#include <cstring>

#include "item/item_codec.h"
#include "item/key_layout.h"

namespace tablecast {
namespace internal {
namespace {
constexpr char kEscape = '\x00';
constexpr char kEscapedZero = '\xFF';
constexpr char kEndMark = '\x01';
}  // namespace

void AppendEscaped(std::string& out, std::string_view bytes) {
  while (true) {
    const std::size_t zero = bytes.find(kEscape);
    out += bytes.substr(0, zero);
    if (zero == std::string_view::npos) break;
    out += kEscape;
    out += kEscapedZero;
    bytes.remove_prefix(zero + 1);
  }
  out += kEscape;
  out += kEndMark;
}

std::string Unescape(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (true) {
    const std::size_t zero = bytes.find(kEscape);
    out += bytes.substr(0, zero);
    if (zero == std::string_view::npos) return out;
    out += kEscape;
    bytes.remove_prefix(zero + 2);
  }
}

bool SplitKey(AttributeType partition_type, std::string_view key, KeyParts& parts) {
  if (partition_type == AttributeType::kN) {
    const std::size_t length = NumberCodeLength(key);
    if (length == 0) return false;
    parts = {key.substr(0, length), key.substr(length), false};
    return true;
  }
  bool escaped = false;
  std::size_t at = 0;
  while (true) {
    at = key.find(kEscape, at);
    if (at == std::string_view::npos || at + 1 >= key.size()) return false;
    if (key[at + 1] == kEndMark) break;
    if (key[at + 1] != kEscapedZero) return false;
    escaped = true;
    at += 2;
  }
  parts = {key.substr(0, at), key.substr(at + 2), escaped};
  return true;
}

}  // namespace internal

namespace {

// A key column's place in the messages that DynamoDB has for it.
enum class KeyRole { kPartition, kSort };

const std::string& ScalarBytes(const AttributeValue& value) {
  if (value.Is(AttributeType::kN)) return value.number_code();
  return value.Is(AttributeType::kS) ? value.text() : value.bytes();
}

Status CheckKeyValue(const KeyColumn& column, KeyRole role, const AttributeValue& value) {
  if (!value.Is(column.type)) {
    return MakeError(ErrorCode::kInvalidArgument, "key-type",
                     "One or more parameter values were invalid: Type mismatch for key " +
                         column.name + " expected: " + std::string(AttributeTypeName(column.type)) +
                         " actual: " + std::string(AttributeTypeName(value.type())),
                     column.name);
  }
  if (value.Is(AttributeType::kN)) return {};
  const std::size_t size = ScalarBytes(value).size();
  if (size == 0) {
    return MakeError(
        ErrorCode::kInvalidArgument, "key-empty",
        std::string("One or more parameter values are not valid. The AttributeValue for a "
                    "key attribute cannot contain an empty ") +
            (value.Is(AttributeType::kS) ? "string" : "binary") + " value. Key: " + column.name,
        column.name);
  }
  if (role == KeyRole::kPartition && size > kMaxPartitionKeyBytes) {
    // DynamoDB's message, its missing space included.
    return MakeError(ErrorCode::kInvalidArgument, "key-too-long",
                     "One or more parameter values were invalid: Size of hashkey has exceeded the "
                     "maximum size limit of2048 bytes",
                     column.name);
  }
  if (role == KeyRole::kSort && size > kMaxSortKeyBytes) {
    return MakeError(
        ErrorCode::kInvalidArgument, "key-too-long",
        "One or more parameter values were invalid: Aggregated size of all range keys has "
        "exceeded the size limit of 1024 bytes",
        column.name);
  }
  return {};
}

Error DamagedKey() {
  return MakeError(ErrorCode::kDataLoss, "key-damaged", "the stored bytes of a key are damaged");
}

void AppendPartitionBytes(std::string& out, const AttributeValue& partition) {
  if (partition.Is(AttributeType::kN)) {
    out += partition.number_code();
  } else {
    internal::AppendEscaped(out, ScalarBytes(partition));
  }
}

AttributeValue ScalarOf(AttributeType type, std::string bytes) {
  if (type == AttributeType::kN) return AttributeValue::NumberFromCode(std::move(bytes));
  return type == AttributeType::kS ? AttributeValue::String(std::move(bytes))
                                   : AttributeValue::Binary(std::move(bytes));
}

}  // namespace

Result<std::string> EncodePartitionPrefix(const TableSchema& schema,
                                          const AttributeValue& partition) {
  TABLECAST_RETURN_IF_ERROR(CheckKeyValue(schema.key.partition, KeyRole::kPartition, partition));
  std::string out;
  AppendPartitionBytes(out, partition);
  return out;
}

void AppendSortBytes(std::string& out, const AttributeValue& value) { out += ScalarBytes(value); }

Result<std::string> EncodeKey(const TableSchema& schema, const ItemKey& key) {
  if (schema.key.sort.has_value() != key.sort.has_value()) {
    return MakeError(ErrorCode::kInvalidArgument, "key-type",
                     "The provided key element does not match the schema",
                     schema.key.sort ? schema.key.sort->name : std::string());
  }
  TABLECAST_ASSIGN_OR_RETURN(std::string out, EncodePartitionPrefix(schema, key.partition));
  if (key.sort) {
    TABLECAST_RETURN_IF_ERROR(CheckKeyValue(*schema.key.sort, KeyRole::kSort, *key.sort));
    AppendSortBytes(out, *key.sort);
  }
  return out;
}

Result<ItemKey> DecodeKey(const TableSchema& schema, std::string_view key) {
  internal::KeyParts parts;
  if (!internal::SplitKey(schema.key.partition.type, key, parts)) return DamagedKey();
  ItemKey out;
  out.partition =
      ScalarOf(schema.key.partition.type,
               parts.escaped ? internal::Unescape(parts.partition) : std::string(parts.partition));
  if (parts.partition.empty()) return DamagedKey();
  if (!schema.key.sort) {
    if (!parts.sort.empty()) return DamagedKey();
    return out;
  }
  const bool sound = schema.key.sort->type == AttributeType::kN ? IsValidNumberCode(parts.sort)
                                                                : !parts.sort.empty();
  if (!sound) return DamagedKey();
  out.sort = ScalarOf(schema.key.sort->type, std::string(parts.sort));
  return out;
}

namespace {

void InvertFrom(std::string& out, std::size_t start) {
  for (std::size_t i = start; i < out.size(); ++i) {
    out[i] = static_cast<char>(~static_cast<unsigned char>(out[i]));
  }
}

}  // namespace

void AppendOrderedScalar(std::string& out, const AttributeView& value, bool descending) {
  if (!value.present()) {
    AppendOrderedNull(out, descending);
    return;
  }
  const std::size_t start = out.size();
  out += static_cast<char>(value.type());
  switch (value.type()) {
    case AttributeType::kN:
    case AttributeType::kBool: out += value.payload(); break;
    case AttributeType::kNull: break;
    default: internal::AppendEscaped(out, value.payload());
  }
  if (descending) InvertFrom(out, start);
}

void AppendOrderedNull(std::string& out, bool descending) { out += descending ? '\xFF' : '\x00'; }

}  // namespace tablecast
