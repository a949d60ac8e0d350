// Reads any bytes as date-times, dates, times and durations: what was read must print to a text
// that reads back as the same value, and errors must lie inside the text.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/civil_time.h"

namespace {

void CheckError(const tablecast::Error& error, std::string_view text) {
  TABLECAST_CHECK(error.reason == "iso8601-syntax" || error.reason == "iso8601-range");
  TABLECAST_CHECK(error.position.offset <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tablecast;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = ParseIso8601(text, 0);
  if (read.ok()) {
    const auto again = ParseIso8601(FormatTimestamp(read->instant, read->fraction_digits), 0);
    TABLECAST_CHECK(again.ok() && again->instant == read->instant);
    TABLECAST_CHECK(again->fraction_digits == read->fraction_digits);
    TABLECAST_CHECK(ToTimestamp(DateOf(read->instant), TimeOf(read->instant)) == read->instant);
  } else {
    CheckError(read.error(), text);
  }
  if (const auto date = ParseDate(text); date.ok()) {
    TABLECAST_CHECK(FormatDate(*date) == text);
  } else {
    CheckError(date.error(), text);
  }
  if (const auto time = ParseTimeOfDay(text); time.ok()) {
    TABLECAST_CHECK(ParseTimeOfDay(FormatTimeOfDay(*time)).value() == *time);
  } else {
    CheckError(time.error(), text);
  }
  if (const auto duration = ParseDuration(text); duration.ok()) {
    TABLECAST_CHECK(ParseDuration(FormatDuration(*duration)).value() == *duration);
  } else {
    CheckError(duration.error(), text);
  }
  return 0;
}
