#include "odata/query_functions.h"

namespace tablecast {

const std::vector<std::string>& FilterFunctions() {
  static const std::vector<std::string> kNames = {
      "contains", "endswith", "startswith", "length", "indexof", "substring", "matchesPattern", "tolower", "toupper",
      "trim", "concat", "year", "month", "day", "hour", "minute", "second", "fractionalseconds", "date", "time",
      "totaloffsetminutes", "now", "maxdatetime", "mindatetime", "totalseconds", "round", "floor", "ceiling", "cast",
      "isof", "case", "hassubset", "hassubsequence"};
  return kNames;
}

const std::vector<std::string>& ApplyTransformations() {
  static const std::vector<std::string> kNames = {
      "aggregate", "topcount", "topsum", "toppercent", "bottomcount", "bottomsum", "bottompercent", "identity",
      "concat", "groupby", "filter", "search", "compute", "orderby", "skip", "top"};
  return kNames;
}

}  // namespace tablecast
