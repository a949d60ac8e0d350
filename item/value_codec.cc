// Values: the payload bytes of docs/format.md, "Values".
//
// IMPLEMENTATION. Scalars are their own payload. Collections start with their element count and
// hold the elements one behind another, so nested reading is a walk over heads that skips payloads.
// Encoding appends a nested payload first and then slides it to make room for its head: one memmove
// per level. Tested by tests/item/value_codec_test.cc, tests/item/codec_property_test.cc,
// tests/fuzz/record_fuzz.cc.

#include <array>
#include <utility>

#include "item/byte_reader.h"
#include "item/item_codec.h"

namespace tablecast {
namespace {

using internal::AppendVarint;
using internal::ByteReader;

// An element head: type in the low four bits, length 0..14 in the high four; 15 there says that the
// length follows as a varint.
constexpr std::size_t kLongLength = 15;
constexpr std::size_t kMaxHeadBytes = 1 + internal::kMaxVarintBytes;

// Deeper than whatever the JSON reader or ValidateItem lets in; bounds the stack on damaged bytes.
constexpr int kMaxDecodeDepth = 128;

Error Damaged(const char* what) {
  return MakeError(ErrorCode::kDataLoss, "value-damaged",
                   std::string("the stored bytes of a value are damaged: ") + what);
}

bool IsTypeNumber(std::uint32_t type) {
  return type >= static_cast<std::uint32_t>(AttributeType::kS) &&
         type <= static_cast<std::uint32_t>(AttributeType::kBS);
}

bool IsSetType(AttributeType type) {
  return type == AttributeType::kSS || type == AttributeType::kNS || type == AttributeType::kBS;
}

AttributeType ElementTypeOfSet(AttributeType type) {
  if (type == AttributeType::kSS) return AttributeType::kS;
  return type == AttributeType::kNS ? AttributeType::kN : AttributeType::kB;
}

std::size_t PutHead(char* out, AttributeType type, std::size_t length) {
  const auto low = static_cast<std::uint32_t>(type);
  if (length < kLongLength) {
    out[0] = static_cast<char>(low | static_cast<std::uint32_t>(length) << 4U);
    return 1;
  }
  out[0] = static_cast<char>(low | static_cast<std::uint32_t>(kLongLength) << 4U);
  return 1 + internal::PutVarint(out + 1, static_cast<std::uint32_t>(length));
}

void AppendElement(std::string& out, const AttributeValue& value) {
  std::array<char, kMaxHeadBytes> head;
  const std::size_t start = out.size();
  out += '\0';  // most payloads are short: their head is this byte
  AppendPayload(out, value);
  const std::size_t size = PutHead(head.data(), value.type(), out.size() - start - 1);
  if (size > 1) out.insert(start + 1, size - 1, '\0');
  out.replace(start, size, head.data(), size);
}

bool ReadElement(ByteReader& reader, AttributeView& element) {
  std::uint32_t head = 0;
  if (!reader.ReadByte(head) || !IsTypeNumber(head & 0xFU)) return false;
  std::size_t length = head >> 4U;
  if (length == kLongLength && (!reader.ReadVarint(length) || length < kLongLength)) return false;
  std::string_view payload;
  if (!reader.ReadBytes(length, payload)) return false;
  element = AttributeView(static_cast<AttributeType>(head & 0xFU), payload);
  return true;
}

bool ReadName(ByteReader& reader, std::string_view& name) {
  std::size_t length = 0;
  return reader.ReadVarint(length) && reader.ReadBytes(length, name);
}

bool ReadSetElement(ByteReader& reader, AttributeType element_type, AttributeView& element) {
  std::size_t length = 0;
  if (element_type == AttributeType::kN) {
    length = NumberCodeLength(reader.rest());
    if (length == 0) return false;
  } else if (!reader.ReadVarint(length)) {
    return false;
  }
  std::string_view payload;
  if (!reader.ReadBytes(length, payload)) return false;
  element = AttributeView(element_type, payload);
  return true;
}

// The count at the front; false when it is missing or larger than the bytes could hold.
bool ReadCount(ByteReader& reader, std::size_t& count) {
  return reader.ReadVarint(count) && count <= reader.remaining();
}

// Calls visit(name, element) -> bool for each element until it returns false. True when the bytes
// seen were sound: all of them, unless the visitor stopped early.
template <class Visit>
bool Walk(const AttributeView& collection, Visit&& visit) {
  if (!collection.present()) return false;
  const AttributeType type = collection.type();
  const bool is_map = type == AttributeType::kM;
  const bool is_set = IsSetType(type);
  if (!is_map && !is_set && type != AttributeType::kL) return false;
  const AttributeType element_type = is_set ? ElementTypeOfSet(type) : AttributeType::kNull;
  ByteReader reader(collection.payload());
  std::size_t count = 0;
  if (!ReadCount(reader, count)) return false;
  for (; count > 0; --count) {
    std::string_view name;
    AttributeView element;
    if (is_map && !ReadName(reader, name)) return false;
    if (is_set ? !ReadSetElement(reader, element_type, element) : !ReadElement(reader, element)) {
      return false;
    }
    if (!visit(name, element)) return true;
  }
  return reader.remaining() == 0;
}

Result<AttributeValue> Decode(const AttributeView& view, int depth);

Result<AttributeValue> DecodeMap(const AttributeView& view, int depth) {
  AttributeValue::Map map;
  Status status;
  std::string_view previous;
  const bool sound = Walk(view, [&](std::string_view name, const AttributeView& element) {
    auto value = Decode(element, depth + 1);
    if (!value.ok()) {
      status = std::move(value).error();
    } else if (!map.empty() && name <= previous) {
      status = Damaged("map names out of order");
    } else {
      map.emplace_hint(map.end(), name, *std::move(value));
      previous = name;
    }
    return status.ok();
  });
  if (!status.ok()) return std::move(status).error();
  if (!sound) return Damaged("map");
  return AttributeValue::MapOf(std::move(map));
}

Result<AttributeValue> DecodeList(const AttributeView& view, int depth) {
  AttributeValue::List list;
  Status status;
  const bool sound = Walk(view, [&](std::string_view, const AttributeView& element) {
    auto value = Decode(element, depth + 1);
    if (!value.ok()) {
      status = std::move(value).error();
      return false;
    }
    list.push_back(*std::move(value));
    return true;
  });
  if (!status.ok()) return std::move(status).error();
  if (!sound) return Damaged("list");
  return AttributeValue::ListOf(std::move(list));
}

Result<AttributeValue> DecodeSet(const AttributeView& view) {
  AttributeValue::Set set;
  bool ordered = true;
  const bool sound = Walk(view, [&](std::string_view, const AttributeView& element) {
    ordered = set.empty() || set.back() < element.payload();
    if (ordered) set.emplace_back(element.payload());
    return ordered;
  });
  if (!sound || !ordered || set.empty()) return Damaged("set");
  return AttributeValue::SetOf(view.type(), std::move(set));
}

Result<AttributeValue> Decode(const AttributeView& view, int depth) {
  if (!view.present()) return Damaged("no value");
  if (depth > kMaxDecodeDepth) return Damaged("nested too deeply");
  const std::string_view payload = view.payload();
  switch (view.type()) {
    case AttributeType::kS: return AttributeValue::String(std::string(payload));
    case AttributeType::kB: return AttributeValue::Binary(std::string(payload));
    case AttributeType::kN:
      if (!IsValidNumberCode(payload)) return Damaged("number code");
      return AttributeValue::NumberFromCode(std::string(payload));
    case AttributeType::kBool:
      if (payload.size() != 1 || static_cast<unsigned char>(payload[0]) > 1)
        return Damaged("boolean");
      return AttributeValue::Bool(payload[0] != 0);
    case AttributeType::kNull:
      if (!payload.empty()) return Damaged("null");
      return AttributeValue::Null();
    case AttributeType::kM: return DecodeMap(view, depth);
    case AttributeType::kL: return DecodeList(view, depth);
    case AttributeType::kSS:
    case AttributeType::kNS:
    case AttributeType::kBS: return DecodeSet(view);
  }
  return Damaged("unknown type");
}

}  // namespace

void AppendPayload(std::string& out, const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kS: out += value.text(); break;
    case AttributeType::kN: out += value.number_code(); break;
    case AttributeType::kB: out += value.bytes(); break;
    case AttributeType::kBool: out += value.boolean() ? '\x01' : '\x00'; break;
    case AttributeType::kNull: break;
    case AttributeType::kM:
      AppendVarint(out, value.map().size());
      for (const auto& [name, member] : value.map()) {
        AppendVarint(out, name.size());
        out += name;
        AppendElement(out, member);
      }
      break;
    case AttributeType::kL:
      AppendVarint(out, value.list().size());
      for (const AttributeValue& element : value.list()) AppendElement(out, element);
      break;
    case AttributeType::kNS:
      AppendVarint(out, value.set().size());
      for (const std::string& code : value.set()) out += code;
      break;
    case AttributeType::kSS:
    case AttributeType::kBS:
      AppendVarint(out, value.set().size());
      for (const std::string& element : value.set()) {
        AppendVarint(out, element.size());
        out += element;
      }
      break;
  }
}

