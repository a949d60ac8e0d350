#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/qualifiers/qualifier_fixture.h"

namespace tablecast {
namespace {

using formula::Value;
using ::testing::HasSubstr;

Value T(std::string text) { return Value::Text(std::move(text)); }

struct Write {
  std::vector<VirtualAssignment> assignments;
  std::vector<std::string> given;
  std::optional<Item> old_item;
  Item item;
};

Status Apply(const CompiledQualifier& qualifier, Write& write) {
  return ApplyVirtualWrites(qualifier, PkSkTable(), Timestamp{}, write.assignments, write.given,
                            write.old_item ? &*write.old_item : nullptr, write.item);
}

void ExpectRefused(const Status& status, std::string_view reason, std::string_view target) {
  ASSERT_FALSE(status.ok()) << "wanted " << reason;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().reason, reason) << status.error().ToString();
  EXPECT_EQ(status.error().target, target) << status.error().ToString();
}

TEST(QualifierWritesTest, ConstantsFillTheirColumnsOnCreate) {
  const auto orders = MustCompile(kOrders);
  Write write{{}, {"pk"}, {}, {{"pk", S("1012")}}};
  ASSERT_TRUE(Apply(*orders, write).ok());
  EXPECT_EQ(write.item.at("sk"), S("ORDER"));
}

TEST(QualifierWritesTest, TheFinishedItemMustBelong) {
  const auto orders = MustCompile(kOrders);
  Write letters{{}, {"pk"}, {}, {{"pk", S("ABC")}}};
  const Status status = Apply(*orders, letters);
  ExpectRefused(status, "not-a-member", "pk");
  EXPECT_THAT(status.error().message, HasSubstr("postFilter \"^[0-9]+$\""));
  Write other_constant{{}, {"pk", "sk"}, {}, {{"pk", S("1")}, {"sk", S("PRODUCT")}}};
  ExpectRefused(Apply(*orders, other_constant), "not-a-member", "sk");
}

TEST(QualifierWritesTest, DerivedInverseComputesTheKeyFromTheVirtualColumn) {
  const auto items = MustCompile(kOrderItems);
  EXPECT_TRUE(IsWritableVirtual(*items, 0));
  Write write{{{"productCode", T("7")}}, {"pk"}, {}, {{"pk", S("1012")}}};
  ASSERT_TRUE(Apply(*items, write).ok());
  EXPECT_EQ(write.item.at("sk"), S("products#7"));
}

TEST(QualifierWritesTest, DisagreementOfStoredAndVirtualColumnIsRefused) {
  const auto items = MustCompile(kOrderItems);
  Write differ{
      {{"productCode", T("7")}}, {"pk", "sk"}, {}, {{"pk", S("1012")}, {"sk", S("products#8")}}};
  ExpectRefused(Apply(*items, differ), "columns-disagree", "productCode");
  Write agree{
      {{"productCode", T("7")}}, {"pk", "sk"}, {}, {{"pk", S("1012")}, {"sk", S("products#7")}}};
  EXPECT_TRUE(Apply(*items, agree).ok());
}

TEST(QualifierWritesTest, KeysAreImmutableButUnchangedValuesAreAccepted) {
  const auto items = MustCompile(kOrderItems);
  const Item old = {{"pk", S("1012")}, {"sk", S("products#7")}, {"qty", N("1")}};
  Write same{{{"productCode", T("7")}}, {}, old, old};
  EXPECT_TRUE(Apply(*items, same).ok());
  Write changed{{{"productCode", T("8")}}, {}, old, old};
  ExpectRefused(Apply(*items, changed), "key-immutable", "productCode");
}

TEST(QualifierWritesTest, APartOfAJoinedColumnKeepsTheOthers) {
  const auto offices = MustCompile(kOffices);
  const Item old = {{"pk", S("offices#1")}, {"sk", S("x")}, {"data", S("USA#MI#Troy")}};
  Write write{{{"region", T("OH")}}, {}, old, old};
  ASSERT_TRUE(Apply(*offices, write).ok());
  EXPECT_EQ(write.item.at("data"), S("USA#OH#Troy"));
  // A delimiter inside a part that is not the last would be read back as something else.
  Write delimiter{{{"region", T("O#H")}}, {}, old, old};
  ExpectRefused(Apply(*offices, delimiter), "virtual-not-stored", "region");
}

TEST(QualifierWritesTest, UnchangedVirtualColumnsLeaveTheStoredTextAlone) {
  const auto qualifier = MustCompile(
      R"j({"columns": {"price": {"type": "S", "values": [{"definition": "TEXT(Price)"}]},
      "Price": {"virtual": true, "values": [{"definition": "VALUE(price)"}]}}})j");
  const Item old = {{"pk", S("a")}, {"sk", S("b")}, {"price", S("1.50")}};
  Write same{{{"Price", Value::Number(*Decimal::Parse("1.5"))}}, {}, old, old};
  ASSERT_TRUE(Apply(*qualifier, same).ok());
  EXPECT_EQ(same.item.at("price"), S("1.50"));
  Write changed{{{"Price", Value::Integer(2)}}, {}, old, old};
  ASSERT_TRUE(Apply(*qualifier, changed).ok());
  EXPECT_EQ(changed.item.at("price"), S("2"));
}

