#include "formula/batch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

namespace tablecast::formula {
namespace {

constexpr Timestamp kNow{1'600'000'000, 123'456'789};

struct Row {
  const char* line;
  const char* answer;
};

TEST(BatchTest, Answers) {
  const Row rows[] = {
      {R"j({"id":1,"formula":"1+1"})j", R"j({"id":1,"type":"number","value":"2"})j"},
      {R"j({"id":"a","formula":"\"x\"&\"y\""})j", R"j({"id":"a","type":"text","value":"xy"})j"},
      {R"j({"id":2,"formula":"NULL"})j", R"j({"id":2,"type":"null","value":null})j"},
      {R"j({"id":2,"formula":"\"\""})j", R"j({"id":2,"type":"null","value":null})j"},
      {R"j({"id":3,"formula":"1<2"})j", R"j({"id":3,"type":"boolean","value":true})j"},
      {R"j({"id":4,"formula":"DATE(2020,1,2)"})j",
       R"j({"id":4,"type":"date","value":"2020-01-02"})j"},
      {R"j({"id":5,"formula":"DATETIMEVALUE(\"2020-01-02 03:04:05\")"})j",
       R"j({"id":5,"type":"datetime","value":"2020-01-02T03:04:05.000Z"})j"},
      {R"j({"id":6,"formula":"TIMEVALUE(\"03:04:05.006\")"})j",
       R"j({"id":6,"type":"time","value":"03:04:05.006"})j"},
      // Field types.
      {R"j({"id":7,"formula":"p*2","fields":{"p":{"type":"Percent","value":"50"}}})j",
       R"j({"id":7,"type":"number","value":"1"})j"},
      {R"j({"id":8,"formula":"p","returns":"Percent","fields":{"p":{"type":"Percent","value":"12.5"}}})j",
       R"j({"id":8,"type":"number","value":"12.5"})j"},
      {R"j({"id":8,"formula":"1/3","returns":"Percent","scale":2})j",
       R"j({"id":8,"type":"number","value":"33.33"})j"},
      {R"j({"id":9,"formula":"c+1","fields":{"c":{"type":"Currency","value":"0.10"}}})j",
       R"j({"id":9,"type":"number","value":"1.1"})j"},
      {R"j({"id":10,"formula":"b","fields":{"b":{"type":"Boolean","value":null}}})j",
       R"j({"id":10,"type":"boolean","value":false})j"},
      {R"j({"id":11,"formula":"NOT(b)","fields":{"b":{"type":"Boolean","value":true}}})j",
       R"j({"id":11,"type":"boolean","value":false})j"},
      {R"j({"id":12,"formula":"d+1","fields":{"d":{"type":"Date","value":"2020-02-28"}}})j",
       R"j({"id":12,"type":"date","value":"2020-02-29"})j"},
      {R"j({"id":13,"formula":"t","fields":{"t":{"type":"DateTime","value":"2020-01-02T03:04:05.678Z"}}})j",
       R"j({"id":13,"type":"datetime","value":"2020-01-02T03:04:05.678Z"})j"},
      {R"j({"id":14,"formula":"HOUR(t)","fields":{"t":{"type":"Time","value":"13:04:05.000"}}})j",
       R"j({"id":14,"type":"number","value":"13"})j"},
      {R"j({"id":15,"formula":"LEN(s)","fields":{"s":{"type":"Text","value":""}}})j",
       R"j({"id":15,"type":"number","value":"0"})j"},
      // Blanks.
      {R"j({"id":16,"formula":"n+1","fields":{"n":{"type":"Number","value":null}}})j",
       R"j({"id":16,"type":"null","value":null})j"},
      {R"j({"id":17,"formula":"n+1","null_mode":"zero","fields":{"n":{"type":"Number","value":null}}})j",
       R"j({"id":17,"type":"number","value":"1"})j"},
      {R"j({"id":18,"formula":"n=1","fields":{"n":{"type":"Number","value":null}}})j",
       R"j({"id":18,"type":"null","value":null})j"},
      {R"j({"id":18,"formula":"n=1","returns":"Boolean","fields":{"n":{"type":"Number","value":null}}})j",
       R"j({"id":18,"type":"boolean","value":false})j"},
      // Declared results.
      {R"j({"id":19,"formula":"2.345","returns":"Number","scale":2})j",
       R"j({"id":19,"type":"number","value":"2.35"})j"},
      {R"j({"id":19,"formula":"-2.345","returns":"Number","scale":2})j",
       R"j({"id":19,"type":"number","value":"-2.35"})j"},
      {R"j({"id":20,"formula":"NOW()","returns":"Date","now":"2021-05-06T07:08:09Z"})j",
       R"j({"id":20,"type":"date","value":"2021-05-06"})j"},
      {R"j({"id":21,"formula":"NOW()"})j",
       R"j({"id":21,"type":"datetime","value":"2020-09-13T12:26:40.123Z"})j"},
      // Names in any case, exact ones first.
      {R"j({"id":22,"formula":"NAME","fields":{"Name":{"type":"Text","value":"x"}}})j",
       R"j({"id":22,"type":"text","value":"x"})j"},
      {R"j({"id":23,"formula":"VALUE(unitPrice)*UnitPrice","fields":{"UnitPrice":{"type":"Number","value":"2"},"unitPrice":{"type":"Text","value":"3"}}})j",
       R"j({"id":23,"type":"number","value":"6"})j"},
      // Formula fields.
      {R"j({"id":24,"formula":"a+1","fields":{"a":{"type":"Number","formula":"b*2"},"b":{"type":"Number","value":"4"}}})j",
       R"j({"id":24,"type":"number","value":"9"})j"},
      {R"j({"id":25,"formula":"IFERROR(a,7)","fields":{"a":{"type":"Number","formula":"1/0"}}})j",
       R"j({"id":25,"type":"number","value":"7"})j"},
      {R"j({"id":26,"formula":"p","returns":"Percent","fields":{"p":{"type":"Percent","formula":"0.5"}}})j",
       R"j({"id":26,"type":"number","value":"50"})j"},
      // Errors.
      {R"j({"id":30,"formula":"1/0"})j",
       R"j({"id":30,"error":{"code":"division-by-zero","message":"division by zero","position":0}})j"},
      {R"j({"id":31,"formula":"2 + VALUE(\"x\")"})j",
       R"j({"id":31,"error":{"code":"bad-number-text","message":"VALUE cannot read \"x\" as a number","position":4}})j"},
      {R"j({"id":32,"formula":"1 +"})j",
       R"j({"id":32,"error":{"code":"syntax","message":"formula ends where a value is due","position":3}})j"},
      {R"j({"id":33,"formula":"1 + LENN(\"a\")"})j",
       R"j({"id":33,"error":{"code":"unknown-function","message":"unknown function LENN; did you mean LEN?","position":4}})j"},
      {R"j({"id":34,"formula":"\"a\" & 1"})j",
       R"j({"id":34,"error":{"code":"argument-type","message":"operator & does not take Text and Number; an operator takes two operands of one type; convert it with TEXT(...)","position":0}})j"},
      {R"j({"id":35,"formula":"a","fields":{"a":{"type":"Number","formula":"a"}}})j",
       R"j({"id":35,"error":{"code":"field-cycle","message":"field a refers to itself, or fields nest too deep","position":0}})j"},
      {R"j({"id":36,"formula":"a","fields":{"a":{"type":"Number","value":"x"}}})j",
       R"j({"id":36,"error":{"code":"bad-field-value","message":"field a cannot hold \"x\"","position":0}})j"},
      {R"j({"id":37,"formula":"1","returns":"Text"})j",
       R"j({"id":37,"error":{"code":"result-type","message":"formula yields Number, but Text is declared; convert it with TEXT(...)","position":0}})j"},
      {R"j({"id":38,"formula":"x + a","fields":{"a":{"type":"Number","formula":"1/0"},"x":{"type":"Number","value":"1"}}})j",
       R"j({"id":38,"error":{"code":"division-by-zero","message":"field a: division by zero","position":4}})j"},
      {R"j({"id":39})j",
       R"j({"id":39,"error":{"code":"bad-input","message":"the line has no formula","position":0}})j"},
      {R"j([1])j",
       R"j({"id":null,"error":{"code":"bad-input","message":"the line is no JSON object","position":0}})j"},
  };
  for (const Row& row : rows) EXPECT_EQ(AnswerBatchLine(row.line, kNow), row.answer) << row.line;
}

