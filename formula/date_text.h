#ifndef TABLECAST_FORMULA_DATE_TEXT_H_
#define TABLECAST_FORMULA_DATE_TEXT_H_

// The texts that DATEVALUE, DATETIMEVALUE and TIMEVALUE read and that TEXT writes. More lenient
// than ISO 8601 in one-digit parts and stricter in what may follow. SOURCE: spec formula.md
// section 8.4, F12, F13.

#include <optional>
#include <string>
#include <string_view>

#include "base/civil_time.h"

namespace tablecast::formula {

// yyyy-M-d, then nothing, blanks, or `T` or a blank and a time of day (checked, then ignored).
std::optional<Date> ParseDateText(std::string_view text);

// yyyy-M-d, `T` or a blank, H:m:s, optionally a fraction of 1 to 9 digits (cut to milliseconds),
// `Z` or ±HH:mm; trailing blanks. Without a zone it is UTC.
std::optional<Timestamp> ParseDateTimeText(std::string_view text);

// Exactly HH:mm:ss.SSS.
std::optional<TimeOfDay> ParseTimeText(std::string_view text);

std::string DateTimeAsText(Timestamp instant);  // "yyyy-MM-dd HH:mm:ssZ": milliseconds are dropped
std::string TimeAsText(TimeOfDay time);         // "HH:mm:ss.SSS"

inline constexpr std::int64_t kNanosPerMilli = 1'000'000;
inline constexpr std::int64_t kMillisPerDay = 86'400'000;
inline constexpr std::int64_t kSecondsPerDay = 86'400;

inline std::int64_t ToMillis(Timestamp instant) {
  return instant.seconds * 1000 + instant.nanos / kNanosPerMilli;
}
// nullopt outside of the years 1..9999.
std::optional<Timestamp> FromMillis(std::int64_t millis);
inline std::int64_t ToMillis(TimeOfDay time) { return time.nanos / kNanosPerMilli; }

}  // namespace tablecast::formula

#endif  // TABLECAST_FORMULA_DATE_TEXT_H_
