#ifndef TABLECAST_ITEM_NUMBER_H_
#define TABLECAST_ITEM_NUMBER_H_

// DynamoDB numbers and their one byte form, the number code of docs/format.md: order-preserving,
// canonical, self-delimiting, at most 22 bytes. Keys, records and index entries all hold it, so two
// numbers compare by memcmp and are equal exactly when their bytes are.
//
// SOURCE: spec store-and-formats.md sections 1.2 and 1.3; vectors number_norm.tsv, number_order.tsv.

#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/result.h"

namespace tablecast {

inline constexpr std::size_t kMaxNumberCodeBytes = 22;

// Text as DynamoDB accepts it -> number code. ERRORS: kInvalidArgument with reasons "number-syntax",
// "number-digits" (over 38), "number-overflow", "number-underflow"; messages in DynamoDB's words.
Result<std::string> EncodeNumberText(std::string_view text);

// ERRORS: as above; never rounds.
Result<std::string> EncodeNumber(const Decimal& value);

// ERRORS: kDataLoss when `code` is no number code.
Result<Decimal> DecodeNumber(std::string_view code);

// The normal form: plain decimal, no exponent, no trailing zeros. REQUIRES: a valid code (from the
// store); an invalid one yields "0" and is never read out of bounds. COST: no division, no Decimal.
void AppendNumberText(std::string& out, std::string_view code);
std::string NumberText(std::string_view code);

// Length of the code at the start of `bytes`, or 0 when there is none.
std::size_t NumberCodeLength(std::string_view bytes);
bool IsValidNumberCode(std::string_view code);

// Bytes that DynamoDB counts for this number (spec section 1.5).
std::size_t NumberItemSize(std::string_view code);

}  // namespace tablecast

#endif  // TABLECAST_ITEM_NUMBER_H_
