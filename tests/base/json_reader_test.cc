#include "base/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tablecast {
namespace {

using namespace std::string_literals;

// Writes events down as text, one letter each, so that a whole stream compares as one string.
class Recorder : public JsonHandler {
 public:
  explicit Recorder(std::size_t stop_after = 1'000'000'000) : left_(stop_after) {}
  bool Null() override { return Add("n"); }
  bool Bool(bool value) override { return Add(value ? "t" : "f"); }
  bool Number(std::string_view raw) override { return Add("#" + std::string(raw)); }
  bool String(std::string_view value) override { return Add("'" + std::string(value) + "'"); }
  bool StartObject() override { return Add("{"); }
  bool Key(std::string_view name) override { return Add("." + std::string(name)); }
  bool EndObject() override { return Add("}"); }
  bool StartArray() override { return Add("["); }
  bool EndArray() override { return Add("]"); }
  std::string events;

 private:
  bool Add(const std::string& event) {
    if (!events.empty()) events += ' ';
    events += event;
    return left_-- > 1;
  }
  std::size_t left_;
};

// The events a tree stands for.
void Replay(const JsonValue& value, Recorder& out) {
  switch (value.type) {
    case JsonType::kNull: out.Null(); return;
    case JsonType::kBool: out.Bool(value.boolean); return;
    case JsonType::kNumber: out.Number(value.text); return;
    case JsonType::kString: out.String(value.text); return;
    case JsonType::kArray:
      out.StartArray();
      for (const JsonValue& element : value.elements) Replay(element, out);
      out.EndArray();
      return;
    case JsonType::kObject:
      out.StartObject();
      for (const JsonMember& member : value.members) {
        out.Key(member.name);
        Replay(member.value, out);
      }
      out.EndObject();
      return;
  }
}

TEST(JsonReaderTest, TreeAndEventsAgree) {
  struct Row {
    std::string text;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"null", "n"},
      {" true\n", "t"},
      {"\t\r\n false ", "f"},
      {"\"\"", "''"},
      {"[]", "[ ]"},
      {"{}", "{ }"},
      {"[[],{},[{}]]", "[ [ ] { } [ { } ] ]"},
      {"{\"a\":1,\"b\":[true,null,\"x\"]}", "{ .a #1 .b [ t n 'x' ] }"},
      {"{\"a\":1,\"a\":2,\"b\":{\"a\":3}}", "{ .a #1 .a #2 .b { .a #3 } }"},
      {"\"ordinary text longer than eight bytes\"", "'ordinary text longer than eight bytes'"},
      {"\"12345678\\\"9\"", "'12345678\"9'"},
      {R"("\"\\\/\b\f\n\r\t")", "'\"\\/\b\f\n\r\t'"},
      {R"("\u0041\u00e9\u20AC\ud83d\uDE00")", "'Aé€😀'"},
      {R"("a\u0000b")", "'a\0b'"s},
      {R"("\u0000")", "'\0'"s},
      {R"(["\n","x","\\y"])", "[ '\n' 'x' '\\y' ]"},
      {"\"Zoë 😀 \x7F\"", "'Zoë 😀 \x7F'"},
      {"{\"k\\u0065y\":0}", "{ .key #0 }"},
      {"\"// no comment /* here */\"", "'// no comment /* here */'"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    Recorder events;
    const Status status = ReadJsonEvents(row.text, events);
    ASSERT_TRUE(status.ok()) << status.error().ToString();
    EXPECT_EQ(events.events, row.want);
    const auto tree = ParseJson(row.text);
    ASSERT_TRUE(tree.ok());
    Recorder replayed;
    Replay(*tree, replayed);
    EXPECT_EQ(replayed.events, row.want);
  }
}

TEST(JsonReaderTest, NumbersKeepTheirText) {
  for (const std::string number :
       {"0",
        "-0",
        "-0.0",
        "1",
        "-12",
        "1.20",
        "0.10",
        "1e5",
        "1E+05",
        "1.5e-300",
        "1e-999999999999",
        "18446744073709551616",
        "12345678901234567890123456789012345678",
        "-0.00000000000000000000000000000000000000000000000000000000000000000001",
        "4294967296",
        "2147483648",
        "-2147483649",
        "-9223372036854775809",
        "1e125",
        "9007199254740993.0000000001"}) {
    const auto root = ParseJson(number);
    ASSERT_TRUE(root.ok()) << number;
    EXPECT_EQ(root->type, JsonType::kNumber);
    EXPECT_EQ(root->text, number);
    const auto nested = ParseJson("{\"n\":[" + number + " ]}");
    ASSERT_TRUE(nested.ok()) << number;
    EXPECT_EQ(nested->members[0].value.elements[0].text, number);
  }
}

TEST(JsonReaderTest, SyntaxErrorsNameTheirPlace) {
  struct Row {
    std::string text;
    std::uint32_t line;
    std::uint32_t column;
    std::string message;
  };
  const std::vector<Row> rows = {
      {"", 1, 1, "the text holds no JSON value"},
      {" \n ", 2, 2, "the text holds no JSON value"},
      {"nul", 1, 4, "the text ends where a value is due"},
      {"nulL", 1, 4, "a JSON value is due here"},
      {"True", 1, 1, "a JSON value is due here"},
      {"NaN", 1, 1, "a JSON value is due here"},
      {"-Infinity", 1, 2, "a JSON value is due here"},
      {"+1", 1, 1, "a JSON value is due here"},
      {".5", 1, 1, "a JSON value is due here"},
      {"5.", 1, 3, "a digit is due after the decimal point"},
      {"5.e1", 1, 3, "a digit is due after the decimal point"},
      {"5e", 1, 3, "a digit is due in the exponent"},
      {"5e+x", 1, 4, "a digit is due in the exponent"},
      {"-", 1, 2, "the text ends where a value is due"},
      {"01", 1, 2, "text after the end of the JSON value"},
      {"0x10", 1, 2, "text after the end of the JSON value"},
      {"[01]", 1, 3, "a comma or ] is due after an element"},
      {"1 2", 1, 3, "text after the end of the JSON value"},
      {"{} []", 1, 4, "text after the end of the JSON value"},
      {"[1 2]", 1, 4, "a comma or ] is due after an element"},
      {"[1", 1, 3, "the text ends inside an array"},
      {"[", 1, 2, "the text ends where a value is due"},
      {"[1,]", 1, 4, "a JSON value is due here"},
      {"[,1]", 1, 2, "a JSON value is due here"},
      {"[1}", 1, 3, "a comma or ] is due after an element"},
      {"]", 1, 1, "the text holds no JSON value"},
      {"{", 1, 2, "the text ends inside an object"},
      {"{a:1}", 1, 2, "a member name in double quotes is due here"},
      {"{1:1}", 1, 2, "a member name in double quotes is due here"},
      {"{'a':1}", 1, 2, "a member name in double quotes is due here"},
      {"{\"a\"}", 1, 5, "a colon is due after the member name"},
      {"{\"a\":}", 1, 6, "a JSON value is due here"},
      {"{\"a\":1", 1, 7, "the text ends inside an object"},
      {"{\"a\":1 \"b\":2}", 1, 8, "a comma or } is due after a member"},
      {"{\"a\":1,}", 1, 8, "a member name in double quotes is due here"},
      {"{\"é😀\":1,\n  \"b\": x}", 2, 8, "a JSON value is due here"},
      {"\"abc", 1, 5, "the text ends inside a string"},
      {"\"abc\\", 1, 5, "unknown escape in a string"},
      {"\"a\\x\"", 1, 3, "unknown escape in a string"},
      {"\"\\u12G4\"", 1, 2, "four hexadecimal digits are due after \\u"},
      {"\"é\nb\"", 1, 3, "a control character in a string must be written as an escape"},
      {"\"a\tb\"", 1, 3, "a control character in a string must be written as an escape"},
      {"\"a\x1F\"", 1, 3, "a control character in a string must be written as an escape"},
      {"\"a\0b\""s, 1, 3, "a control character in a string must be written as an escape"},
      {"1\0"s, 1, 2, "a NUL character is no part of JSON"},
      {"{}\0 {}"s, 1, 3, "a NUL character is no part of JSON"},
      {"1 // comment", 1, 3, "text after the end of the JSON value"},
      {"/* c */ 1", 1, 1, "a JSON value is due here"},
      {"1e400", 1, 1, "number of 10^308 or more"},
      {"[\n1e309]", 2, 1, "number of 10^308 or more"},
      {std::string(400, '9'), 1, 1, "number of 10^308 or more"},
      {"\v1", 1, 1, "a JSON value is due here"},
      {"1\xC2\xA0", 1, 2, "text after the end of the JSON value"},  // no-break space is no blank
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.text));
    const auto tree = ParseJson(row.text);
    ASSERT_FALSE(tree.ok());
    EXPECT_EQ(tree.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(tree.error().reason, "json-syntax");
    EXPECT_EQ(tree.error().message, row.message);
    EXPECT_EQ(tree.error().position.line, row.line);
    EXPECT_EQ(tree.error().position.column, row.column);
    Recorder events;
    const Status status = ReadJsonEvents(row.text, events);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, row.message);
    EXPECT_EQ(status.error().position, tree.error().position);
  }
}