Result<AttributeValue> DecodeValue(const AttributeView& view) { return Decode(view, 0); }

AttributeView MapMember(const AttributeView& map, std::string_view name) {
  AttributeView found;
  if (!map.Is(AttributeType::kM)) return found;
  Walk(map, [&](std::string_view member, const AttributeView& element) {
    if (member == name) found = element;
    return member < name;  // names ascend
  });
  return found;
}

AttributeView ListElement(const AttributeView& list, std::size_t index) {
  AttributeView found;
  if (list.Is(AttributeType::kM)) return found;
  std::size_t position = 0;
  Walk(list, [&](std::string_view, const AttributeView& element) {
    if (position++ != index) return true;
    found = element;
    return false;
  });
  return found;
}

std::size_t ElementCount(const AttributeView& collection) {
  if (!collection.present()) return 0;
  const AttributeType type = collection.type();
  if (!IsSetType(type) && type != AttributeType::kM && type != AttributeType::kL) return 0;
  ByteReader reader(collection.payload());
  std::size_t count = 0;
  return ReadCount(reader, count) ? count : 0;
}

bool ForEachElement(const AttributeView& collection,
                    const std::function<bool(std::string_view, const AttributeView&)>& visit) {
  return Walk(collection, visit);
}

}  // namespace tablecast
