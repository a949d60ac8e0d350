#include "base/civil_time.h"

// IMPLEMENTATION. The calendar is counted in eras of 400 years that begin on 1 March, so that the
// leap day is the last day of its year. Texts are read by a cursor that remembers the first
// offending byte. Tested by tests/base/civil_time_test.cc and tests/fuzz/iso8601_fuzz.cc.

#include <algorithm>
#include <chrono>
#include <utility>

namespace tablecast {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kMinInstantSeconds = kMinDate.days * kSecondsPerDay;
constexpr std::int64_t kMaxInstantSeconds = (kMaxDate.days + std::int64_t{1}) * kSecondsPerDay - 1;
constexpr std::int64_t kDaysPerEra = 146'097;
// From 1 March of year 0 to 1 January 1970.
constexpr std::int64_t kEraStartToEpoch = 719'468;
constexpr int kMaxFractionDigits = 9;
// 30 million years: sums of a few durations and an instant stay far inside int64.
constexpr std::int64_t kMaxDurationSeconds = 1'000'000'000'000'000;

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
std::int64_t FloorModulo(std::int64_t a, std::int64_t b) { return a - FloorDivide(a, b) * b; }

// Days before the first of `month`, counted from 1 March: 0 for March, 306 for January.
std::int64_t DaysFromMarch(std::int64_t month) { return (153 * ((month + 9) % 12) + 2) / 5; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads fixed-width fields; after the first failure every further step fails too.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool AtEnd() const { return offset_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[offset_]; }
  std::size_t offset() const { return offset_; }

  // Exactly `width` digits with a value between `low` and `high`.
  std::optional<std::int64_t> Number(int width, std::int64_t low, std::int64_t high) {
    const std::size_t begin = offset_;
    std::int64_t value = 0;
    for (int i = 0; i < width; ++i) {
      if (!IsDigit(Peek())) return Fail(Problem::kSyntax, offset_);
      value = value * 10 + (text_[offset_++] - '0');
    }
    if (value < low || value > high) return Fail(Problem::kRange, begin);
    return value;
  }
  bool Take(char c) {
    if (Peek() == c && !AtEnd()) {
      ++offset_;
      return true;
    }
    Fail(Problem::kSyntax, offset_);
    return false;
  }
  bool TakeIf(char c) {
    if (AtEnd() || text_[offset_] != c) return false;
    ++offset_;
    return true;
  }
  // One to nine digits as nanoseconds; `digits` gets their number.
  std::optional<std::int32_t> Fraction(int& digits) {
    std::int32_t nanos = 0;
    for (digits = 0; digits < kMaxFractionDigits && IsDigit(Peek()); ++digits) {
      nanos = nanos * 10 + (text_[offset_++] - '0');
    }
    if (digits == 0 || IsDigit(Peek())) {
      Fail(Problem::kSyntax, offset_);
      return std::nullopt;
    }
    for (int i = digits; i < kMaxFractionDigits; ++i) nanos *= 10;
    return nanos;
  }
  // Any number of digits; saturates.
  std::optional<std::int64_t> Count() {
    if (!IsDigit(Peek())) return Fail(Problem::kSyntax, offset_);
    std::int64_t value = 0;
    for (; IsDigit(Peek()); ++offset_) {
      value = std::min(value * 10 + (text_[offset_] - '0'), kMaxDurationSeconds + 1);
    }
    return value;
  }

  Error ToError() const {
    if (problem_ == Problem::kRange) {
      return MakeError(
          ErrorCode::kInvalidArgument, "iso8601-range",
          "no such date or time (year, month, day, hour, minute, second or offset out of range)",
          {}, {}, {.line = 0, .column = 0, .offset = problem_offset_});
    }
    return MakeError(ErrorCode::kInvalidArgument, "iso8601-syntax",
                     "text is not in an accepted ISO 8601 form", {}, {},
                     {.line = 0, .column = 0, .offset = problem_offset_});
  }
  Error SyntaxError() {
    Fail(Problem::kSyntax, offset_);
    return ToError();
  }
  Error RangeError(std::size_t offset) {
    Fail(Problem::kRange, offset);
    return ToError();
  }

 private:
  enum class Problem { kNone, kSyntax, kRange };

  std::nullopt_t Fail(Problem problem, std::size_t offset) {
    if (problem_ == Problem::kNone) {
      problem_ = problem;
      problem_offset_ = offset;
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  Problem problem_ = Problem::kNone;
  std::size_t problem_offset_ = 0;
};

// YYYY-MM-DD, or YYYYMMDD when `basic`.
std::optional<Date> ReadDate(Cursor& in, bool basic) {
  const auto year = in.Number(4, 1, 9999);
  if (!year || (!basic && !in.Take('-'))) return std::nullopt;
  const auto month = in.Number(2, 1, 12);
  if (!month || (!basic && !in.Take('-'))) return std::nullopt;
  const auto last_day =
      DaysInMonth(static_cast<std::int32_t>(*year), static_cast<std::int32_t>(*month));
  const auto day = in.Number(2, 1, last_day);
  if (!day) return std::nullopt;
  return DateFromCivil(*year, *month, *day);
}

struct ClockTime {
  std::int64_t seconds = 0;  // since midnight
  std::int32_t nanos = 0;
  int fraction_digits = 0;
  bool has_seconds = false;
};

enum class FractionMarks { kPoint, kPointOrComma };

// hh:mm[:ss[.f]], or hhmm[ss[.f]] when `basic`.
std::optional<ClockTime> ReadClock(Cursor& in, bool basic, FractionMarks marks) {
  const auto hour = in.Number(2, 0, 23);
  if (!hour || (!basic && !in.Take(':'))) return std::nullopt;
  const auto minute = in.Number(2, 0, 59);
  if (!minute) return std::nullopt;
  ClockTime time{.seconds = *hour * 3600 + *minute * 60};
  time.has_seconds = basic ? IsDigit(in.Peek()) : in.TakeIf(':');
  if (!time.has_seconds) return time;
  const auto second = in.Number(2, 0, 59);
  if (!second) return std::nullopt;
  time.seconds += *second;
  if (in.TakeIf('.') || (marks == FractionMarks::kPointOrComma && in.TakeIf(','))) {
    const auto nanos = in.Fraction(time.fraction_digits);
    if (!nanos) return std::nullopt;
    time.nanos = *nanos;
  }
  return time;
}

// Z, z, +-hh, +-hhmm or +-hh:mm, as minutes.
std::optional<int> ReadZone(Cursor& in) {
  if (in.TakeIf('Z') || in.TakeIf('z')) return 0;
  const bool negative = in.Peek() == '-';
  if (!negative && in.Peek() != '+') {
    in.Take('Z');  // records the offending byte
    return std::nullopt;
  }
  in.Take(in.Peek());
  const auto hours = in.Number(2, 0, 23);
  if (!hours) return std::nullopt;
  std::int64_t minutes = 0;
  if (!in.AtEnd()) {
    in.TakeIf(':');
    const auto read = in.Number(2, 0, 59);
    if (!read) return std::nullopt;
    minutes = *read;
  }
  const auto offset = static_cast<int>(*hours * 60 + minutes);
  return negative ? -offset : offset;
}

// The last `width` digits of `value`. REQUIRES: 0 <= value < 2^32, width <= 9.
void AppendPadded(std::string& out, std::int64_t value, std::size_t width) {
  char digits[kMaxFractionDigits];
  auto rest = static_cast<std::uint32_t>(value);
  for (std::size_t i = width; i-- > 0; rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
  out.append(digits, width);
}

// ".f": at least `least_digits` digits, no trailing zeros beyond them, nothing when there are none.
void AppendFraction(std::string& out, std::int32_t nanos, int least_digits) {
  if (nanos == 0 && least_digits <= 0) return;
  const std::size_t point = out.size();
  out += '.';
  AppendPadded(out, nanos, kMaxFractionDigits);
  const auto least = static_cast<std::size_t>(std::clamp(least_digits, 0, kMaxFractionDigits));
  while (out.size() > point + 1 + least && out.back() == '0') out.pop_back();
}

void AppendDate(std::string& out, Date date) {
  const CivilDay day = ToCivil(date);
  AppendPadded(out, day.year, 4);
  out += '-';
  AppendPadded(out, day.month, 2);
  out += '-';
  AppendPadded(out, day.day, 2);
}

void AppendClock(std::string& out, std::int64_t seconds) {
  AppendPadded(out, seconds / 3600, 2);
  out += ':';
  AppendPadded(out, seconds / 60 % 60, 2);
  out += ':';
  AppendPadded(out, seconds % 60, 2);
}

}  // namespace

bool IsLeapYear(std::int32_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

std::int32_t DaysInMonth(std::int32_t year, std::int32_t month) {
  if (month == 2) return IsLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::optional<Date> DateFromCivil(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return std::nullopt;
  if (day > DaysInMonth(static_cast<std::int32_t>(year), static_cast<std::int32_t>(month))) {
    return std::nullopt;
  }
  const std::int64_t march_year = year - (month <= 2 ? 1 : 0);
  const std::int64_t leap_days = march_year / 4 - march_year / 100 + march_year / 400;
  const std::int64_t days = march_year * 365 + leap_days + DaysFromMarch(month) + day - 1;
  return Date{static_cast<std::int32_t>(days - kEraStartToEpoch)};
}

CivilDay ToCivil(Date date) {
  const std::int64_t days = date.days + kEraStartToEpoch;
  const std::int64_t era = FloorDivide(days, kDaysPerEra);
  const std::int64_t day_of_era = days - era * kDaysPerEra;  // 0 .. 146,096
  // Takes out the leap days that lie behind: one in 4 years, none in 100, one in 400.
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t month = (month_from_march + 2) % 12 + 1;
  const std::int64_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  return {static_cast<std::int32_t>(year), static_cast<std::int32_t>(month),
          static_cast<std::int32_t>(day_of_year - DaysFromMarch(month) + 1)};
}

std::int32_t Weekday(Date date) {
  // 1970-01-01 was a Thursday, the fifth day.
  return static_cast<std::int32_t>(FloorModulo(std::int64_t{date.days} + 4, 7)) + 1;
}

std::int32_t DayOfYear(Date date) {
  return date.days - DateFromCivil(ToCivil(date).year, 1, 1).value_or(kMinDate).days + 1;
}

IsoWeek ToIsoWeek(Date date) {
  // A week belongs to the year of its Thursday. Monday is 0 here.
  const std::int32_t from_monday = (Weekday(date) + 5) % 7;
  const Date thursday{date.days - from_monday + 3};
  return {ToCivil(thursday).year, (DayOfYear(thursday) - 1) / 7 + 1};
}

Date DateOf(Timestamp instant) {
  return {static_cast<std::int32_t>(FloorDivide(instant.seconds, kSecondsPerDay))};
}

TimeOfDay TimeOf(Timestamp instant) {
  return {FloorModulo(instant.seconds, kSecondsPerDay) * kNanosPerSecond + instant.nanos};
}

Timestamp ToTimestamp(Date date, TimeOfDay time) {
  return {date.days * kSecondsPerDay + time.nanos / kNanosPerSecond,
          static_cast<std::int32_t>(time.nanos % kNanosPerSecond)};
}

Result<IsoDateTime> ParseIso8601(std::string_view text, int default_offset_minutes) {
  // The fifth byte tells the forms apart: a dash in the extended form, a digit in the basic one.
  const bool basic = text.size() > 4 && IsDigit(text[4]);
  Cursor in(text);
  IsoDateTime read{};
  read.form = basic ? IsoForm::kBasic : IsoForm::kExtended;
  const auto date = ReadDate(in, basic);
  if (!date) return in.ToError();
  ClockTime time{.has_seconds = true};
  if (in.AtEnd() && !basic) {
    read.form = IsoForm::kDate;
  } else {
    read.separator = in.Peek();
    if (!in.TakeIf('T') && (basic || (!in.TakeIf('t') && !in.TakeIf(' ')))) return in.SyntaxError();
    const auto clock = ReadClock(in, basic, FractionMarks::kPointOrComma);
    if (!clock) return in.ToError();
    time = *clock;
    if (!in.AtEnd()) {
      const auto zone = ReadZone(in);
      if (!zone) return in.ToError();
      read.has_zone = true;
      read.zone_offset_minutes = *zone;
    }
    if (!in.AtEnd()) return in.SyntaxError();
  }
  read.fraction_digits = time.fraction_digits;
  read.has_seconds = time.has_seconds;
  const std::int64_t offset_minutes =
      read.has_zone ? read.zone_offset_minutes : default_offset_minutes;
  read.instant.seconds = date->days * kSecondsPerDay + time.seconds - offset_minutes * 60;
  read.instant.nanos = time.nanos;
  if (read.instant.seconds < kMinInstantSeconds || read.instant.seconds > kMaxInstantSeconds) {
    return in.RangeError(0);  // the zone moves it out of the years 1 to 9999
  }
  return read;
}

Result<Date> ParseDate(std::string_view text) {
  Cursor in(text);
  const auto date = ReadDate(in, false);
  if (!date) return in.ToError();
  if (!in.AtEnd()) return in.SyntaxError();
  return *date;
}

Result<TimeOfDay> ParseTimeOfDay(std::string_view text) {
  Cursor in(text);
  const auto time = ReadClock(in, false, FractionMarks::kPoint);
  if (!time) return in.ToError();
  if (!in.AtEnd()) return in.SyntaxError();
  return TimeOfDay{time->seconds * kNanosPerSecond + time->nanos};
}

Result<Duration> ParseDuration(std::string_view text) {
  Cursor in(text);
  const bool negative = in.TakeIf('-');
  if (!negative) in.TakeIf('+');
  if (!in.Take('P')) return in.ToError();
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  // Units come in this order, each at most once; the clock units behind a T.
  constexpr std::pair<char, std::int64_t> kUnits[] = {
      {'D', kSecondsPerDay}, {'H', 3600}, {'M', 60}, {'S', 1}};
  std::size_t next_unit = 0;
  bool in_clock = false;
  do {
    if (!in_clock && in.TakeIf('T')) {
      in_clock = true;
      next_unit = 1;
    }
    const std::size_t begin = in.offset();
    const auto count = in.Count();
    if (!count) return in.ToError();
    bool has_fraction = false;
    if (in_clock && in.TakeIf('.')) {
      has_fraction = true;
      int digits = 0;
      const auto fraction = in.Fraction(digits);
      if (!fraction) return in.ToError();
      nanos = *fraction;
    }
    const std::size_t end_unit = in_clock ? std::size(kUnits) : 1;
    std::size_t unit = has_fraction ? std::size(kUnits) - 1 : next_unit;
    while (unit < end_unit && in.Peek() != kUnits[unit].first) ++unit;
    if (unit >= end_unit || unit < next_unit) return in.SyntaxError();
    in.Take(kUnits[unit].first);
    next_unit = unit + 1;
    if (*count > kMaxDurationSeconds / kUnits[unit].second) return in.RangeError(begin);
    seconds += *count * kUnits[unit].second;
    if (seconds > kMaxDurationSeconds) return in.RangeError(begin);
  } while (!in.AtEnd());
  if (!negative) return Duration{seconds, nanos};
  if (nanos == 0) return Duration{-seconds, 0};
  return Duration{-seconds - 1, static_cast<std::int32_t>(kNanosPerSecond - nanos)};
}

std::string FormatDate(Date date) {
  std::string out;
  AppendDate(out, date);
  return out;
}

std::string FormatTimeOfDay(TimeOfDay time) {
  std::string out;
  AppendClock(out, time.nanos / kNanosPerSecond);
  AppendFraction(out, static_cast<std::int32_t>(time.nanos % kNanosPerSecond), 0);
  return out;
}

std::string FormatTimestamp(Timestamp instant, int fraction_digits) {
  std::string out;
  out.reserve(sizeof "YYYY-MM-DDTHH:mm:ss.fffffffffZ");
  AppendDate(out, DateOf(instant));
  out += 'T';
  AppendClock(out, FloorModulo(instant.seconds, kSecondsPerDay));
  AppendFraction(out, instant.nanos, fraction_digits);
  out += 'Z';
  return out;
}

std::string FormatDuration(Duration duration) {
  const bool negative = duration.seconds < 0;
  auto seconds = static_cast<std::uint64_t>(duration.seconds);
  std::int32_t nanos = duration.nanos;
  if (negative) {
    seconds = 0 - seconds;
    if (nanos != 0) {  // floor to magnitude: -2 s and 0.5e9 ns are -1.5 s
      seconds -= 1;
      nanos = static_cast<std::int32_t>(kNanosPerSecond - nanos);
    }
  }
  std::string out = negative ? "-P" : "P";
  const std::uint64_t days = seconds / kSecondsPerDay;
  const std::uint64_t hours = seconds / 3600 % 24;
  const std::uint64_t minutes = seconds / 60 % 60;
  seconds %= 60;
  if (days != 0) out += std::to_string(days) + 'D';
  const bool has_seconds = seconds != 0 || nanos != 0;
  if (days != 0 && hours == 0 && minutes == 0 && !has_seconds) return out;
  out += 'T';
  if (hours != 0) out += std::to_string(hours) + 'H';
  if (minutes != 0) out += std::to_string(minutes) + 'M';
  if (has_seconds || (days == 0 && hours == 0 && minutes == 0)) {
    out += std::to_string(seconds);
    AppendFraction(out, nanos, 0);
    out += 'S';
  }
  return out;
}

Timestamp CurrentTimestamp() {
  const std::int64_t nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
  return {FloorDivide(nanos, kNanosPerSecond),
          static_cast<std::int32_t>(FloorModulo(nanos, kNanosPerSecond))};
}

}  // namespace tablecast
