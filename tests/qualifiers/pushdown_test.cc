#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "qualifiers/column_condition.h"
#include "tests/qualifiers/qualifier_fixture.h"

namespace tablecast {
namespace {

using formula::Value;
using PushOp = CompiledQualifier::PushOp;
using Condition = CompiledQualifier::VirtualCondition;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Texts(const CompiledQualifier::Pushdown& pushdown) {
  std::vector<std::string> texts;
  for (const auto& condition : pushdown.conditions) {
    texts.push_back(condition.condition.never
                        ? condition.attribute + " never"
                        : ConditionText(condition.attribute, condition.condition));
  }
  return texts;
}

Condition Is(std::string column, std::string text) {
  return {std::move(column), PushOp::kEq, {Value::Text(std::move(text))}};
}

TEST(PushdownTest, StripAPrefixNarrowsTheSortKey) {
  const auto items = MustCompile(kOrderItems);
  const auto eq = items->PushDown({Is("productCode", "23")});
  EXPECT_THAT(Texts(eq), ElementsAre("sk = \"products#23\""));
  EXPECT_TRUE(eq.conditions[0].exact);
  EXPECT_THAT(eq.conditions[0].why, HasSubstr("productCode"));
  EXPECT_THAT(eq.refused, IsEmpty());
  EXPECT_THAT(
      Texts(items->PushDown({{"productCode", PushOp::kIn, {Value::Text("1"), Value::Text("2")}}})),
      ElementsAre("sk in (\"products#1\", \"products#2\")"));
  EXPECT_THAT(Texts(items->PushDown({{"productCode", PushOp::kStartsWith, {Value::Text("2")}}})),
              ElementsAre("sk begins with \"products#2\""));
}

TEST(PushdownTest, WrittenInverseNarrowsWhenProved) {
  const auto pair = MustCompile(
      R"j({"columns": {"pk": {"filter": "products#%", "values": [{"definition": "\"products#\" & product"}]},
      "product": {"virtual": true, "values": [{"definition": "RIGHT(pk, LEN(pk) - FIND(\"#\", pk))"}]}}})j");
  EXPECT_TRUE(pair->FindPhysical("pk")->inverse_narrows_reads);
  EXPECT_THAT(Texts(pair->PushDown({Is("product", "7")})), ElementsAre("pk = \"products#7\""));
}

TEST(PushdownTest, ALeadingRunOfAJoinedColumnIsAPrefix) {
  const auto offices = MustCompile(kOffices);
  EXPECT_TRUE(offices->FindPhysical("data")->inverse_narrows_reads);
  const auto run = offices->PushDown({Is("country", "USA"), Is("region", "MI")});
  EXPECT_THAT(Texts(run), ::testing::Contains("data begins with \"USA#MI#\""));
  EXPECT_THAT(run.refused, IsEmpty());
  const auto all =
      offices->PushDown({Is("country", "USA"), Is("region", "MI"), Is("city", "Troy")});
  EXPECT_THAT(Texts(all), ::testing::Contains("data = \"USA#MI#Troy\""));
  const auto middle = offices->PushDown({Is("region", "MI")});
  EXPECT_THAT(middle.conditions, IsEmpty());
  ASSERT_EQ(middle.refused.size(), 1U);
  EXPECT_EQ(middle.refused[0].first, "region = 'MI'");
  EXPECT_FALSE(middle.refused[0].second.empty());
}

TEST(PushdownTest, UnprovedInversesServeWritesAloneAndSaySo) {
  constexpr std::string_view text =
      R"j({"columns": {"discount": {"type": "S", "values": [{"definition": "TEXT(disc / 100)"}]},
      "disc": {"virtual": true, "values": [{"definition": "VALUE(discount) * 100"}]}}})j";
  const std::vector<Condition> bound = {{"disc", PushOp::kEq, {Value::Integer(15)}}};
  const auto refused = MustCompile(text)->PushDown(bound);
  EXPECT_THAT(refused.conditions, IsEmpty());
  ASSERT_EQ(refused.refused.size(), 1U);
  EXPECT_THAT(refused.refused[0].second, HasSubstr("trustedInverses"));
  CompileQualifierOptions trusting;
  trusting.trusted_inverses = {"discount"};
  EXPECT_THAT(Texts(MustCompile(text, PkSkTable(), trusting)->PushDown(bound)),
              ::testing::Contains("discount = \"0.15\""));
}

