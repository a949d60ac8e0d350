#include "item/number.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace tablecast {
namespace {

std::vector<std::vector<std::string>> ReadVectors(const std::string& name) {
  std::ifstream in(std::string(TABLECAST_SOURCE_DIR) + "/tests/item/vectors/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);  // header
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (true) {
      const std::size_t tab = line.find('\t', begin);
      fields.push_back(line.substr(begin, tab - begin));
      if (tab == std::string::npos) break;
      begin = tab + 1;
    }
    rows.push_back(std::move(fields));
  }
  return rows;
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(byte) >> 4U];
    out += kDigits[static_cast<unsigned char>(byte) & 0xFU];
  }
  return out;
}

std::string ReasonOf(std::string_view text) {
  const auto code = EncodeNumberText(text);
  return code.ok() ? "ok" : code.error().reason;
}

TEST(NumberTest, NormalFormsAndCodesFollowTheVectors) {
  const auto rows = ReadVectors("number_norm.tsv");
  ASSERT_GT(rows.size(), 60U);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 4U) << row[0];
    SCOPED_TRACE("input '" + row[0] + "'");
    const auto code = EncodeNumberText(row[0]);
    if (row[1].starts_with("ERROR ")) {
      ASSERT_FALSE(code.ok());
      EXPECT_EQ(code.error().code, ErrorCode::kInvalidArgument);
      std::string want = row[1].substr(6);
      if (want == "The parameter cannot be converted to a numeric value") want += ": " + row[0];
      EXPECT_EQ(code.error().message, want);
      continue;
    }
    ASSERT_TRUE(code.ok()) << code.error().message;
    EXPECT_EQ(Hex(*code), row[2]);
    EXPECT_EQ(NumberText(*code), row[1]);
    EXPECT_EQ(std::to_string(NumberItemSize(*code)), row[3]);
    EXPECT_TRUE(IsValidNumberCode(*code));
    EXPECT_EQ(EncodeNumberText(row[1]), *code) << "the normal form reads back";
  }
}

TEST(NumberTest, OrderOfCodesFollowsTheVectors) {
  const auto rows = ReadVectors("number_order.tsv");
  ASSERT_GT(rows.size(), 40U);
  std::string previous;
  for (const auto& row : rows) {
    const auto code = EncodeNumberText(row[1]);
    ASSERT_TRUE(code.ok()) << row[1];
    EXPECT_EQ(Hex(*code), row[2]) << row[1];
    EXPECT_LT(previous, *code) << row[1];
    previous = *code;
  }
}

TEST(NumberTest, EachFaultHasItsReason) {
  struct Row {
    std::string text;
    std::string reason;
  };
  const std::vector<Row> rows = {
      {"", "number-syntax"},
      {"+", "number-syntax"},
      {"-", "number-syntax"},
      {"1e+", "number-syntax"},
      {"1e1.0", "number-syntax"},
      {"1.2.3", "number-syntax"},
      {".e1", "number-syntax"},
      {std::string("1\0", 2), "number-syntax"},
      {"\xD9\xA1", "number-syntax"},  // ARABIC-INDIC DIGIT ONE
      {std::string(39, '9') + "x", "number-syntax"},
      {std::string(39, '9'), "number-digits"},
      {"1" + std::string(37, '0') + "1", "number-digits"},
      {"0.1" + std::string(400, '0') + "1", "number-digits"},
      {"1e126", "number-overflow"},
      {"-1e126", "number-overflow"},
      {"1" + std::string(126, '0'), "number-overflow"},
      {"1e-131", "number-underflow"},
      {"0." + std::string(130, '0') + "1", "number-underflow"},
      {"1e99999999999999999999999999", "number-overflow"},
      {"1e-99999999999999999999999999", "number-underflow"},
  };
  for (const Row& row : rows) EXPECT_EQ(ReasonOf(row.text), row.reason) << row.text;
}

TEST(NumberTest, MagnitudeIsJudgedByValue) {
  EXPECT_EQ(NumberText(EncodeNumberText("0." + std::string(5000, '0') + "7e5001").value()), "7");
  EXPECT_EQ(NumberText(EncodeNumberText("7" + std::string(5000, '0') + "e-5000").value()), "7");
  EXPECT_EQ(NumberText(EncodeNumberText(std::string(100000, '0') + "7").value()), "7");
  EXPECT_EQ(NumberText(EncodeNumberText("0e126").value()), "0");
  EXPECT_EQ(NumberText(EncodeNumberText("0.0e99999999999999999999").value()), "0");
  EXPECT_EQ(NumberText(EncodeNumberText("1" + std::string(36, '0') + "10e-1").value()),
            "1" + std::string(36, '0') + "1");
}

TEST(NumberTest, LongTextsAreCutInTheMessage) {
  const auto code = EncodeNumberText(std::string(1U << 20U, 'x'));
  ASSERT_FALSE(code.ok());
  EXPECT_LT(code.error().message.size(), 200U);
}