TEST(JsonReaderTest, RefusesWhatIsNotUnicode) {
  struct Row {
    std::string text;
    std::size_t offset;
  };
  const std::vector<Row> rows = {
      {"\"\xFF\"", 1},         {"\"ab\xC0\x80\"", 3},    {"\"\xED\xA0\x80\"", 1},
      {"{\"\xE2\x82\":1}", 2}, {R"("\ud800")", 1},       {R"("x\ud800\u0041")", 2},
      {R"("\ud800\n")", 1},    {R"(["\udc00"])", 2},  // RapidJSON alone lets this one pass
      {R"({"\udfff":1})", 2},  {R"("\ude00\ud83d")", 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.text));
    const auto tree = ParseJson(row.text);
    ASSERT_FALSE(tree.ok());
    EXPECT_EQ(tree.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(tree.error().reason, "json-encoding");
    EXPECT_EQ(tree.error().position.offset, row.offset);
  }
}

TEST(JsonReaderTest, CommentsAndTrailingCommasOnlyOnRequest) {
  struct Row {
    std::string text;
    bool comments;
    bool commas;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"// head\n{/* a */\"a\" /* b */ : // c\n 1 /**/} // tail", true, false, "{ .a #1 }"},
      {"/* * / ** */1", true, false, "#1"},
      {"[1,/*x*/2]//", true, false, "[ #1 #2 ]"},
      {"[1,2,]", false, true, "[ #1 #2 ]"},
      {"{\"a\":[1,],}", false, true, "{ .a [ #1 ] }"},
      {"[1, // one\n]", true, true, "[ #1 ]"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    Recorder events;
    const JsonOptions options{.allow_comments = row.comments, .allow_trailing_commas = row.commas};
    const Status status = ReadJsonEvents(row.text, events, options);
    ASSERT_TRUE(status.ok()) << status.error().ToString();
    EXPECT_EQ(events.events, row.want);
    const auto strict = ParseJson(row.text);
    ASSERT_FALSE(strict.ok());
    EXPECT_EQ(strict.error().reason, "json-syntax");
  }
  const JsonOptions lenient{.allow_comments = true, .allow_trailing_commas = true};
  for (const std::string text : {"1 /", "1 /x", "1 /* open", "1 /* open *", "[,]", "{,}", "[1,,]",
                                 "/* only a comment */", "1 # no comment"}) {
    const auto tree = ParseJson(text, lenient);
    ASSERT_FALSE(tree.ok()) << text;
    EXPECT_EQ(tree.error().reason, "json-syntax") << text;
  }
  EXPECT_EQ(ParseJson("1 // a\0b"s, lenient).error().message, "a NUL character is no part of JSON");
  EXPECT_EQ(ParseJson("1 /* open", lenient).error().message, "the text ends inside a comment");
}

