// The date and time functions of spec formula.md section 8.4: proleptic Gregorian calendar, years
// 1..9999, UTC, milliseconds. Tested by the examples below and tests/formula/.

#include <algorithm>

#include "base/utf8.h"
#include "formula/date_text.h"
#include "formula/function_tables.h"

namespace tablecast::formula::internal {
namespace {

constexpr ValueType kNumberResult = ValueType::kNumber;
constexpr ValueType kTextResult = ValueType::kText;
constexpr ValueType kDateResult = ValueType::kDate;
constexpr ValueType kDateTimeResult = ValueType::kDateTime;
constexpr ValueType kTimeResult = ValueType::kTime;

bool FailText(KernelContext& context, std::string_view function, std::string_view text,
              std::string_view expected) {
  std::string message = std::string(function) + " cannot read \"";
  AppendPrintable(message, text.substr(0, 60));
  return context.Fail(EvalErrorCode::kBadDateText,
                      message + "\"; it reads " + std::string(expected));
}

bool FailRange(KernelContext& context) {
  return context.Fail(EvalErrorCode::kArgumentOutOfRange, "date is outside of the years 1 to 9999");
}

bool MakeDate(Arguments args, KernelContext& context, Value& result) {
  const std::optional<Date> date =
      DateFromCivil(args[0].number().ToInt64Saturated(), args[1].number().ToInt64Saturated(),
                    args[2].number().ToInt64Saturated());
  if (!date) {
    return context.Fail(EvalErrorCode::kArgumentOutOfRange,
                        "there is no day " + args[0].number().ToString() + "-" +
                            args[1].number().ToString() + "-" + args[2].number().ToString());
  }
  result = Value::FromDate(*date);
  return true;
}

bool DateValue(Arguments args, KernelContext& context, Value& result) {
  if (args[0].Is(ValueType::kDateTime)) {
    result = Value::FromDate(DateOf(args[0].instant()));
    return true;
  }
  const std::optional<Date> date = ParseDateText(args[0].text());
  if (!date) return FailText(context, "DATEVALUE", args[0].text(), "yyyy-MM-dd");
  result = Value::FromDate(*date);
  return true;
}

bool DateTimeValue(Arguments args, KernelContext& context, Value& result) {
  if (args[0].Is(ValueType::kDate)) {
    result = Value::DateTime(ToTimestamp(args[0].date(), TimeOfDay{}));
    return true;
  }
  const std::optional<Timestamp> instant = ParseDateTimeText(args[0].text());
  if (!instant) return FailText(context, "DATETIMEVALUE", args[0].text(), "yyyy-MM-dd HH:mm:ss");
  result = Value::DateTime(*instant);
  return true;
}

bool TimeValue(Arguments args, KernelContext& context, Value& result) {
  if (args[0].Is(ValueType::kDateTime)) {
    result = Value::Time(TimeOf(args[0].instant()));
    return true;
  }
  const std::optional<TimeOfDay> time = ParseTimeText(args[0].text());
  if (!time) return FailText(context, "TIMEVALUE", args[0].text(), "HH:mm:ss.SSS");
  result = Value::Time(*time);
  return true;
}

bool Year(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToCivil(args[0].date()).year);
  return true;
}
bool Month(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToCivil(args[0].date()).month);
  return true;
}
bool Day(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToCivil(args[0].date()).day);
  return true;
}
bool WeekdayOf(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(Weekday(args[0].date()));
  return true;
}
bool DayOfYearOf(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(DayOfYear(args[0].date()));
  return true;
}

Date DayOf(const Value& value) {
  return value.Is(ValueType::kDateTime) ? DateOf(value.instant()) : value.date();
}
bool IsoWeekOf(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToIsoWeek(DayOf(args[0])).week);
  return true;
}
bool IsoYearOf(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToIsoWeek(DayOf(args[0])).year);
  return true;
}