TEST(BatchTest, OneAnswerPerLineInOrder) {
  std::istringstream in(
      "{\"id\":1,\"formula\":\"1\"}\n\n{\"id\":2,\"formula\":\"(\"}\r\n{\"id\":3,\"formula\":"
      "\"3\"}");
  std::ostringstream out;
  AnswerBatch(in, out, kNow);
  EXPECT_EQ(out.str(),
            "{\"id\":1,\"type\":\"number\",\"value\":\"1\"}\n"
            "{\"id\":2,\"error\":{\"code\":\"syntax\",\"message\":\"formula ends where a value is "
            "due\",\"position\":1}}\n"
            "{\"id\":3,\"type\":\"number\",\"value\":\"3\"}\n");
}

TEST(BatchTest, LinesUpToTheLimit) {
  const std::string head = R"({"id":1,"formula":"1")";
  const std::string fits = head + std::string(kMaxBatchLineBytes - head.size() - 1, ' ') + "}";
  ASSERT_EQ(fits.size(), kMaxBatchLineBytes);
  std::istringstream in(fits + "\n" + head + std::string(kMaxBatchLineBytes - head.size(), ' ') +
                        "}\n" + std::string(3 * kMaxBatchLineBytes, '[') +
                        "\n{\"id\":2,\"formula\":\"2\"}");
  std::ostringstream out;
  AnswerBatch(in, out, kNow);
  const std::string refused =
      "{\"id\":null,\"error\":{\"code\":\"bad-input\",\"message\":\"a line has at most 16 MiB\","
      "\"position\":16777216}}\n";
  EXPECT_EQ(out.str(), "{\"id\":1,\"type\":\"number\",\"value\":\"1\"}\n" + refused + refused +
                           "{\"id\":2,\"type\":\"number\",\"value\":\"2\"}\n");
}