TEST(JsonReaderTest, ByteOrderMarkCountsAsBytesNotAsColumn) {
  const std::string text = "\xEF\xBB\xBF{\"a\":x}";
  const auto bad = ParseJson(text);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().position, (TextPosition{.line = 1, .column = 6, .offset = 8}));
  const auto good = ParseJson("\xEF\xBB\xBF 1");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->span.begin, (TextPosition{.line = 1, .column = 2, .offset = 4}));
  const auto refused = ParseJson("\xEF\xBB\xBF 1", {.allow_bom = false});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "json-syntax");
  EXPECT_FALSE(ParseJson("\xEF\xBB\xBF\xEF\xBB\xBF 1").ok());
}

// Every span in the tree delimits exactly the text of its value.
void CheckSpans(std::string_view text, const JsonValue& value) {
  const auto check = [text](const TextSpan& span) {
    EXPECT_EQ(span.begin, PositionAt(text, span.begin.offset));
    EXPECT_EQ(span.end, PositionAt(text, span.end.offset));
    return text.substr(span.begin.offset, span.end.offset - span.begin.offset);
  };
  const std::string_view own = check(value.span);
  const auto again = ParseJson(own);
  ASSERT_TRUE(again.ok()) << own;
  EXPECT_EQ(again->type, value.type) << own;
  EXPECT_EQ(again->text, value.text) << own;
  EXPECT_EQ(again->elements.size(), value.elements.size()) << own;
  EXPECT_EQ(again->members.size(), value.members.size()) << own;
  for (const JsonValue& element : value.elements) CheckSpans(text, element);
  for (const JsonMember& member : value.members) {
    const auto name = ParseJson(check(member.name_span));
    ASSERT_TRUE(name.ok());
    EXPECT_EQ(name->text, member.name);
    CheckSpans(text, member.value);
  }
}

TEST(JsonReaderTest, SpansDelimitEveryValueAndName) {
  const std::string text =
      "\n{ \"é😀\" : [ 1.50 , \"a\\u00e9\\n\",\r\n\ttrue, false ,null,[ ] ,{ }],\n"
      "  \"😀\\\"\": { \"x\" : -1e5 , \"\": \"\" } }  ";
  const auto tree = ParseJson(text);
  ASSERT_TRUE(tree.ok());
  CheckSpans(text, *tree);
  EXPECT_EQ(tree->span.begin, (TextPosition{.line = 2, .column = 1, .offset = 1}));
  EXPECT_EQ(tree->members[0].value.span.begin,
            (TextPosition{.line = 2, .column = 10, .offset = 14}));
}