bool Hour(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToMillis(args[0].time()) / 3'600'000);
  return true;
}
bool Minute(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToMillis(args[0].time()) / 60'000 % 60);
  return true;
}
bool Second(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToMillis(args[0].time()) / 1000 % 60);
  return true;
}
bool Millisecond(Arguments args, KernelContext& /*context*/, Value& result) {
  result = Value::Integer(ToMillis(args[0].time()) % 1000);
  return true;
}

// The last day of a month goes to the last day; otherwise the same day, cut to the month's end.
bool AddMonths(Arguments args, KernelContext& context, Value& result) {
  constexpr std::int64_t kMostMonths = 12 * 10000;
  const std::int64_t months =
      std::clamp(args[1].number().ToInt64Saturated(), -kMostMonths, kMostMonths);
  const CivilDay from = ToCivil(DayOf(args[0]));
  const std::int64_t counted =
      static_cast<std::int64_t>(from.year) * 12 + (from.month - 1) + months;
  const std::int64_t year = counted >= 0 ? counted / 12 : -1;
  if (year < 1 || year > 9999) return FailRange(context);
  const auto to_year = static_cast<std::int32_t>(year);
  const auto to_month = static_cast<std::int32_t>(counted % 12 + 1);
  const std::int32_t last = DaysInMonth(to_year, to_month);
  const bool was_last = from.day == DaysInMonth(from.year, from.month);
  const std::optional<Date> date =
      DateFromCivil(to_year, to_month, was_last ? last : std::min(from.day, last));
  if (!date) return FailRange(context);
  result = args[0].Is(ValueType::kDateTime)
               ? Value::DateTime(ToTimestamp(*date, TimeOf(args[0].instant())))
               : Value::FromDate(*date);
  return true;
}

bool UnixTimestamp(Arguments args, KernelContext& /*context*/, Value& result) {
  std::int64_t seconds = 0;
  if (args[0].Is(ValueType::kDate)) seconds = args[0].date().days * kSecondsPerDay;
  // Toward zero, as a division of the milliseconds gives.
  if (args[0].Is(ValueType::kDateTime)) seconds = ToMillis(args[0].instant()) / 1000;
  if (args[0].Is(ValueType::kTime)) seconds = ToMillis(args[0].time()) / 1000;
  result = Value::Integer(seconds);
  return true;
}

bool FromUnixTime(Arguments args, KernelContext& context, Value& result) {
  const Decimal millis = Multiply(args[0].number(), Decimal(1000), Decimal::kFormula);
  const std::optional<Timestamp> instant = millis.IsZero() || millis.Magnitude() < 18
                                               ? FromMillis(millis.ToInt64Saturated())
                                               : std::nullopt;
  if (!instant) return FailRange(context);
  result = Value::DateTime(*instant);
  return true;
}