TEST(BatchTest, LongChainsOfFormulaFieldsEndInAnError) {
  std::string line = R"j({"id":1,"formula":"f0","fields":{)j";
  for (int i = 0; i < 5000; ++i) {
    line += "\"f" + std::to_string(i) + "\":{\"type\":\"Number\",\"formula\":\"f" +
            std::to_string(i + 1) + "\"},";
  }
  line += R"("f5000":{"type":"Number","value":"1"}}})";
  EXPECT_NE(AnswerBatchLine(line, kNow).find("field-cycle"), std::string::npos);
}

// Reading a field, finding its name in another letter case and reporting names that are not there
// must not walk over all fields each time.
TEST(BatchTest, ManyFieldsCostTheirNumber) {
  std::string line = R"j({"id":1,"formula":")j";
  for (int i = 0; i < 6000; ++i) line += (i == 0 ? "N" : "+N") + std::to_string(i);
  line += R"j(","fields":{)j";
  for (int i = 0; i < 150000; ++i) {
    line += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + R"j(":{"type":"Number","value":"1"})j";
  }
  line += "}}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(AnswerBatchLine(line, kNow), R"j({"id":1,"type":"number","value":"6000"})j");
  // The same row, and 6,000 names that it does not have.
  std::string unknown = line;
  for (std::size_t at = 0; (at = unknown.find('N', at)) != std::string::npos;) {
    if (unknown.compare(at, 6, "Number") == 0) break;
    unknown[at] = 'q';
  }
  EXPECT_EQ(AnswerBatchLine(unknown, kNow).find(R"j({"id":1,"error":{"code":"unknown-field")j"),
            0U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(BatchTest, FieldsThatReadFieldsUpToTheLimit) {
  const auto chain = [](int length) {
    std::string line = R"j({"id":1,"formula":"f0","fields":{)j";
    for (int i = 0; i < length; ++i) {
      line += "\"f" + std::to_string(i) + "\":{\"type\":\"Number\",\"formula\":\"f" +
              std::to_string(i + 1) + "\"},";
    }
    return line + "\"f" + std::to_string(length) + R"j(":{"type":"Number","value":"7"}}})j";
  };
  EXPECT_EQ(AnswerBatchLine(chain(50), kNow), R"j({"id":1,"type":"number","value":"7"})j");
  EXPECT_NE(AnswerBatchLine(chain(51), kNow).find(R"j("code":"field-cycle")j"), std::string::npos);
}

TEST(BatchTest, ExplainTellsTypesShapeAndInverse) {
  FormulaRequest request;
  request.formula = "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))";
  request.fields = {{.name = "sk", .type = FieldType::kText, .value = "products#1"}};
  request.explain = true;
  const FormulaAnswer answer = AnswerFormula(request);
  EXPECT_EQ(answer.value.text(), "1");
  EXPECT_EQ(answer.explain,
            "formula  RIGHT(sk, LEN(sk) - FIND(\"#\", sk))\n"
            "type     Text\n"
            "shape    strip-prefix\n"
            "field    sk Text\n"
            "code     2 instructions, 2 registers; runs as one fused step\n"
            "  0: r0 = load sk\n"
            "  1: r1 = tail r0, \"#\", 1\n"
            "  result r1\n"
            "inverse  does not invert: no filter fixes a prefix of sk with \"#\" in it\n");
}

}  // namespace
}  // namespace tablecast::formula