TEST(JsonReaderTest, FindGivesTheLastOfEqualNames) {
  const auto tree = ParseJson(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(tree.ok());
  ASSERT_EQ(tree->members.size(), 3U);
  ASSERT_NE(tree->Find("a"), nullptr);
  EXPECT_EQ(tree->Find("a")->text, "3");
  EXPECT_EQ(tree->Find("b")->text, "2");
  EXPECT_EQ(tree->Find("c"), nullptr);
  EXPECT_EQ(tree->Find("a")->Find("x"), nullptr);
}

std::string Nested(std::size_t depth, std::string_view open, std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += '1';
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonReaderTest, DepthIsABudgetNotAStack) {
  EXPECT_TRUE(ParseJson(Nested(100, "[", "]")).ok());
  EXPECT_TRUE(ParseJson(Nested(3, "{\"a\":", "}"), {.max_depth = 3}).ok());
  const std::size_t million = 1'000'000;
  struct Row {
    std::string text;
    int max_depth;
    std::size_t offset;
  };
  const std::vector<Row> rows = {
      {Nested(101, "[", "]"), 100, 100},
      {Nested(4, "{\"a\":", "}"), 3, 15},
      {"[[],[[]]]", 2, 5},
      {Nested(million, "[", "]"), 100, 100},
      {Nested(million, "{\"a\":", "}"), 100, 500},
      {std::string(million, '['), 1'000'000, 1000},  // trees are at most 1,000 deep
      {"[]", 0, 0},
  };
  for (const Row& row : rows) {
    const auto tree = ParseJson(row.text, {.max_depth = row.max_depth});
    ASSERT_FALSE(tree.ok());
    EXPECT_EQ(tree.error().code, ErrorCode::kResourceExhausted);
    EXPECT_EQ(tree.error().reason, "json-depth");
    EXPECT_EQ(tree.error().position.offset, row.offset);
  }
  EXPECT_TRUE(ParseJson(Nested(1000, "[", "]"), {.max_depth = 1'000'000}).ok());
  // Events need no stack, whatever depth the caller asks for.
  class Counter : public Recorder {
   public:
    bool StartArray() override { return ++depth > 0; }
    bool EndArray() override { return true; }
    int depth = 0;
  } counter;
  EXPECT_TRUE(ReadJsonEvents(Nested(million, "[", "]"), counter, {.max_depth = 2'000'000}).ok());
  EXPECT_EQ(counter.depth, 1'000'000);
}

TEST(JsonReaderTest, SizeLimitIsInclusive) {
  EXPECT_TRUE(ParseJson("[1]", {.max_bytes = 3}).ok());
  const auto tree = ParseJson("[1] ", {.max_bytes = 3});
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(tree.error().reason, "json-too-large");
}

TEST(JsonReaderTest, AHandlerStopsAtAnyEvent) {
  const std::string text = R"({"a":[1,"x",true,null,{}]})";
  Recorder all;
  ASSERT_TRUE(ReadJsonEvents(text, all).ok());
  constexpr std::size_t kEvents = 11;
  std::string prefix;
  for (std::size_t stop_after = 1; stop_after <= kEvents; ++stop_after) {
    Recorder events(stop_after);
    const Status status = ReadJsonEvents(text, events);
    ASSERT_FALSE(status.ok()) << stop_after;
    EXPECT_EQ(status.error().code, ErrorCode::kAborted);
    EXPECT_EQ(status.error().reason, "json-stopped");
    EXPECT_TRUE(all.events.starts_with(events.events));
    EXPECT_GT(events.events.size(), prefix.size());
    prefix = events.events;
  }
  EXPECT_EQ(prefix, all.events);
}

// Every place of a special character relative to the eight-byte steps.
TEST(JsonReaderTest, StringsOfEveryLengthAndEscapePlace) {
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t place = 0; place <= length; ++place) {
      for (const std::string escape : {"\\n", "\\u00e9", "é", "\\\\", "/"}) {
        const std::string want_piece = escape == "\\n"    ? "\n"
                                       : escape == "\\\\" ? "\\"
                                       : escape == "/"    ? "/"
                                                          : "é";
        const std::string before(place, 'x');
        const std::string after(length - place, 'y');
        const auto tree = ParseJson("\"" + before + escape + after + "\"");
        ASSERT_TRUE(tree.ok());
        ASSERT_EQ(tree->text, before + want_piece + after);
      }
    }
  }
}

}  // namespace
}  // namespace tablecast
