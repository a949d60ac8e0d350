#ifndef TABLECAST_BASE_CIVIL_TIME_H_
#define TABLECAST_BASE_CIVIL_TIME_H_

// Dates, times of day, instants and durations in the proleptic Gregorian calendar, years 1..9999.
// All instants are UTC. No locale, no time-zone database, no system call.
//
//   auto read = ParseIso8601("2015-12-21T17:42:34.5+02:00", 0);
//   FormatTimestamp(read->instant, read->fraction_digits);   // "2015-12-21T15:42:34.5Z"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tablecast {

// A calendar day. UNITS: days since 1970-01-01.
struct Date {
  std::int32_t days = 0;
  auto operator<=>(const Date&) const = default;
};

// UNITS: nanoseconds since midnight, 0 .. 86,400,000,000,000 - 1.
struct TimeOfDay {
  std::int64_t nanos = 0;
  auto operator<=>(const TimeOfDay&) const = default;
};

// An instant. UNITS: whole seconds since 1970-01-01T00:00:00Z (floor) and 0..999,999,999 nanoseconds.
struct Timestamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  auto operator<=>(const Timestamp&) const = default;
};

// A signed length of time. UNITS: seconds (floor) and 0..999,999,999 nanoseconds.
struct Duration {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  auto operator<=>(const Duration&) const = default;
};

struct CivilDay {
  std::int32_t year;  // 1..9999
  std::int32_t month;  // 1..12
  std::int32_t day;    // 1..31
};

inline constexpr Date kMinDate{-719162};  // 0001-01-01
inline constexpr Date kMaxDate{2932896};  // 9999-12-31

bool IsLeapYear(std::int32_t year);
std::int32_t DaysInMonth(std::int32_t year, std::int32_t month);
// nullopt when year, month or day do not exist.
std::optional<Date> DateFromCivil(std::int64_t year, std::int64_t month, std::int64_t day);
CivilDay ToCivil(Date date);
std::int32_t Weekday(Date date);    // 1 = Sunday .. 7 = Saturday
std::int32_t DayOfYear(Date date);  // 1..366
struct IsoWeek { std::int32_t year; std::int32_t week; };
IsoWeek ToIsoWeek(Date date);

Date DateOf(Timestamp instant);
TimeOfDay TimeOf(Timestamp instant);
// The instant of `date` at `time` in UTC.
Timestamp ToTimestamp(Date date, TimeOfDay time);

// The forms of external-objects.md section 1, exactly: extended and basic date-time, date alone.
enum class IsoForm { kDate, kExtended, kBasic };
struct IsoDateTime {
  Timestamp instant;          // in UTC
  IsoForm form;
  int fraction_digits = 0;    // as written, 0..9
  bool has_zone = false;
  int zone_offset_minutes = 0;  // as written
  bool has_seconds = true;
  char separator = 'T';         // 'T', 't' or ' '
};
// `default_offset_minutes` is the zone of texts without one, dates alone included (their instant is
// that zone's midnight; for the calendar day itself use ParseDate). Zones run to +-23:59, an instant
// must stay in the years 1..9999, the basic form takes a capital T only. ERRORS: kInvalidArgument, reason
// "iso8601-syntax" or "iso8601-range", position.offset = first offending byte.
Result<IsoDateTime> ParseIso8601(std::string_view text, int default_offset_minutes);

Result<Date> ParseDate(std::string_view text);            // YYYY-MM-DD
Result<TimeOfDay> ParseTimeOfDay(std::string_view text);  // HH:mm[:ss[.f{1,9}]]
// OData: [+-]P[nD][T[nH][nM][n[.f{1,9}]S]], at least one part, at most 10^15 seconds.
Result<Duration> ParseDuration(std::string_view text);

// Printing REQUIRES the years 1..9999.
std::string FormatDate(Date date);
// "HH:mm:ss" and, when nanos are not zero, the fraction without trailing zeros.
std::string FormatTimeOfDay(TimeOfDay time);
// "YYYY-MM-DDTHH:mm:ss[.f]Z" with at least `fraction_digits` digits and no trailing zeros beyond.
std::string FormatTimestamp(Timestamp instant, int fraction_digits = 0);
std::string FormatDuration(Duration duration);  // "P1DT2H", "PT0S", "-PT1.5S"

// The system clock, the one place that reads it. Requests read it once and pass the value on.
Timestamp CurrentTimestamp();

}  // namespace tablecast

#endif  // TABLECAST_BASE_CIVIL_TIME_H_
