#include "base/result.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tablecast {
namespace {

TEST(ResultTest, PositionsCountCodePoints) {
  struct Row {
    std::string text;
    std::size_t offset;
    TextPosition want;
  };
  for (const Row& row : std::vector<Row>{{"", 0, {1, 1, 0}},
                                         {"abc", 2, {1, 3, 2}},
                                         {"abc", 99, {1, 4, 3}},
                                         {"a\nb", 2, {2, 1, 2}},
                                         {"a\n\nb", 3, {3, 1, 3}},
                                         {"é😀x", 6, {1, 3, 6}},
                                         {"é\n😀x", 7, {2, 2, 7}},
                                         {"a\r\nb", 3, {2, 1, 3}}}) {
    EXPECT_EQ(PositionAt(row.text, row.offset), row.want) << row.text << " " << row.offset;
  }
}

TEST(ResultTest, ErrorsPrintWhatTheyKnow) {
  EXPECT_EQ(MakeError(ErrorCode::kNotFound, "x", "no such item").ToString(), "no such item");
  EXPECT_EQ(MakeError(ErrorCode::kNotFound, "x", "no such item", "Orders").ToString(),
            "no such item (Orders)");
  EXPECT_EQ(MakeError(ErrorCode::kNotFound, "x", "bad", {}, "write 1", {3, 7, 20}).ToString(),
            "bad (line 3, column 7); write 1");
  EXPECT_EQ(MakeError(ErrorCode::kNotFound, "x", "bad", "$filter", {}, {3, 7, 20}).ToString(),
            "bad ($filter, line 3, column 7)");
}

TEST(ResultTest, ReturningTheErrorOfANamedResultLeavesItWhole) {
  const auto forward = [](Result<int>& from) -> Status {
    TABLECAST_RETURN_IF_ERROR(from);
    return {};
  };
  const auto assign = [](Result<int>& from) -> Result<int> {
    TABLECAST_ASSIGN_OR_RETURN(const int value, from);
    return value;
  };
  Result<int> failed = MakeError(ErrorCode::kNotFound, "x", "a message that is longer than a small string");
  const std::string want = failed.error().ToString();
  EXPECT_EQ(forward(failed).error().ToString(), want);
  EXPECT_EQ(assign(failed).error().ToString(), want);
  EXPECT_EQ(failed.error().ToString(), want);
}

TEST(ResultTest, EveryCodeHasItsOwnName) {
  std::vector<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.push_back(ErrorCodeName(static_cast<ErrorCode>(code)));
    for (std::size_t i = 0; i + 1 < names.size(); ++i) EXPECT_NE(names[i], names.back());
  }
  EXPECT_EQ(names.front(), "invalid-argument");
  EXPECT_EQ(names.back(), "internal");
}

Result<int> Half(int value) {
  if (value % 2 != 0) return MakeError(ErrorCode::kInvalidArgument, "odd", "odd number");
  return value / 2;
}

Result<int> Quarter(int value) {
  TABLECAST_ASSIGN_OR_RETURN(const int half, Half(value));
  TABLECAST_ASSIGN_OR_RETURN(int quarter, Half(half));
  return quarter;
}

Status CheckEven(int value) {
  TABLECAST_RETURN_IF_ERROR(Half(value));
  TABLECAST_RETURN_IF_ERROR(Half(value));
  return {};
}

TEST(ResultTest, MacrosPassErrorsOn) {
  EXPECT_EQ(Quarter(12).value(), 3);
  EXPECT_EQ(Quarter(6).error().reason, "odd");
  EXPECT_EQ(Quarter(5).error().reason, "odd");
  EXPECT_TRUE(CheckEven(4).ok());
  EXPECT_EQ(CheckEven(5).error().code, ErrorCode::kInvalidArgument);
}

TEST(ResultTest, OnlyErrorsAmongIssuesCount) {
  const auto issue = [](Severity severity) {
    Issue made;
    made.severity = severity;
    return made;
  };
  EXPECT_FALSE(HasErrors({}));
  EXPECT_FALSE(HasErrors({issue(Severity::kWarning), issue(Severity::kInfo)}));
  EXPECT_TRUE(HasErrors({issue(Severity::kWarning), issue(Severity::kError)}));
}

TEST(ResultDeathTest, AFailedCheckNamesItsPlace) {
  EXPECT_DEATH(TABLECAST_CHECK(1 + 1 == 3), "result_test.cc:[0-9]+: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace tablecast