TEST(PushdownTest, UndeclaredColumnsThatMayHoldNumbersDoNotNarrow) {
  const auto refused =
      MustCompile(
          R"j({"columns": {"zip": {}, "v": {"virtual": true, "values": [{"definition": "\"Z\" & zip"}]}}})j")
          ->PushDown({Is("v", "Z8000")});
  EXPECT_THAT(refused.conditions, IsEmpty());
  ASSERT_EQ(refused.refused.size(), 1U);
  EXPECT_THAT(refused.refused[0].second, HasSubstr("declare \"type\": \"S\""));
  const auto declared =
      MustCompile(
          R"j({"columns": {"zip": {"type": "S"}, "v": {"virtual": true, "values": [{"definition": "\"Z\" & zip"}]}}})j")
          ->PushDown({Is("v", "Z8000")});
  EXPECT_THAT(Texts(declared), ElementsAre("zip = \"8000\""));
}

TEST(PushdownTest, SeveralCandidatesAndUnknownColumnsAreRefusedWithReasons) {
  const auto qualifier = MustCompile(R"j({"columns": {"v": {"virtual": true,
      "values": [{"definition": "TEXT(VALUE(sk))"}, {"definition": "sk"}]}}})j");
  const auto pushed = qualifier->PushDown({Is("v", "1"), Is("w", "1")});
  ASSERT_EQ(pushed.refused.size(), 2U);
  EXPECT_THAT(pushed.refused[0].second, HasSubstr("several definitions"));
  EXPECT_THAT(pushed.refused[1].second, HasSubstr("no virtual column"));
}

// ---- no row is ever lost ----
std::optional<int> Order(const Value& a, const Value& b) {
  if (a.IsBlank() || a.type() != b.type()) return std::nullopt;
  switch (a.type()) {
    case formula::ValueType::kText: return a.text().compare(b.text());
    case formula::ValueType::kNumber:
      return a.number() < b.number() ? -1 : (b.number() < a.number() ? 1 : 0);
    default: return std::nullopt;
  }
}