TEST(NumberTest, CodesAreRefusedUnlessCanonical) {
  const std::vector<std::string> bad = {
      "",
      std::string("\x80", 1),
      std::string("\xC1\x00", 2),          // positive without digits
      std::string("\x3E\x66", 2),          // negative without digits
      std::string("\xC1\x02", 2),          // no terminator
      std::string("\xC1\x01\x02\x00", 4),  // leading zero pair
      std::string("\xC1\x02\x01\x00", 4),  // trailing zero pair
      std::string("\xC1\x66\x00", 3),      // digit out of range
      std::string("\x3E\x01\x66", 3),      // digit out of range
      std::string("\xC1\x02\x00\x00", 4),  // bytes behind the end
      std::string("\xC1", 1) + std::string(21, '\x64') + std::string(1, '\0'),  // 42 digits
      std::string("\xC1", 1) + std::string(20, '\x64') + std::string(1, '\0'),  // 40 digits
      std::string("\x80\x01", 2),
  };
  for (const std::string& code : bad) {
    EXPECT_FALSE(IsValidNumberCode(code)) << Hex(code);
    EXPECT_EQ(NumberText(code), "0") << Hex(code);
    const auto decimal = DecodeNumber(code);
    ASSERT_FALSE(decimal.ok()) << Hex(code);
    EXPECT_EQ(decimal.error().code, ErrorCode::kDataLoss);
    EXPECT_EQ(decimal.error().reason, "number-code");
  }
}

TEST(NumberTest, CodesDelimitThemselves) {
  for (const char* text : {"0", "7", "-7", "-123.456", "1e125", "1e-130"}) {
    const std::string code = EncodeNumberText(text).value();
    EXPECT_EQ(NumberCodeLength(code + "tail"), code.size()) << text;
    EXPECT_EQ(NumberCodeLength(code + std::string(1, '\0')), code.size()) << text;
  }
}

TEST(NumberTest, DecimalsConvertBothWays) {
  for (const char* text : {"0", "1", "-1", "10", "99.99", "-273.15", "0.05", "123456789012345678",
                           "1234567890123456789", "-12345678901234567890123456789012345678",
                           "3.1415926535897932384626433832795028841", "1000000000000000000000"}) {
    const std::string code = EncodeNumberText(text).value();
    const auto decimal = DecodeNumber(code);
    ASSERT_TRUE(decimal.ok()) << text;
    EXPECT_EQ(decimal->ToString(), text);
    EXPECT_EQ(EncodeNumber(*decimal), code) << text;
  }
  for (const char* text : {"1e125", "-9.9999999999999999999999999999999999999e125", "1e-130",
                           "-1.2345678901234567890123456789012345678e-130"}) {
    const std::string code = EncodeNumberText(text).value();
    EXPECT_EQ(EncodeNumber(DecodeNumber(code).value()), code) << text;
    EXPECT_EQ(DecodeNumber(code).value(), Decimal::Parse(text).value()) << text;
  }
}

TEST(NumberTest, DecimalsOutsideTheStoredRangeAreRefused) {
  const auto reason = [](const char* text) {
    const auto code = EncodeNumber(Decimal::Parse(text).value());
    return code.ok() ? std::string("ok") : code.error().reason;
  };
  EXPECT_EQ(reason("123456789012345678901234567890123456789"), "number-digits");
  EXPECT_EQ(reason("1e126"), "number-overflow");
  EXPECT_EQ(reason("-1e126"), "number-overflow");
  EXPECT_EQ(reason("1e-131"), "number-underflow");
  EXPECT_EQ(reason("0e5000"), "ok");
}

// Random texts against the definition of value: order by Decimal equals order by bytes.
TEST(NumberTest, RandomNumbersKeepOrderAndRoundTrip) {
  constexpr unsigned kSeed = 20240607;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  struct Sample {
    Decimal value;
    std::string code;
  };
  std::vector<Sample> samples;
  for (int i = 0; i < 4000; ++i) {
    std::string digits(static_cast<std::size_t>(1 + below(38)), '0');
    for (char& digit : digits) digit = static_cast<char>('0' + below(10));
    const int spread = below(2) == 0 ? 6 : 120;
    const std::string text =
        (below(2) == 0 ? "-" : "") + digits + "e" + std::to_string(below(spread) - spread / 2);
    const auto code = EncodeNumberText(text);
    if (!code.ok()) {
      EXPECT_EQ(code.error().reason, "number-overflow") << text;
      continue;
    }
    const Decimal value = Decimal::Parse(text).value();
    EXPECT_LE(code->size(), kMaxNumberCodeBytes);
    EXPECT_EQ(EncodeNumberText(NumberText(*code)), *code) << text;
    EXPECT_EQ(EncodeNumber(value), *code) << text;
    EXPECT_EQ(DecodeNumber(*code).value(), value) << text;
    samples.push_back({value, *code});
    if (samples.size() > 1) {
      const Sample& other =
          samples[static_cast<std::size_t>(below(static_cast<int>(samples.size())))];
      EXPECT_EQ(value <=> other.value, *code <=> other.code) << text;
    }
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.code < b.code; });
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Sample& a = samples[i - 1];
    const Sample& b = samples[i];
    EXPECT_TRUE(a.value <= b.value) << NumberText(a.code) << " " << NumberText(b.code);
    EXPECT_EQ(a.value == b.value, a.code == b.code);
    EXPECT_TRUE(a.code == b.code || !b.code.starts_with(a.code)) << "a code is a prefix of another";
  }
}

// Every flipped or cut byte is either another valid code or refused, and never read past its end.
TEST(NumberTest, DamagedCodesAreNeverReadOutOfBounds) {
  const std::string code = EncodeNumberText("-3.1415926535897932384626433832795028841").value();
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::vector<char> cut(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(IsValidNumberCode({cut.data(), cut.size()}));
    for (unsigned flip = 1; flip < 256; ++flip) {
      std::vector<char> damaged(code.begin(), code.end());
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
      const std::string_view view(damaged.data(), damaged.size());
      const std::string text = NumberText(view);
      if (IsValidNumberCode(view)) {
        EXPECT_EQ(EncodeNumberText(text).value(), view);
      } else {
        EXPECT_EQ(text, "0");
      }
    }
  }
}

}  // namespace
}  // namespace tablecast
