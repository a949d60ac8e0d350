#ifndef TABLECAST_BASE_BASE64_H_
#define TABLECAST_BASE_BASE64_H_

// Base64 in its two alphabets. Standard: RFC 4648 section 4, padded (DynamoDB's JSON form of B).
// URL: section 5, unpadded on output, padding optional on input (OData Edm.Binary).

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

std::string EncodeBase64(std::string_view bytes);
std::string EncodeBase64Url(std::string_view bytes);
// Strict: missing padding, stray characters and non-zero trailing bits are refused ("base64-syntax").
Result<std::string> DecodeBase64(std::string_view text);
Result<std::string> DecodeBase64Url(std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_BASE_BASE64_H_