bool HoldsOn(const Condition& condition, const Value& value) {
  const auto order = Order(value, condition.literals.front());
  switch (condition.op) {
    case PushOp::kEq: return value == condition.literals.front();
    case PushOp::kNe: return !value.IsBlank() && !(value == condition.literals.front());
    case PushOp::kLt: return order && *order < 0;
    case PushOp::kLe: return order && *order <= 0;
    case PushOp::kGt: return order && *order > 0;
    case PushOp::kGe: return order && *order >= 0;
    case PushOp::kStartsWith:
      return value.Is(formula::ValueType::kText) &&
             value.text().starts_with(condition.literals.front().text());
    case PushOp::kIn:
      return std::any_of(condition.literals.begin(), condition.literals.end(),
                         [&](const Value& literal) { return value == literal; });
  }
  return false;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  std::size_t Below(std::size_t limit) { return random_() % limit; }
  // Short texts of a few characters that matter: delimiters, what sorts below and above them,
  // prefixes.
  std::string Text(const std::vector<std::string>& pieces) {
    std::string text;
    for (std::size_t i = Below(5); i > 0; --i) text += pieces[Below(pieces.size())];
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST(PushdownPropertyTest, NoRowIsLostAndExactMeansExact) {
  const std::vector<std::string_view> qualifiers = {
      kOrderItems,
      kOffices,
      R"j({"columns": {"pk": {"filter": "a#%", "values": [{"definition": "\"a#\" & v"}]},
          "v": {"virtual": true, "values": [{"definition": "RIGHT(pk, LEN(pk) - FIND(\"#\", pk))"}]}}})j",
      R"j({"columns": {"sk": {"filter": "a#b#%"}, "v": {"virtual": true, "values": [{"definition": "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "RIGHT(sk, LEN(sk) - FIND(\"#\", sk))"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "LEFT(sk, FIND(\"#\", sk) - 1)"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "LEFT(sk, 2)"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "\"a\" & sk & \"b\""}]}}})j",
      R"j({"columns": {"data": {"presence": "any"}, "v": {"virtual": true, "values": [{"definition": "\"a\" & data"}]}}})j",
      R"j({"columns": {"sk": {"filter": "a#%"}, "v": {"virtual": true, "values": [{"definition": "SUBSTITUTE(sk, \"a#\", \"\")"}]}}})j",
      R"j({"columns": {"data": {"type": "S"}, "v": {"virtual": true, "values": [{"definition": "\"a\" & data"}]}}})j",
      R"j({"columns": {"data": {"type": "S", "presence": "any"}, "v": {"virtual": true, "values": [{"definition": "data & \"b\""}]}}})j",
      R"j({"columns": {"data": {}, "v": {"virtual": true, "values": [{"definition": "data"}]}}})j",
      R"j({"columns": {"data": {"type": "N"}, "v": {"virtual": true, "values": [{"definition": "data * 2 + 1"}]}}})j",
      R"j({"columns": {"data": {"type": "N"}, "v": {"virtual": true, "values": [{"definition": "TEXT(data)"}]}}})j",
      R"j({"columns": {"data": {"type": "S"}, "v": {"virtual": true, "values": [{"definition": "VALUE(data)"}]}}})j",
      R"j({"columns": {"data": {"type": "S"}, "v": {"virtual": true, "values": [{"definition": "CASE(data, \"a\", \"1\", \"b\", \"2\", \"#\")"}]}}})j",
      R"j({"columns": {"data": {"presence": "any"}, "v": {"virtual": true, "values": [{"definition": "BLANKVALUE(data, \"a\")"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "pk & \"#\" & sk"}]}}})j",
      R"j({"columns": {"v": {"virtual": true, "values": [{"definition": "UPPER(sk)"}]}}})j",
  };
  const std::vector<std::string> pieces = {"a", "b",  "#",         "!",        "1",
                                           "0", "a#", "products#", "\xC3\xA9", "#b"};
  const std::vector<std::string> numbers = {"0", "1", "-1", "1.5", "10", "2", "3"};
  const int rounds = std::getenv("TABLECAST_LONG_TESTS") != nullptr ? 5000 : 200;
  Generator generator(20260101);
  int narrowed = 0;
  int held = 0;
  for (const std::string_view text : qualifiers) {
    const auto qualifier = MustCompile(text);
    ASSERT_NE(qualifier, nullptr) << text;
    OwnedRow row(qualifier);
    // Items first: many, so that conditions meet them.
    std::vector<Item> items;
    for (int i = 0; i < 600; ++i) {
      Item item;
      const auto key = [&] {
        constexpr std::string_view kHeads[] = {"", "a#", "products#", "offices#", "a#b#"};
        return std::string(kHeads[generator.Below(5)]) + generator.Text(pieces);
      };
      item["pk"] =
          S(generator.Below(3) == 0 ? numbers[generator.Below(numbers.size())] : key() + "1");
      item["sk"] = S(key() + "1");
      switch (generator.Below(6)) {
        case 0: break;
        case 1: item["data"] = AttributeValue::Null(); break;
        case 2: item["data"] = N(numbers[generator.Below(numbers.size())]); break;
        case 3: item["data"] = S(numbers[generator.Below(numbers.size())]); break;
        default: item["data"] = S(generator.Text(pieces)); break;
      }
      if (row.Belongs(item)) items.push_back(std::move(item));
    }
    // What every row shows, computed once.
    std::vector<std::vector<Value>> shown;
    for (const Item& item : items) {
      QualifierRow& at = row.At(item);
      shown.emplace_back();
      for (std::size_t v = 0; v < qualifier->virtual_columns().size(); ++v) {
        shown.back().push_back(at.Virtual(v).ToOwned());
      }
    }
    for (int round = 0; round < rounds; ++round) {
      std::vector<Condition> bound;
      for (std::size_t v = 0; v < qualifier->virtual_columns().size(); ++v) {
        const VirtualColumn& column = qualifier->virtual_columns()[v];
        if (v > 0 && generator.Below(3) == 0) continue;
        constexpr PushOp kOps[] = {PushOp::kEq, PushOp::kNe, PushOp::kLt,         PushOp::kLe,
                                   PushOp::kGt, PushOp::kGe, PushOp::kStartsWith, PushOp::kIn};
        PushOp op = kOps[generator.Below(8)];
        const bool number = column.type == formula::ValueType::kNumber;
        if (number && op == PushOp::kStartsWith) op = PushOp::kEq;
        const auto literal = [&] {
          if (number)
            return Value::Number(*Decimal::Parse(numbers[generator.Below(numbers.size())]));
          // Half the time what some row shows, so that equalities hold.
          if (!items.empty() && generator.Below(2) == 0)
            return shown[generator.Below(items.size())][v];
          return Value::Text(generator.Text(pieces));
        };
        Condition condition{column.name, op, {literal()}};
        if (op == PushOp::kIn) condition.literals.push_back(literal());
        const bool blank = std::any_of(condition.literals.begin(), condition.literals.end(),
                                       [](const Value& value) { return value.IsBlank(); });
        if (!blank) bound.push_back(std::move(condition));
      }
      if (bound.empty()) continue;
      const auto pushed = qualifier->PushDown(bound);
      narrowed += pushed.conditions.empty() ? 0 : 1;
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Item& item = items[i];
        bool holds = true;
        for (const Condition& condition : bound) {
          const auto column = static_cast<std::size_t>(qualifier->FindVirtual(condition.column) -
                                                       qualifier->virtual_columns().data());
          holds = holds && HoldsOn(condition, shown[i][column]);
        }
        held += holds ? 1 : 0;
        for (const auto& condition : pushed.conditions) {
          const auto attribute = item.find(condition.attribute);
          const bool meets =
              attribute != item.end() && Meets(condition.condition, attribute->second);
          ASSERT_TRUE(!holds || meets)
              << text << "\nlost by " << ConditionText(condition.attribute, condition.condition)
              << " (" << condition.why << ") pk=" << item.at("pk").text()
              << " sk=" << item.at("sk").text();
          if (bound.size() == 1 && condition.exact && pushed.conditions.size() == 1) {
            ASSERT_TRUE(!meets || holds)
                << text
                << "\nnot exact: " << ConditionText(condition.attribute, condition.condition)
                << " (" << condition.why << ") sk=" << item.at("sk").text();
          }
        }
      }
    }
  }
  EXPECT_GT(narrowed, 1000);
  EXPECT_GT(held, 1000);
}

