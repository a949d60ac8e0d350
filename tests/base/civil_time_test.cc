#include "base/civil_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace tablecast {
namespace {

TEST(CivilTimeTest, EveryDayOfTheCalendarAgreesWithChrono) {
  std::int32_t day_of_year = 0;
  std::int32_t last_year = 0;
  for (std::int32_t days = kMinDate.days; days <= kMaxDate.days; ++days) {
    const CivilDay day = ToCivil({days});
    day_of_year = day.year == last_year ? day_of_year + 1 : 1;
    last_year = day.year;
    ASSERT_EQ(DateFromCivil(day.year, day.month, day.day), Date{days});
    if (days % 7 != 0 && day.day < 28 && day.day > 1)
      continue;  // the slow checks on a part of them
    const std::chrono::sys_days chrono_days{std::chrono::days{days}};
    const std::chrono::year_month_day want{chrono_days};
    ASSERT_EQ(day.year, static_cast<int>(want.year()));
    ASSERT_EQ(day.month, static_cast<std::int32_t>(static_cast<unsigned>(want.month())));
    ASSERT_EQ(day.day, static_cast<std::int32_t>(static_cast<unsigned>(want.day())));
    ASSERT_EQ(Weekday({days}),
              static_cast<std::int32_t>(std::chrono::weekday{chrono_days}.c_encoding()) + 1);
    ASSERT_EQ(DayOfYear({days}), day_of_year);
  }
  EXPECT_EQ(last_year, 9999);
}

TEST(CivilTimeTest, DaysThatDoNotExist) {
  struct Row {
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
  };
  for (const Row& row : std::vector<Row>{{0, 1, 1},
                                         {10000, 1, 1},
                                         {-1, 1, 1},
                                         {2015, 0, 1},
                                         {2015, 13, 1},
                                         {2015, 1, 0},
                                         {2015, 1, 32},
                                         {2015, 4, 31},
                                         {2015, 2, 29},
                                         {1900, 2, 29},
                                         {2000, 2, 30},
                                         {std::numeric_limits<std::int64_t>::max(), 1, 1},
                                         {2015, std::numeric_limits<std::int64_t>::min(), 1},
                                         {2015, 1, std::numeric_limits<std::int64_t>::max()}}) {
    EXPECT_EQ(DateFromCivil(row.year, row.month, row.day), std::nullopt)
        << row.year << "-" << row.month << "-" << row.day;
  }
  EXPECT_TRUE(DateFromCivil(2000, 2, 29).has_value());
  EXPECT_TRUE(IsLeapYear(2000));
  EXPECT_FALSE(IsLeapYear(1900));
  EXPECT_TRUE(IsLeapYear(2016));
  EXPECT_EQ(DaysInMonth(2016, 2), 29);
  EXPECT_EQ(DaysInMonth(2015, 2), 28);
}

// SOURCE: ISO 8601 week rules; values from Python's date.isocalendar().
TEST(CivilTimeTest, IsoWeeksBelongToTheirThursday) {
  struct Row {
    std::string date;
    std::int32_t year;
    std::int32_t week;
  };
  for (const Row& row : std::vector<Row>{{"2015-12-21", 2015, 52},
                                         {"2015-12-31", 2015, 53},
                                         {"2016-01-01", 2015, 53},
                                         {"2016-01-03", 2015, 53},
                                         {"2016-01-04", 2016, 1},
                                         {"2008-12-29", 2009, 1},
                                         {"2010-01-03", 2009, 53},
                                         {"2010-01-04", 2010, 1},
                                         {"0001-01-01", 1, 1},
                                         {"9999-12-31", 9999, 52},
                                         {"2024-12-30", 2025, 1},
                                         {"2021-01-03", 2020, 53}}) {
    const IsoWeek week = ToIsoWeek(ParseDate(row.date).value());
    EXPECT_EQ(week.year, row.year) << row.date;
    EXPECT_EQ(week.week, row.week) << row.date;
  }
}

TEST(CivilTimeTest, InstantsSplitIntoDayAndTimeAlsoBeforeTheEpoch) {
  struct Row {
    Timestamp instant;
    std::string date;
    std::string time;
  };
  for (const Row& row :
       std::vector<Row>{{{0, 0}, "1970-01-01", "00:00:00"},
                        {{-1, 0}, "1969-12-31", "23:59:59"},
                        {{-1, 500'000'000}, "1969-12-31", "23:59:59.5"},
                        {{-86'400, 1}, "1969-12-31", "00:00:00.000000001"},
                        {{86'399, 999'999'999}, "1970-01-01", "23:59:59.999999999"},
                        {{-62'135'596'800, 0}, "0001-01-01", "00:00:00"},
                        {{253'402'300'799, 0}, "9999-12-31", "23:59:59"}}) {
    EXPECT_EQ(FormatDate(DateOf(row.instant)), row.date);
    EXPECT_EQ(FormatTimeOfDay(TimeOf(row.instant)), row.time);
    EXPECT_EQ(ToTimestamp(DateOf(row.instant), TimeOf(row.instant)), row.instant);
  }
}

TEST(Iso8601Test, ReadsEveryForm) {
  struct Row {
    std::string text;
    std::string instant;
    IsoForm form;
    int fraction_digits;
    bool has_zone;
    int zone;
    bool has_seconds;
    char separator;
  };
  const auto kDate = IsoForm::kDate;
  const auto kExtended = IsoForm::kExtended;
  const auto kBasic = IsoForm::kBasic;
  const std::vector<Row> rows = {
      {"2015-12-21", "2015-12-21T00:00:00Z", kDate, 0, false, 0, true, 'T'},
      {"2015-12-21T17:42", "2015-12-21T17:42:00Z", kExtended, 0, false, 0, false, 'T'},
      {"2015-12-21T17:42:34", "2015-12-21T17:42:34Z", kExtended, 0, false, 0, true, 'T'},
      {"2015-12-21t17:42:34", "2015-12-21T17:42:34Z", kExtended, 0, false, 0, true, 't'},
      {"2015-12-21 17:42:34", "2015-12-21T17:42:34Z", kExtended, 0, false, 0, true, ' '},
      {"2015-12-21T17:42:34.5", "2015-12-21T17:42:34.5Z", kExtended, 1, false, 0, true, 'T'},
      {"2015-12-21T17:42:34,25", "2015-12-21T17:42:34.25Z", kExtended, 2, false, 0, true, 'T'},
      {"2015-12-21T17:42:34.500", "2015-12-21T17:42:34.500Z", kExtended, 3, false, 0, true, 'T'},
      {"2015-12-21T17:42:34.123456789", "2015-12-21T17:42:34.123456789Z", kExtended, 9, false, 0,
       true, 'T'},
      {"2015-12-21T17:42Z", "2015-12-21T17:42:00Z", kExtended, 0, true, 0, false, 'T'},
      {"2015-12-21T17:42:34Z", "2015-12-21T17:42:34Z", kExtended, 0, true, 0, true, 'T'},
      {"2015-12-21T17:42:34z", "2015-12-21T17:42:34Z", kExtended, 0, true, 0, true, 'T'},
      {"2015-12-21T17:42:34.0Z", "2015-12-21T17:42:34.0Z", kExtended, 1, true, 0, true, 'T'},
      {"2015-12-21T17:42:34+02", "2015-12-21T15:42:34Z", kExtended, 0, true, 120, true, 'T'},
      {"2015-12-21T17:42:34+0230", "2015-12-21T15:12:34Z", kExtended, 0, true, 150, true, 'T'},
      {"2015-12-21T17:42:34.5+02:00", "2015-12-21T15:42:34.5Z", kExtended, 1, true, 120, true, 'T'},
      {"2015-12-21 17:42-05:30", "2015-12-21T23:12:00Z", kExtended, 0, true, -330, false, ' '},
      {"2015-12-31T23:30:00-01:00", "2016-01-01T00:30:00Z", kExtended, 0, true, -60, true, 'T'},
      {"2015-12-21T17:42:34-00:00", "2015-12-21T17:42:34Z", kExtended, 0, true, 0, true, 'T'},
      {"2016-02-29T00:00:00+23:59", "2016-02-28T00:01:00Z", kExtended, 0, true, 1439, true, 'T'},
      {"20151221T1742", "2015-12-21T17:42:00Z", kBasic, 0, false, 0, false, 'T'},
      {"20151221T174234", "2015-12-21T17:42:34Z", kBasic, 0, false, 0, true, 'T'},
      {"20151221T174234.5", "2015-12-21T17:42:34.5Z", kBasic, 1, false, 0, true, 'T'},
      {"20151221T1742Z", "2015-12-21T17:42:00Z", kBasic, 0, true, 0, false, 'T'},
      {"20151221T174234.123456789z", "2015-12-21T17:42:34.123456789Z", kBasic, 9, true, 0, true,
       'T'},
      {"20151221T174234+02", "2015-12-21T15:42:34Z", kBasic, 0, true, 120, true, 'T'},
      {"20151221T1742+0200", "2015-12-21T15:42:00Z", kBasic, 0, true, 120, false, 'T'},
      {"20151221T174234-02:00", "2015-12-21T19:42:34Z", kBasic, 0, true, -120, true, 'T'},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", kExtended, 0, true, 0, true, 'T'},
      {"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z", kExtended, 9, true, 0,
       true, 'T'},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto read = ParseIso8601(row.text, 0);
    ASSERT_TRUE(read.ok()) << read.error().ToString();
    EXPECT_EQ(FormatTimestamp(read->instant, read->fraction_digits), row.instant);
    EXPECT_EQ(read->form, row.form);
    EXPECT_EQ(read->fraction_digits, row.fraction_digits);
    EXPECT_EQ(read->has_zone, row.has_zone);
    EXPECT_EQ(read->zone_offset_minutes, row.zone);
    EXPECT_EQ(read->has_seconds, row.has_seconds);
    EXPECT_EQ(read->separator, row.separator);
    // A default zone moves exactly the texts without one.
    const auto moved = ParseIso8601(row.text, 90);
    ASSERT_TRUE(moved.ok());
    EXPECT_EQ(moved->instant.seconds, read->instant.seconds - (row.has_zone ? 0 : 90 * 60));
  }
}

TEST(Iso8601Test, RefusesEverythingElse) {
  struct Row {
    std::string text;
    std::string reason;
    std::size_t offset;
  };
  const std::string kSyntax = "iso8601-syntax";
  const std::string kRange = "iso8601-range";
  const std::vector<Row> rows = {
      {"", kSyntax, 0},
      {"2015", kSyntax, 4},
      {"2015-12", kSyntax, 7},
      {"2015-12-", kSyntax, 8},
      {"2015-W52-1", kSyntax, 5},
      {"2015W521", kSyntax, 4},
      {"2015-355", kRange, 5},
      {"2015355", kRange, 4},
      {"20151221", kSyntax, 8},
      {"17:42:34", kSyntax, 2},
      {"T17:42", kSyntax, 0},
      {"2015-12-21T", kSyntax, 11},
      {"2015-12-21T17", kSyntax, 13},
      {"2015-12-21T17:4", kSyntax, 15},
      {"2015-12-21T1742", kSyntax, 13},
      {"2015-12-21T17:42:3", kSyntax, 18},
      {"2015-12-21T17:42:34.", kSyntax, 20},
      {"2015-12-21T17:42:34.Z", kSyntax, 20},
      {"2015-12-21T17:42:34.1234567890", kSyntax, 29},
      {"2015-12-21T17:42.5", kSyntax, 16},
      {"2015-12-21T17:42:34 Z", kSyntax, 19},
      {"2015-12-21T17:42:34ZZ", kSyntax, 20},
      {"2015-12-21T17:42:34+2", kSyntax, 21},
      {"2015-12-21T17:42:34+02:", kSyntax, 23},
      {"2015-12-21T17:42:34+02:0", kSyntax, 24},
      {"2015-12-21T17:42:34+020", kSyntax, 23},
      {"2015-12-21T17:42:34+02:000", kSyntax, 25},
      {"2015-12-21T17:42:34 UTC", kSyntax, 19},
      {"2015-12-21Z", kSyntax, 10},
      {"2015-12-21+02:00", kSyntax, 10},
      {"2015-12-21_17:42", kSyntax, 10},
      {"2015/12/21", kSyntax, 4},
      {"21.12.2015", kSyntax, 2},
      {" 2015-12-21", kSyntax, 0},
      {"2015-12-21 ", kSyntax, 11},
      {"2015-1-21", kSyntax, 6},
      {"+2015-12-21", kSyntax, 0},
      {"-015-12-21", kSyntax, 0},
      {"12015-12-21", kSyntax, 5},  // a fifth digit makes it the basic form
      {"20151221t1742", kSyntax, 8},
      {"20151221 1742", kSyntax, 8},
      {"20151221T17:42", kSyntax, 11},
      {"20151221T17", kSyntax, 11},
      {"20151221T17423", kSyntax, 14},
      {"20151221T1742.5", kSyntax, 13},
      {std::string("2015-12-21\0", 11), kSyntax, 10},
      {"0000-12-21", kRange, 0},
      {"2015-00-21", kRange, 5},
      {"2015-13-21", kRange, 5},
      {"2015-12-00", kRange, 8},
      {"2015-12-32", kRange, 8},
      {"2015-02-29", kRange, 8},
      {"1900-02-29T00:00Z", kRange, 8},
      {"2015-12-21T24:00:00", kRange, 11},
      {"2015-12-21T25:00", kRange, 11},
      {"2015-12-21T17:60", kRange, 14},
      {"2015-12-21T23:59:60Z", kRange, 17},
      {"2015-12-21T17:42+24:00", kRange, 17},
      {"2015-12-21T17:42+02:60", kRange, 20},
      {"20151321T1742", kRange, 4},
      {"20151221T2400", kRange, 9},
      {"0001-01-01T00:00:00+00:01", kRange, 0},
      {"9999-12-31T23:59:59-00:01", kRange, 0},
  };
  for (const Row& row : rows) {
    const auto read = ParseIso8601(row.text, 0);
    ASSERT_FALSE(read.ok()) << row.text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument) << row.text;
    EXPECT_EQ(read.error().reason, row.reason) << row.text;
    EXPECT_EQ(read.error().position.offset, row.offset) << row.text;
  }
}

TEST(Iso8601Test, EveryProperPrefixIsReadWholeOrRefused) {
  const std::string text = "2015-12-21T17:42:34.123456789+02:30";
  for (std::size_t length = 0; length < text.size(); ++length) {
    const bool complete = length == 10 || length == 16 || length == 19 ||
                          (length >= 21 && length <= 29) || length == 32;
    EXPECT_EQ(ParseIso8601(text.substr(0, length), 0).ok(), complete) << text.substr(0, length);
  }
}

TEST(CivilTimeTest, DatesAndTimesAlone) {
  EXPECT_EQ(FormatDate(ParseDate("0001-01-01").value()), "0001-01-01");
  EXPECT_EQ(ParseDate("0001-01-01").value(), kMinDate);
  EXPECT_EQ(ParseDate("9999-12-31").value(), kMaxDate);
  EXPECT_EQ(ParseDate("2015-12-21T00:00").error().reason, "iso8601-syntax");
  EXPECT_EQ(ParseDate("20151221").error().reason, "iso8601-syntax");
  EXPECT_EQ(ParseDate("2015-02-29").error().reason, "iso8601-range");
  struct Row {
    std::string text;
    std::string want;
  };
  for (const Row& row : std::vector<Row>{{"17:42", "17:42:00"},
                                         {"00:00:00", "00:00:00"},
                                         {"23:59:59.999999999", "23:59:59.999999999"},
                                         {"07:05:09.50", "07:05:09.5"},
                                         {"07:05:09.000", "07:05:09"}}) {
    EXPECT_EQ(FormatTimeOfDay(ParseTimeOfDay(row.text).value()), row.want);
  }
  for (const std::string text : {"", "1:00", "17", "17:4", "17:42:", "17:42:34.", "17:42:34,5",
                                 "17:42Z", "17:42:34.1234567890", "1742"}) {
    EXPECT_EQ(ParseTimeOfDay(text).error().reason, "iso8601-syntax") << text;
  }
  for (const std::string text : {"24:00", "17:60", "17:42:60"}) {
    EXPECT_EQ(ParseTimeOfDay(text).error().reason, "iso8601-range") << text;
  }
}

TEST(CivilTimeTest, TimestampsPrintTheDigitsAskedFor) {
  const Timestamp instant{1'450'719'754, 120'000'000};
  EXPECT_EQ(FormatTimestamp(instant), "2015-12-21T17:42:34.12Z");
  EXPECT_EQ(FormatTimestamp(instant, 1), "2015-12-21T17:42:34.12Z");
  EXPECT_EQ(FormatTimestamp(instant, 3), "2015-12-21T17:42:34.120Z");
  EXPECT_EQ(FormatTimestamp(instant, 9), "2015-12-21T17:42:34.120000000Z");
  EXPECT_EQ(FormatTimestamp(instant, 12), "2015-12-21T17:42:34.120000000Z");
  EXPECT_EQ(FormatTimestamp({0, 0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp({0, 0}, 2), "1970-01-01T00:00:00.00Z");
  EXPECT_EQ(FormatTimestamp({0, 1}), "1970-01-01T00:00:00.000000001Z");
}

TEST(CivilTimeTest, DurationsReadAndPrint) {
  struct Row {
    std::string text;
    Duration want;
    std::string printed;
  };
  const std::vector<Row> rows = {
      {"PT0S", {0, 0}, "PT0S"},
      {"P0D", {0, 0}, "PT0S"},
      {"-PT0S", {0, 0}, "PT0S"},
      {"P1D", {86'400, 0}, "P1D"},
      {"+P1D", {86'400, 0}, "P1D"},
      {"P1DT2H", {93'600, 0}, "P1DT2H"},
      {"PT1.5S", {1, 500'000'000}, "PT1.5S"},
      {"-PT1.5S", {-2, 500'000'000}, "-PT1.5S"},
      {"-PT0.000000001S", {-1, 999'999'999}, "-PT0.000000001S"},
      {"PT90M", {5'400, 0}, "PT1H30M"},
      {"PT36H", {129'600, 0}, "P1DT12H"},
      {"P12DT23H59M59.999999999S", {1'123'199, 999'999'999}, "P12DT23H59M59.999999999S"},
      {"-P12DT23H59M59.999999999S", {-1'123'200, 1}, "-P12DT23H59M59.999999999S"},
      {"PT1H0.5S", {3'600, 500'000'000}, "PT1H0.5S"},
      {"PT1000000000000000S", {1'000'000'000'000'000, 0}, "P11574074074DT1H46M40S"},
  };
  for (const Row& row : rows) {
    const auto read = ParseDuration(row.text);
    ASSERT_TRUE(read.ok()) << row.text;
    EXPECT_EQ(*read, row.want) << row.text;
    EXPECT_EQ(FormatDuration(*read), row.printed);
    EXPECT_EQ(ParseDuration(row.printed).value(), *read);
  }
  EXPECT_EQ(FormatDuration({std::numeric_limits<std::int64_t>::min(), 0}),
            "-P106751991167300DT15H30M8S");
  for (const std::string text : {"",
                                 "P",
                                 "PT",
                                 "-P",
                                 "1D",
                                 "P1",
                                 "P1H",
                                 "PT1D",
                                 "P1DT",
                                 "PT1M1H",
                                 "P1D1D",
                                 "PT1S1S",
                                 "P1.5D",
                                 "PT1.5H",
                                 "PT.5S",
                                 "PT1.S",
                                 "PT1.1234567890S",
                                 "P1Y",
                                 "P1M",
                                 "P1W",
                                 "p1d",
                                 "PT1S ",
                                 "PT-1S",
                                 "P1DT1HT1M",
                                 "PT1.5S.5S"}) {
    EXPECT_EQ(ParseDuration(text).error().reason, "iso8601-syntax") << text;
  }
  for (const std::string text :
       {"PT1000000000000001S", "P99999999999999999999999D", "P11574074074DT2H"}) {
    EXPECT_EQ(ParseDuration(text).error().reason, "iso8601-range") << text;
  }
}

TEST(CivilTimeTest, TheClockRunsBetweenTwoReadingsOfChrono) {
  const auto seconds = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const auto before = seconds();
  const Timestamp now = CurrentTimestamp();
  EXPECT_GE(now.seconds, before);
  EXPECT_LE(now.seconds, seconds());
  EXPECT_GE(now.nanos, 0);
  EXPECT_LT(now.nanos, 1'000'000'000);
}

}  // namespace
}  // namespace tablecast