TEST(QualifierWritesTest, ValuesThatTheFormulasChangeAreRefused) {
  const auto qualifier =
      MustCompile(R"j({"columns": {"at": {"type": "S", "values": [{"definition": "TEXT(At)"}]},
      "At": {"virtual": true, "values": [{"definition": "DATETIMEVALUE(at)"}]}}})j");
  Write whole{{{"At", Value::DateTime({1450719754, 0})}},
              {"pk", "sk"},
              {},
              {{"pk", S("a")}, {"sk", S("b")}}};
  ASSERT_TRUE(Apply(*qualifier, whole).ok());
  EXPECT_EQ(whole.item.at("at"), S("2015-12-21 17:42:34Z"));
  Write fraction{{{"At", Value::DateTime({1450719754, 5000000})}},
                 {"pk", "sk"},
                 {},
                 {{"pk", S("a")}, {"sk", S("b")}}};
  ExpectRefused(Apply(*qualifier, fraction), "virtual-not-stored", "At");
}

TEST(QualifierWritesTest, ComputedColumnsWithoutInverseAreReadOnly) {
  const auto qualifier = MustCompile(
      R"j({"columns": {"name": {"type": "S"}, "shout": {"virtual": true, "values": [{"definition": "UPPER(name)"}]}}})j");
  EXPECT_FALSE(IsWritableVirtual(*qualifier, 0));
  const Item old = {{"pk", S("a")}, {"sk", S("b")}, {"name", S("x")}};
  Write changed{{{"shout", T("Y")}}, {}, old, old};
  ExpectRefused(Apply(*qualifier, changed), "virtual-not-stored", "shout");
  Write same{{{"shout", T("X")}}, {}, old, old};
  EXPECT_TRUE(Apply(*qualifier, same).ok());
}

TEST(QualifierWritesTest, NullClearsAndKeysCannotBeCleared) {
  const auto qualifier = MustCompile(
      R"j({"columns": {"price": {"presence": "any", "type": "S", "values": [{"definition": "TEXT(Price)"}]},
      "Price": {"virtual": true, "values": [{"definition": "VALUE(price)"}]}}})j");
  const Item old = {{"pk", S("a")}, {"sk", S("b")}, {"price", S("1.50")}};
  Write clear{{{"Price", Value()}}, {}, old, old};
  ASSERT_TRUE(Apply(*qualifier, clear).ok());
  EXPECT_FALSE(clear.item.contains("price"));
  const auto pair =
      MustCompile(R"j({"columns": {"sk": {"filter": "p#%", "values": [{"definition": "code"}]},
      "code": {"virtual": true, "values": [{"definition": "sk"}]}}})j");
  Write blank{{{"code", Value()}}, {"pk"}, {}, {{"pk", S("a")}}};
  ExpectRefused(Apply(*pair, blank), "key-blank", "code");
}

TEST(QualifierWritesTest, UnknownVirtualColumn) {
  Write write{{{"nothing", T("x")}}, {}, {}, {}};
  ExpectRefused(Apply(*MustCompile(kOrders), write), "unknown-column", "nothing");
}

}  // namespace
}  // namespace tablecast
