#ifndef TABLECAST_ODATA_PASSWORD_HASH_H_
#define TABLECAST_ODATA_PASSWORD_HASH_H_

// Passwords are stored as argon2id hashes in the PHC text form
// ("$argon2id$v=19$m=19456,t=2,p=1$salt$hash") and never as themselves.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

inline constexpr std::size_t kMaxPasswordBytes = 1024;

// A new hash with a random salt. COST: some 20 ms and 19 MB on purpose.
// ERRORS: kInvalidArgument "bad-password" for an empty or overlong one; kInternal "hash-failed".
// SOURCE: RFC 9106; parameters: OWASP password storage cheat sheet (m=19 MiB, t=2, p=1).
Result<std::string> HashPassword(std::string_view password);

// Whether `password` belongs to `hash`; false for a malformed hash. COST: as the hash's parameters say.
bool VerifyPassword(const std::string& hash, std::string_view password);

// Whether the text has the form of such a hash and sane costs (at most 1 GiB, 64 passes).
bool IsPasswordHash(const std::string& hash);

}  // namespace tablecast

#endif  // TABLECAST_ODATA_PASSWORD_HASH_H_