std::string TwoDigits(std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

std::string DurationText(std::int64_t seconds, bool with_days) {
  std::string text;
  std::int64_t hours = seconds / 3600;
  if (with_days) {
    text = std::to_string(hours / 24) + ":";
    hours %= 24;
  }
  return text + TwoDigits(hours) + ":" + TwoDigits(seconds / 60 % 60) + ":" +
         TwoDigits(seconds % 60);
}

bool FormatDurationOf(Arguments args, KernelContext& context, Value& result) {
  if (args[0].Is(ValueType::kDateTime)) {
    const std::int64_t millis = ToMillis(args[0].instant()) - ToMillis(args[1].instant());
    return context.SetText(result, DurationText((millis < 0 ? -millis : millis) / 1000, true));
  }
  if (args[0].Is(ValueType::kTime)) {
    const std::int64_t millis = ToMillis(args[0].time()) - ToMillis(args[1].time());
    return context.SetText(result, DurationText((millis < 0 ? -millis : millis) / 1000, false));
  }
  const std::int64_t seconds = args[0].number().Abs().ToInt64Saturated();
  return context.SetText(result, DurationText(seconds, args.size() > 1 && args[1].boolean()));
}

Timestamp NowInMillis(const KernelContext& context) {
  Timestamp now = context.now();
  now.nanos -= now.nanos % static_cast<std::int32_t>(kNanosPerMilli);
  return now;
}
bool Today(Arguments /*args*/, KernelContext& context, Value& result) {
  result = Value::FromDate(DateOf(context.now()));
  return true;
}
bool Now(Arguments /*args*/, KernelContext& context, Value& result) {
  result = Value::DateTime(NowInMillis(context));
  return true;
}
bool TimeNow(Arguments /*args*/, KernelContext& context, Value& result) {
  result = Value::Time(TimeOf(NowInMillis(context)));
  return true;
}

// ---- overloads and examples ----

constexpr Overload kMakeDate[] = {Takes(kDateResult, P::kNumber, P::kNumber, P::kNumber)};
constexpr Overload kDateValue[] = {WithoutNull(Takes(kDateResult, P::kText)),
                                   WithoutNull(Takes(kDateResult, P::kDateTime)),
                                   QualifierIdentity(kDateResult, P::kDate)};
constexpr Overload kDateTimeValue[] = {WithoutNull(Takes(kDateTimeResult, P::kText)),
                                       WithoutNull(Takes(kDateTimeResult, P::kDate)),
                                       Identity(WithoutNull(Takes(kDateTimeResult, P::kDateTime)))};
constexpr Overload kTimeValue[] = {WithoutNull(Takes(kTimeResult, P::kText)),
                                   WithoutNull(Takes(kTimeResult, P::kDateTime)),
                                   Identity(WithoutNull(Takes(kTimeResult, P::kTime)))};
constexpr Overload kOfDate[] = {Takes(kNumberResult, P::kDate)};
constexpr Overload kOfTime[] = {Takes(kNumberResult, P::kTime)};
constexpr Overload kOfDay[] = {WithoutNull(Takes(kNumberResult, P::kDate)),
                               WithoutNull(Takes(kNumberResult, P::kDateTime))};
constexpr Overload kAddMonths[] = {WithoutNull(Takes(kDateResult, P::kDate, P::kNumber)),
                                   WithoutNull(Takes(kDateTimeResult, P::kDateTime, P::kNumber))};
constexpr Overload kUnixTimestamp[] = {WithoutNull(Takes(kNumberResult, P::kDate)),
                                       WithoutNull(Takes(kNumberResult, P::kDateTime)),
                                       WithoutNull(Takes(kNumberResult, P::kTime))};
constexpr Overload kFromUnixTime[] = {Takes(kDateTimeResult, P::kNumber)};
constexpr Overload kFormatDuration[] = {WithoutNull(Takes(kTextResult, P::kNumber)),
                                        WithoutNull(Takes(kTextResult, P::kNumber, P::kBoolean)),
                                        WithoutNull(Takes(kTextResult, P::kDateTime, P::kDateTime)),
                                        WithoutNull(Takes(kTextResult, P::kTime, P::kTime))};
constexpr Overload kToday[] = {Takes(kDateResult)};
constexpr Overload kNow[] = {Takes(kDateTimeResult)};
constexpr Overload kTimeNow[] = {Takes(kTimeResult)};

constexpr FunctionExample kMakeDateExamples[] = {{"DATE(2020.9, 1.9, 2.9)", "2020-01-02"},
                                                 {"DATE(2020, 2, 30)", "error"},
                                                 {"DATE(0, 1, 1)", "error"}};
constexpr FunctionExample kDateValueExamples[] = {
    {"DATEVALUE(\"2020-1-2\")", "2020-01-02"},
    {"DATEVALUE(\"2020-01-02T03:04:05Z\")", "2020-01-02"},
    {"DATEVALUE(\"20-01-02\")", "error"},
    {"DATEVALUE(\"2020-01-02x\")", "error"}};
constexpr FunctionExample kDateTimeValueExamples[] = {
    {"DATETIMEVALUE(\"2012-2-7 5:2:3\")", "2012-02-07T05:02:03Z"},
    {"DATETIMEVALUE(\"2020-01-02T03:04:05.5+02:00\")", "2020-01-02T01:04:05.500Z"},
    {"DATETIMEVALUE(DATE(2020, 1, 2))", "2020-01-02T00:00:00Z"},
    {"DATETIMEVALUE(\"2020-01-02 24:00:00\")", "error"}};
constexpr FunctionExample kTimeValueExamples[] = {{"TIMEVALUE(\"03:04:05.006\")", "03:04:05.006"},
                                                  {"TIMEVALUE(\"03:04:05.5\")", "error"}};
constexpr FunctionExample kYearExamples[] = {{"YEAR(DATE(2020, 1, 2))", "2020"}};
constexpr FunctionExample kMonthExamples[] = {{"MONTH(DATE(2020, 1, 2))", "1"}};
constexpr FunctionExample kDayExamples[] = {{"DAY(DATE(2020, 1, 2))", "2"}};
constexpr FunctionExample kWeekdayExamples[] = {{"WEEKDAY(DATE(2026, 12, 1))", "3"}};
constexpr FunctionExample kDayOfYearExamples[] = {{"DAYOFYEAR(DATE(2020, 12, 31))", "366"}};
constexpr FunctionExample kIsoWeekExamples[] = {{"ISOWEEK(DATE(2021, 1, 3))", "53"}};
constexpr FunctionExample kIsoYearExamples[] = {{"ISOYEAR(DATE(2021, 1, 3))", "2020"}};
constexpr FunctionExample kHourExamples[] = {{"HOUR(TIMEVALUE(\"03:04:05.006\"))", "3"}};
constexpr FunctionExample kMinuteExamples[] = {{"MINUTE(TIMEVALUE(\"03:04:05.006\"))", "4"}};
constexpr FunctionExample kSecondExamples[] = {{"SECOND(TIMEVALUE(\"03:04:05.006\"))", "5"}};
constexpr FunctionExample kMillisecondExamples[] = {
    {"MILLISECOND(TIMEVALUE(\"03:04:05.006\"))", "6"}};
constexpr FunctionExample kAddMonthsExamples[] = {
    {"ADDMONTHS(DATE(2019, 2, 28), 12)", "2020-02-29"},
    {"ADDMONTHS(DATE(2020, 4, 30), 1)", "2020-05-31"},
    {"ADDMONTHS(DATE(2020, 1, 30), 1)", "2020-02-29"},
    {"ADDMONTHS(DATE(2020, 3, 31), -1.9)", "2020-02-29"}};
constexpr FunctionExample kUnixTimestampExamples[] = {
    {"UNIXTIMESTAMP(DATE(2020, 1, 2))", "1577923200"},
    {"UNIXTIMESTAMP(TIMEVALUE(\"01:00:00.000\"))", "3600"}};
constexpr FunctionExample kFromUnixTimeExamples[] = {
    {"FROMUNIXTIME(1.5)", "1970-01-01T00:00:01.500Z"}};
constexpr FunctionExample kFormatDurationExamples[] = {
    {"FORMATDURATION(-90061)", "\"25:01:01\""}, {"FORMATDURATION(90061, TRUE)", "\"1:01:01:01\""}};
// The clock has no fixed answer: these hold whatever the time is.
constexpr FunctionExample kTodayExamples[] = {{"TODAY() - TODAY()", "0"}};
constexpr FunctionExample kNowExamples[] = {{"DATEVALUE(NOW()) = TODAY()", "TRUE"}};
constexpr FunctionExample kTimeNowExamples[] = {{"TIMEVALUE(NOW()) = TIMENOW()", "TRUE"}};

constexpr FunctionEntry Entry(std::string_view name, std::string_view parameters,
                              std::span<const Overload> overloads, Kernel kernel,
                              std::string_view doc, std::span<const FunctionExample> examples,
                              Purity purity = Purity::kPure) {
  FunctionEntry entry;
  entry.name = name;
  entry.family = "Date and time";
  entry.parameters = parameters;
  entry.overloads = overloads;
  entry.purity = purity;
  entry.kernel = kernel;
  entry.doc = doc;
  entry.examples = examples;
  return entry;
}

constexpr FunctionEntry kFunctions[] = {
    Entry("DATE", "year, month, day", kMakeDate, MakeDate,
          "A calendar day of the years 1 to 9999; each part is truncated; an error when there is "
          "no such day",
          kMakeDateExamples),
    Entry("DATEVALUE", "text or date-time", kDateValue, DateValue,
          "The day that the text spells (yyyy-M-d, a time of day may follow), or the UTC day of a "
          "date-time; in "
          "qualifiers a date stays as it is",
          kDateValueExamples),
    Entry("DATETIMEVALUE", "text, date or date-time", kDateTimeValue, DateTimeValue,
          "The instant that the text spells: date, T or a blank, H:m:s, optionally a fraction and "
          "Z or ±HH:mm; UTC "
          "without a zone",
          kDateTimeValueExamples),
    Entry("TIMEVALUE", "text, date-time or time", kTimeValue, TimeValue,
          "The time of day that the text spells (HH:mm:ss.SSS), or of the date-time in UTC",
          kTimeValueExamples),
    Entry("YEAR", "date", kOfDate, Year, "The year of the date", kYearExamples),
    Entry("MONTH", "date", kOfDate, Month, "The month of the date, 1 to 12", kMonthExamples),
    Entry("DAY", "date", kOfDate, Day, "The day of the month", kDayExamples),
    Entry("WEEKDAY", "date", kOfDate, WeekdayOf, "1 = Sunday to 7 = Saturday", kWeekdayExamples),
    Entry("DAYOFYEAR", "date", kOfDate, DayOfYearOf, "1 to 366", kDayOfYearExamples),
    Entry("ISOWEEK", "date or date-time", kOfDay, IsoWeekOf, "ISO 8601 week number",
          kIsoWeekExamples),
    Entry("ISOYEAR", "date or date-time", kOfDay, IsoYearOf, "Year of the ISO 8601 week",
          kIsoYearExamples),
    Entry("HOUR", "time", kOfTime, Hour, "0 to 23", kHourExamples),
    Entry("MINUTE", "time", kOfTime, Minute, "0 to 59", kMinuteExamples),
    Entry("SECOND", "time", kOfTime, Second, "0 to 59", kSecondExamples),
    Entry("MILLISECOND", "time", kOfTime, Millisecond, "0 to 999", kMillisecondExamples),
    Entry("ADDMONTHS", "date or date-time, months", kAddMonths, AddMonths,
          "Months later; the last day of a month goes to the last day, others are cut to the "
          "month's end",
          kAddMonthsExamples),
    Entry("UNIXTIMESTAMP", "date, date-time or time", kUnixTimestamp, UnixTimestamp,
          "Whole seconds since 1970-01-01 in UTC; of a time, since midnight",
          kUnixTimestampExamples),
    Entry("FROMUNIXTIME", "seconds", kFromUnixTime, FromUnixTime,
          "The instant; milliseconds are kept", kFromUnixTimeExamples),
    Entry("FORMATDURATION", "seconds, [days] or from, to", kFormatDuration, FormatDurationOf,
          "HH:mm:ss of whole seconds without sign, with days in front when asked; between two "
          "date-times (with days) "
          "or two times",
          kFormatDurationExamples),
    Entry("TODAY", "", kToday, Today, "The UTC day of the request; one value a request",
          kTodayExamples, Purity::kClock),
    Entry("NOW", "", kNow, Now, "The instant of the request, in milliseconds; one value a request",
          kNowExamples, Purity::kClock),
    Entry("TIMENOW", "", kTimeNow, TimeNow,
          "The UTC time of day of the request; one value a request", kTimeNowExamples,
          Purity::kClock),
};

}  // namespace

std::span<const FunctionEntry> DateFunctions() { return kFunctions; }

}  // namespace tablecast::formula::internal
