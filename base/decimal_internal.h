#ifndef TABLECAST_BASE_DECIMAL_INTERNAL_H_
#define TABLECAST_BASE_DECIMAL_INTERNAL_H_

// What the two files that implement Decimal share. Not for use outside base/.

#include <cstdint>

#include "base/decimal.h"
#include "base/wide_integer.h"

namespace tablecast::internal {

// coefficient * 10^exponent in normal form. REQUIRES: coefficient below 10^76.
Decimal NormalDecimal(bool negative, const WideInteger& coefficient, std::int64_t exponent);

}  // namespace tablecast::internal

#endif  // TABLECAST_BASE_DECIMAL_INTERNAL_H_
