#ifndef TABLECAST_ITEM_ITEM_CODEC_H_
#define TABLECAST_ITEM_ITEM_CODEC_H_

// Bytes of values, records and keys. docs/format.md describes them byte by byte; the golden file
// tests/golden/format pins them. All decoding is bounds-checked: damaged bytes give kDataLoss.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "item/item.h"

namespace tablecast {

// --- values -----------------------------------------------------------------------------------
// Payload bytes of one value (what AttributeView::payload() shows).
void AppendPayload(std::string& out, const AttributeValue& value);
Result<AttributeValue> DecodeValue(const AttributeView& view);  // kDataLoss when damaged

// Nested reading without decoding the whole. M: member by name; L and sets: element by position.
// Return an absent view when there is none, or when bytes are damaged.
AttributeView MapMember(const AttributeView& map, std::string_view name);
AttributeView ListElement(const AttributeView& list, std::size_t index);
std::size_t ElementCount(const AttributeView& collection);  // M, L, SS, NS, BS
// Calls visit(name, value) for M (name order) and visit("", value) for L, sets (element order);
// stops when it returns false. False when bytes are damaged.
bool ForEachElement(const AttributeView& collection,
                    const std::function<bool(std::string_view, const AttributeView&)>& visit);

// --- records ----------------------------------------------------------------------------------
// Encodes every attribute but the key columns, ids sorted, with a directory whose integers have 8, 16
// or 32 bits by size. Interns unknown names. ERRORS: of AttributeNames::Intern.
Result<std::string> EncodeRecord(const TableSchema& schema, const Item& item, AttributeNames& names);

// --- keys -------------------------------------------------------------------------------------
// memcmp order of encoded keys = (partition, sort) order by value. Partition S and B: bytes with
// 00 -> 00 FF, closed by 00 01; N: number code. Sort: S and B raw, N number code.
// ERRORS: kInvalidArgument "key-type", "key-empty", "key-too-long".
Result<std::string> EncodeKey(const TableSchema& schema, const ItemKey& key);
// The bytes that every key of this partition starts with.
Result<std::string> EncodePartitionPrefix(const TableSchema& schema, const AttributeValue& partition);
// Appends a sort value as EncodeKey does (no checks of emptiness or length: for bounds).
void AppendSortBytes(std::string& out, const AttributeValue& value);
Result<ItemKey> DecodeKey(const TableSchema& schema, std::string_view key);

// Self-delimiting, order-preserving bytes of any scalar for compound index entries: type byte,
// then escaped S/B closed by 00 01, number code, BOOL byte. `descending` inverts every byte.
void AppendOrderedScalar(std::string& out, const AttributeView& value, bool descending = false);
// Same for "no value": sorts before all values (after them when descending).
void AppendOrderedNull(std::string& out, bool descending = false);

}  // namespace tablecast

#endif  // TABLECAST_ITEM_ITEM_CODEC_H_
