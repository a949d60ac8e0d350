#include "connector/convert.h"

#include <gmock/gmock.h>

#include "item/item_codec.h"

namespace tablecast {
namespace {

// An encoded value that keeps its bytes.
struct Stored {
  explicit Stored(const AttributeValue& value) : type(value.type()) {
    AppendPayload(payload, value);
  }
  AttributeView view() const { return AttributeView(type, payload); }
  AttributeType type;
  std::string payload;
};

Field Make(FieldType type) {
  Field field;
  field.name = "F";
  field.type = type;
  field.kind = EdmKindOf(type);
  return field;
}

AttributeValue S(std::string text) { return AttributeValue::String(std::move(text)); }
AttributeValue N(std::string_view text) { return *AttributeValue::NumberFromText(text); }

struct ReadCase {
  FieldType type;
  AttributeValue stored;
  std::string literal;  // of the value
  std::string error;    // code
  std::string unit;
};

TEST(ConvertTest, ReadsStoredValues) {
  const ReadCase cases[] = {
      {FieldType::kText, S("abc"), "'abc'", "", ""},
      {FieldType::kText, S(""), "null", "", ""},
      {FieldType::kText, N("5"), "null", "wrong-type", ""},
      {FieldType::kText, AttributeValue::Null(), "null", "", ""},
      {FieldType::kNumber, N("12345678901234567890.12345678"), "12345678901234567890.12345678", "",
       ""},
      {FieldType::kNumber, S("12"), "null", "wrong-type", ""},
      {FieldType::kInt32, N("7"), "7", "", ""},
      {FieldType::kInt32, N("7.5"), "null", "not-an-integer", ""},
      {FieldType::kInt32, N("2147483648"), "null", "not-an-integer", ""},
      {FieldType::kInt64, N("2147483648"), "2147483648", "", ""},
      {FieldType::kCheckbox, AttributeValue::Bool(true), "true", "", ""},
      {FieldType::kBinary, AttributeValue::Binary("\x01\x02\x03"), "binary'AQID'", "", ""},
      {FieldType::kDateTime, S("2015-12-21"), "2015-12-21T00:00:00Z", "", ""},
      {FieldType::kDateTime, S("2015-12-21T17:42:34.500Z"), "2015-12-21T17:42:34.5Z", "", ""},
      {FieldType::kDateTime, S("2015-12-21 17:42+0200"), "2015-12-21T15:42:00Z", "", ""},
      {FieldType::kDateTime, S("20151221T174234Z"), "2015-12-21T17:42:34Z", "", ""},
      {FieldType::kDateTime, S("2015-12-21T24:00:00Z"), "null", "not-a-date-time", ""},
      {FieldType::kDateTime, S("2015-W52"), "null", "not-a-date-time", ""},
      {FieldType::kDateTime, N("1450719754"), "null", "wrong-type", ""},
      {FieldType::kDateTime, N("1450719754.25"), "2015-12-21T17:42:34.25Z", "", "s"},
      {FieldType::kDateTime, N("1450719754250"), "2015-12-21T17:42:34.25Z", "", "ms"},
      {FieldType::kDateTime, N("-1.5"), "1969-12-31T23:59:58.5Z", "", "s"},
      {FieldType::kDateTime, N("1e20"), "null", "not-a-date-time", "s"},
      {FieldType::kDateTime, S("2015-12-21T17:42:34Z"), "2015-12-21T17:42:34Z", "", "s"},
      {FieldType::kDate, S("2015-12-21"), "2015-12-21", "", ""},
      {FieldType::kDate, S("2015-12-21T00:00:00Z"), "2015-12-21", "", ""},
      {FieldType::kDate, S("2015-12-21T01:00:00Z"), "null", "not-a-date", ""},
      {FieldType::kTime, S("07:30"), "07:30:00", "", ""},
      {FieldType::kTime, S("7:30"), "null", "not-a-time", ""},
      {FieldType::kJsonText, AttributeValue::ListOf({N("1"), S("a"), AttributeValue::Bool(false)}),
       "'[1,\"a\",false]'", "", ""},
  };
  for (const ReadCase& c : cases) {
    Field field = Make(c.type);
    field.unit = c.unit;
    const Stored stored(c.stored);
    std::optional<ConversionError> error;
    const EdmValue value = FromStored(field, stored.view(), &error);
    const std::string what =
        std::string(FieldTypeName(c.type)) + " of " + StoredForMessage(stored.view());
    EXPECT_EQ(value.ToLiteral(), c.literal) << what;
    EXPECT_EQ(error ? error->code : "", c.error) << what;
    EXPECT_TRUE(!error || !error->stored.empty()) << what;
  }
}

TEST(ConvertTest, CollectionsInThreeForms) {
  const Stored set(*AttributeValue::SetOf(AttributeType::kSS, {"b", "a;c"}));
  Field field = Make(FieldType::kText);
  field.collection = true;
  EXPECT_EQ(FromStored(field, set.view(), nullptr).ToText(), "['a;c','b']");
  field.form = CollectionForm::kText;
  EXPECT_EQ(FromStored(field, set.view(), nullptr).ToText(), "a;c;b");
  field.form = CollectionForm::kJson;
  EXPECT_EQ(FromStored(field, set.view(), nullptr).ToText(), "[\"a;c\",\"b\"]");
  std::optional<ConversionError> error;
  EXPECT_TRUE(FromStored(field, Stored(S("x")).view(), &error).is_null());
  EXPECT_EQ(error->code, "wrong-type");
}

TEST(ConvertTest, PathsReachInside) {
  AttributeValue::Map pen;
  pen["Quantity"] = N("3");
  AttributeValue::Map entry;
  entry["Pens"] = AttributeValue::MapOf(pen);
  const Stored list(AttributeValue::ListOf({AttributeValue::Null(), AttributeValue::MapOf(entry)}));
  const Result<AttributePath> path = ParseAttributePath("Items[1].Pens.Quantity");
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->attribute, "Items");
  const AttributeView found = FollowPath(list.view(), path->steps);
  EXPECT_TRUE(found.Is(AttributeType::kN));
  EXPECT_FALSE(FollowPath(list.view(), ParseAttributePath("Items[2].Pens")->steps).present());
  EXPECT_FALSE(FollowPath(list.view(), ParseAttributePath("Items.Pens")->steps).present());
  for (const char* bad : {"", ".a", "a..b", "a[", "a[]", "a[x]", "a[1]b", "a.", "a[99999999]"}) {
    EXPECT_EQ(ParseAttributePath(bad).error().reason, "path-syntax") << bad;
  }
}

TEST(ConvertTest, WritesKeepTheStoredForm) {
  const Field field = Make(FieldType::kDateTime);
  const EdmValue at = *ParseEdm(EdmKind::kDateTimeOffset, "2020-03-04T00:00:00Z");
  const std::pair<std::string, std::string> cases[] = {
      {"2015-12-21", "2020-03-04"},
      {"2015-12-21 17:42:00Z", "2020-03-04 00:00:00Z"},
      {"2015-12-21T17:42:00", "2020-03-04T00:00:00"},
      {"20151221T174200Z", "20200304T000000Z"},
      {"2020-03-04T01:00+01:00", "2020-03-04T01:00+01:00"},  // the same instant: left alone
      {"rubbish", "2020-03-04T00:00:00Z"},
  };
  for (const auto& [old_text, expected] : cases) {
    const AttributeValue old = S(old_text);
    EXPECT_EQ(ToStored(field, at, &old)->text(), expected) << old_text;
  }
  Field epoch = field;
  epoch.unit = "ms";
  EXPECT_EQ(ToStored(epoch, at, nullptr)->NumberAsText(), "1583280000000");
}

TEST(ConvertTest, WritesCheckTheFacets) {
  Field text = Make(FieldType::kText);
  text.max_length = 3;
  EXPECT_TRUE(ToStored(text, EdmValue::String("äöü"), nullptr).ok());
  EXPECT_EQ(ToStored(text, EdmValue::String("abcd"), nullptr).error().reason, "value-too-long");
  EXPECT_EQ(ToStored(text, EdmValue::Int(1), nullptr).error().reason, "value-type");
  Field money = Make(FieldType::kCurrency);
  money.precision = 5;
  money.scale = 2;
  EXPECT_TRUE(ToStored(money, EdmValue::Number(*Decimal::Parse("-999.99")), nullptr).ok());
  EXPECT_EQ(ToStored(money, EdmValue::Number(*Decimal::Parse("1000")), nullptr).error().reason,
            "value-precision");
  EXPECT_EQ(ToStored(money, EdmValue::Number(*Decimal::Parse("0.001")), nullptr).error().reason,
            "value-precision");
  money.maximum = Decimal(10);
  EXPECT_EQ(ToStored(money, EdmValue::Int(11), nullptr).error().reason, "value-out-of-range");
  Field number = Make(FieldType::kNumber);
  EXPECT_EQ(ToStored(number, EdmValue::Number(*Decimal::Parse("1e200")), nullptr).error().reason,
            "value-out-of-range");
  Field choice = Make(FieldType::kPicklist);
  choice.values = {"OPEN", "PAID"};
  const Result<AttributeValue> refused = ToStored(choice, EdmValue::String("open"), nullptr);
  EXPECT_EQ(refused.error().reason, "value-not-allowed");
  EXPECT_EQ(refused.error().remedy, "use one of 'OPEN', 'PAID'");
  EXPECT_EQ(refused.error().target, "F");
}

TEST(ConvertTest, ComplexWritesKeepUnnamedMembers) {
  Field field = Make(FieldType::kComplex);
  Field city = Make(FieldType::kText);
  city.name = "City";
  city.source.attribute = "city";
  field.members.push_back(city);
  AttributeValue::Map before;
  before["city"] = S("Bonn");
  before["geo"] = N("1");
  const AttributeValue old = AttributeValue::MapOf(before);
  const Result<AttributeValue> changed =
      ToStored(field, EdmValue::OfComplex({{"City", EdmValue::String("Lyon")}}), &old);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->map().at("city").text(), "Lyon");
  EXPECT_EQ(changed->map().count("geo"), 1U);
  const Result<AttributeValue> removed =
      ToStored(field, EdmValue::OfComplex({{"City", EdmValue()}}), &old);
  EXPECT_EQ(removed->map().count("city"), 0U);
  EXPECT_EQ(ToStored(field, EdmValue::OfComplex({{"Town", EdmValue()}}), &old).error().reason,
            "value-type");
}

TEST(ConvertTest, SetsStaySets) {
  Field field = Make(FieldType::kText);
  field.collection = true;
  const AttributeValue old = *AttributeValue::SetOf(AttributeType::kSS, {"a"});
  const EdmValue value =
      EdmValue::OfCollection({EdmValue::String("z"), EdmValue::String("b"), EdmValue::String("z")});
  EXPECT_THAT(ToStored(field, value, &old)->set(), ::testing::ElementsAre("b", "z"));
  EXPECT_EQ(ToStored(field, value, nullptr)->type(), AttributeType::kL);
  EXPECT_EQ(ToStored(field, EdmValue::OfCollection({}), &old).error().reason, "set-empty");
}

}  // namespace
}  // namespace tablecast
