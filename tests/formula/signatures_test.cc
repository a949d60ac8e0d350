// Every list of argument types up to three (four for CASE), against the table of what compiles in
// the reference engine.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "tests/formula/formula_fixture.h"

namespace tablecast::formula {
namespace {

const std::vector<std::string>& Types() {
  static const std::vector<std::string> types = {"Text",     "Number", "Boolean", "Date",
                                                 "DateTime", "Time",   "NULL"};
  return types;
}

std::string FormulaOf(const std::string& name, const std::vector<std::string>& types) {
  const auto spell = [](const std::string& type) {
    return type == "NULL" ? std::string("NULL") : "f" + type;
  };
  if (name.starts_with("unary ")) return name.substr(6) + " " + spell(types[0]);
  if (name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos)
    return spell(types[0]) + " " + name + " " + spell(types[1]);
  std::string formula = name + "(";
  for (std::size_t i = 0; i < types.size(); ++i) formula += (i == 0 ? "" : ", ") + spell(types[i]);
  return formula + ")";
}

// Where this project decides otherwise; every exception is one of the contract's.
bool DecidedOtherwise(const std::string& name, const std::vector<std::string>& types) {
  if (name == "FORMAT" || name == "FORMATCURRENCY")
    return true;  // out of scope: they depend on a locale
  if (types.empty() && (name == "AND" || name == "OR" || name == "MAX" || name == "MIN"))
    return true;  // F23
  // A quirk that may be rejected: FORMATDURATION with the literal NULL.
  if (name == "FORMATDURATION" && types.size() == 2 && (types[0] == "NULL" || types[1] == "NULL"))
    return true;
  return false;
}

std::string ExpectedType(const std::string& name, const std::vector<std::string>& types,
                         const std::string& engine) {
  // F22: NULL + text is text. IFERROR(NULL, x) can only be x or blank, so it has x's type.
  if (name == "+" && (types[0] == "Text" || types[1] == "Text")) return "Text";
  if (name == "IFERROR" && types[0] == "NULL") return types[1];
  return engine;
}

TEST(SignaturesTest, AcceptsExactlyTheTable) {
  std::ifstream file(TABLECAST_SOURCE_DIR "/tests/formula/vectors/signatures.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const Result<JsonValue> json = ParseJson(text);
  ASSERT_TRUE(json.ok()) << json.error().ToString();
  NamedFields fields;
  for (const std::string& type : Types()) {
    if (type != "NULL") fields.Add("f" + type, NamedFields::TypeNamed(type), "");
  }
  int accepted = 0;
  int tried = 0;
  for (const JsonMember& function : json->members) {
    const bool is_case = function.name == "CASE";
    const bool is_unary = function.name.starts_with("unary ");
    const bool is_binary =
        !is_unary && function.name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    const std::size_t least = is_binary ? 2 : (is_unary ? 1 : 0);
    const std::size_t most = is_case ? 4 : (is_binary ? 2 : (is_unary ? 1 : 3));
    for (std::size_t count = least; count <= most; ++count) {
      std::size_t lists = 1;
      for (std::size_t i = 0; i < count; ++i) lists *= Types().size();
      for (std::size_t list = 0; list < lists; ++list) {
        std::vector<std::string> types;
        std::string key;
        bool untried = false;
        for (std::size_t i = 0, rest = list; i < count; ++i, rest /= Types().size()) {
          types.push_back(Types()[rest % Types().size()]);
          key += (i == 0 ? "" : ",") + types.back();
          // Four arguments were tried without DateTime and Time.
          untried =
              untried || (count == 4 && (types.back() == "DateTime" || types.back() == "Time"));
        }
        if (untried || DecidedOtherwise(function.name, types)) continue;
        const JsonValue* by_count = function.value.Find(std::to_string(count));
        const JsonValue* result = by_count == nullptr ? nullptr : by_count->Find(key);
        const std::string formula = FormulaOf(function.name, types);
        const CompileResult compiled = Program::Compile(formula, fields);
        ++tried;
        ASSERT_EQ(compiled.program != nullptr, result != nullptr) << formula << " with " << key;
        if (compiled.program == nullptr) continue;
        ++accepted;
        EXPECT_EQ(ValueTypeName(compiled.program->result_type()),
                  ExpectedType(function.name, types, result->text))
            << formula;
        // Blank fields raise nothing but what blanks may raise: evaluation must come back.
        EXPECT_NE(EvaluateToText(formula, fields).substr(0, 8), "compiled") << formula;
      }
    }
  }
  EXPECT_GT(tried, 30'000);
  EXPECT_GT(accepted, 700);
}

}  // namespace
}  // namespace tablecast::formula