// The key condition with the residual is the whole of membership.
TEST(PushdownPropertyTest, KeyConditionAndResidualTogetherAreMembership) {
  const std::vector<std::string_view> qualifiers = {
      kOrders,
      kOrderItems,
      kOffices,
      R"j({"columns": {"pk": {"postFilter": "^(a|b)#.*$"}, "sk": {"filter": "a%b"}}})j",
      R"j({"columns": {"pk": {"filter": "a#%", "postFilter": "^a#[ab]+$", "type": "S"}, "sk": {"presence": "any", "filter": "a_"}}})j",
      R"j({"columns": {"sk": {"values": [{"definition": "\"a\""}, {"definition": "\"a#\""}]}, "data": {"type": "S", "presence": "any"}}})j",
  };
  const std::vector<std::string> pieces = {"a", "b", "#", "1", "ORDER", "products#"};
  Generator generator(7);
  int belonging = 0;
  for (const std::string_view text : qualifiers) {
    const auto qualifier = MustCompile(text);
    OwnedRow row(qualifier);
    for (int i = 0; i < 3000; ++i) {
      const Item item = {
          {"pk", S(generator.Text(pieces) + (generator.Below(2) == 0 ? "1" : "a"))},
          {"sk", S(generator.Below(3) == 0 ? "ORDER" : generator.Text(pieces) + "a")},
          {"data", generator.Below(2) == 0 ? S(generator.Text(pieces)) : N("1")}};
      const bool belongs = row.Belongs(item);
      belonging += belongs ? 1 : 0;
      const bool in_range = Meets(qualifier->key_condition().partition, item.at("pk")) &&
                            Meets(qualifier->key_condition().sort, item.at("sk"));
      ASSERT_EQ(belongs, in_range && row.At(item).PassesResidual())
          << text << " pk=" << item.at("pk").text() << " sk=" << item.at("sk").text();
    }
  }
  EXPECT_GT(belonging, 100);
}

}  // namespace
}  // namespace tablecast
