// The JSON form of syntax trees.

#include "odata/syntax_json.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tablecast::syntax {
namespace {

TEST(SyntaxJsonTest, PrintsKindNameValueArgsAndPlace) {
  constexpr struct {
    std::string_view kind;
    std::string_view text;
    std::string_view want;
  } kRows[] = {
      {"filter", "A eq 5",
       R"({"kind":"eq","args":[{"kind":"path","name":"A","args":[{"kind":"name","name":"A","at":[0,1]}],)"
       R"("at":[0,1]},{"kind":"integer","value":"5","at":[5,6]}],"at":[0,6]})"},
      {"filter", "null", R"({"kind":"null","value":null,"at":[0,4]})"},
      {"filter", "true", R"({"kind":"boolean","value":true,"at":[0,4]})"},
      {"filter", "'%C3%BC'", R"({"kind":"string","value":"ü","at":[0,8]})"},
      {"filter", "'ü'", R"({"kind":"string","value":"ü","at":[0,4]})"},
      {"filter", "Ns.C'Red'", R"({"kind":"enum","name":"Ns.C","value":"Red","at":[0,9]})"},
      {"filter", "now()", R"({"kind":"call","name":"now","at":[0,5]})"},
      {"search", "a NOT b",
       R"({"kind":"and","args":[{"kind":"word","value":"a","at":[0,1]},{"kind":"not","args":)"
       R"([{"kind":"word","value":"b","at":[6,7]}],"at":[2,7]}],"at":[0,7]})"},
      {"orderby", "A desc",
       R"({"kind":"orderby","args":[{"kind":"desc","args":[{"kind":"path","name":"A","args":)"
       R"([{"kind":"name","name":"A","at":[0,1]}],"at":[0,1]}],"at":[0,6]}],"at":[0,6]})"},
      {"select", "*,A/B",
       R"({"kind":"select","args":[{"kind":"star","at":[0,1]},{"kind":"property","name":"A/B","at":[2,5]}],)"
       R"("at":[0,5]})"},
      {"expand", "N($top=2)",
       R"({"kind":"expand","args":[{"kind":"property","name":"N","args":[{"kind":"$top","value":"2","at":[0,9]}],)"
       R"("at":[0,9]}],"at":[0,9]})"},
      {"compute", "1 as X",
       R"({"kind":"compute","args":[{"kind":"compute","name":"X","args":[{"kind":"integer","value":"1","at":[0,1]}],)"
       R"("at":[0,6]}],"at":[0,6]})"},
      {"apply", "top(2)",
       R"({"kind":"apply","args":[{"kind":"top","args":[{"kind":"integer","value":"2","at":[4,5]}],"at":[0,6]}],)"
       R"("at":[0,6]})"},
      {"uri", "O('%2F')?$top=1&x=2",
       R"({"kind":"uri","args":[{"kind":"path","args":[{"kind":"name","name":"O","args":[{"kind":"argument",)"
       R"("args":[{"kind":"string","value":"/","at":[2,7]}],"at":[2,7]}],"at":[0,8]}],"at":[0,8]},)"
       R"({"kind":"$top","value":"1","at":[9,15]},{"kind":"custom","name":"x","value":"2","at":[16,19]}],)"
       R"("at":[0,19]})"},
  };
  for (const auto& row : kRows) {
    const auto json = ParseToJson(row.kind, row.text);
    ASSERT_TRUE(json.ok()) << row.text << ": " << json.error().ToString();
    EXPECT_EQ(*json, row.want) << row.text;
  }
}

}  // namespace
}  // namespace tablecast::syntax
