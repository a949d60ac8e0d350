#include "formula/date_text.h"

namespace tablecast::formula {
namespace {

// A cursor over the text; every Take returns false without moving when it does not match.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return pos_ == text_.size(); }
  bool Take(char c) {
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  bool TakeNumber(std::size_t min_digits, std::size_t max_digits, std::int64_t& number) {
    std::size_t count = 0;
    number = 0;
    while (pos_ + count < text_.size() && IsDigit(text_[pos_ + count])) {
      if (count == max_digits) return false;
      number = number * 10 + (text_[pos_ + count] - '0');
      ++count;
    }
    if (count < min_digits) return false;
    pos_ += count;
    digits_ = count;
    return true;
  }
  std::size_t digits() const { return digits_; }
  bool TakeBlanksToEnd() {
    while (Take(' ')) {
    }
    return AtEnd();
  }

  std::optional<Date> TakeDate() {
    std::int64_t year = 0;
    std::int64_t month = 0;
    std::int64_t day = 0;
    if (!TakeNumber(4, 4, year) || !Take('-') || !TakeNumber(1, 2, month) || !Take('-') ||
        !TakeNumber(1, 2, day)) {
      return std::nullopt;
    }
    return DateFromCivil(year, month, day);
  }

  // Milliseconds of the day, shifted to UTC (so possibly negative or beyond the day).
  std::optional<std::int64_t> TakeTime(bool seconds_required) {
    std::int64_t hour = 0;
    std::int64_t minute = 0;
    std::int64_t second = 0;
    std::int64_t millis = 0;
    if (!TakeNumber(1, 2, hour) || !Take(':') || !TakeNumber(1, 2, minute)) return std::nullopt;
    const bool has_seconds = Take(':');
    if (!has_seconds && seconds_required) return std::nullopt;
    if (has_seconds) {
      if (!TakeNumber(1, 2, second)) return std::nullopt;
      if (Take('.')) {
        if (!TakeNumber(1, 9, millis)) return std::nullopt;
        for (std::size_t d = digits_; d < 9; ++d) millis *= 10;
        millis /= kNanosPerMilli;
      }
    }
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    std::int64_t offset_minutes = 0;
    if (!Take('Z')) {
      const bool minus = Take('-');
      if (minus || Take('+')) {
        std::int64_t offset_hour = 0;
        std::int64_t offset_minute = 0;
        if (!TakeNumber(2, 2, offset_hour) || !Take(':') || !TakeNumber(2, 2, offset_minute) ||
            offset_hour > 23 || offset_minute > 59) {
          return std::nullopt;
        }
        offset_minutes = (offset_hour * 60 + offset_minute) * (minus ? -1 : 1);
      }
    }
    return ((hour * 60 + minute - offset_minutes) * 60 + second) * 1000 + millis;
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  std::string_view text_;
  std::size_t pos_ = 0;
  std::size_t digits_ = 0;
};

}  // namespace

std::optional<Date> ParseDateText(std::string_view text) {
  DateScanner scanner(text);
  const std::optional<Date> date = scanner.TakeDate();
  if (!date || scanner.TakeBlanksToEnd()) return date;
  // Something follows the date, perhaps after blanks: only `T` or one blank and a time of day.
  DateScanner again(text);
  again.TakeDate();
  if (!again.Take('T') && !again.Take(' ')) return std::nullopt;
  if (!again.TakeTime(false) || !again.TakeBlanksToEnd()) return std::nullopt;
  return date;
}

std::optional<Timestamp> ParseDateTimeText(std::string_view text) {
  DateScanner scanner(text);
  const std::optional<Date> date = scanner.TakeDate();
  if (!date || (!scanner.Take('T') && !scanner.Take(' '))) return std::nullopt;
  const std::optional<std::int64_t> millis = scanner.TakeTime(true);
  if (!millis || !scanner.TakeBlanksToEnd()) return std::nullopt;
  return FromMillis(static_cast<std::int64_t>(date->days) * kMillisPerDay + *millis);
}

std::optional<TimeOfDay> ParseTimeText(std::string_view text) {
  DateScanner scanner(text);
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t millis = 0;
  if (!scanner.TakeNumber(2, 2, hour) || !scanner.Take(':') || !scanner.TakeNumber(2, 2, minute) ||
      !scanner.Take(':') || !scanner.TakeNumber(2, 2, second) || !scanner.Take('.') ||
      !scanner.TakeNumber(3, 3, millis) || !scanner.AtEnd()) {
    return std::nullopt;
  }
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return TimeOfDay{(((hour * 60 + minute) * 60 + second) * 1000 + millis) * kNanosPerMilli};
}

std::optional<Timestamp> FromMillis(std::int64_t millis) {
  std::int64_t seconds = millis / 1000;
  std::int64_t rest = millis % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  constexpr std::int64_t kFirst = static_cast<std::int64_t>(kMinDate.days) * kSecondsPerDay;
  constexpr std::int64_t kEnd = (static_cast<std::int64_t>(kMaxDate.days) + 1) * kSecondsPerDay;
  if (seconds < kFirst || seconds >= kEnd) return std::nullopt;
  return Timestamp{seconds, static_cast<std::int32_t>(rest * kNanosPerMilli)};
}

std::string TimeAsText(TimeOfDay time) {
  const std::int64_t millis = ToMillis(time);
  const auto two = [](std::int64_t n) {
    return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)};
  };
  std::string text = two(millis / 3'600'000) + ":" + two(millis / 60'000 % 60) + ":" +
                     two(millis / 1000 % 60) + ".";
  text += static_cast<char>('0' + millis / 100 % 10);
  return text + two(millis % 100);
}

std::string DateTimeAsText(Timestamp instant) {
  return FormatDate(DateOf(instant)) + " " + TimeAsText(TimeOf(instant)).substr(0, 8) + "Z";
}

}  // namespace tablecast::formula
