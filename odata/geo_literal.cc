#include <string_view>

#include "odata/literal_parser.h"
#include "odata/syntax_scanner.h"

// IMPLEMENTATION: geo values are recognised, never evaluated (geo functions are not offered).
// SOURCE: OData 4.01 ABNF, fullPointLiteral and its siblings. Tested by literal_parser_test.cc.

namespace tablecast::syntax {
namespace {

constexpr int kMaxNesting = 20;  // Collection(Collection(...)))

class GeoReader {
 public:
  explicit GeoReader(std::string_view text) : rest_(text) {}

  bool ReadAll() {
    if (!TakeWord("SRID=")) return false;
    const std::size_t digits = Digits();
    if (digits < 1 || digits > 5 || !Take(';')) return false;
    return Shape(0) && rest_.empty();
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (!EqualsAnyCase(rest_.substr(0, word.size()), word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::size_t Digits() {
    std::size_t count = 0;
    while (!rest_.empty() && IsDigit(rest_.front())) {
      rest_.remove_prefix(1);
      ++count;
    }
    return count;
  }
  bool Number() {
    if (TakeWord("NaN") || TakeWord("INF") || TakeWord("-INF")) return true;
    if (!Take('-')) Take('+');
    if (Digits() == 0) return false;
    if (Take('.') && Digits() == 0) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('-')) Take('+');
    return Digits() > 0;
  }
  // Longitude, latitude and, in 4.01, altitude and measure.
  bool Position() {
    if (!Number() || !Take(' ') || !Number()) return false;
    for (int more = 0; more < 2 && Take(' '); ++more) {
      if (!Number()) return false;
    }
    return true;
  }
  // "(" item *("," item) ")" with at least `least` items.
  template <class Item>
  bool List(std::size_t least, Item item) {
    if (!Take('(')) return false;
    std::size_t count = 0;
    if (least > 0 || !rest_.starts_with(')')) {
      do {
        if (!item()) return false;
        ++count;
      } while (Take(','));
    }
    return Take(')') && count >= least;
  }
  bool Positions(std::size_t least) {
    return List(least, [this] { return Position(); });
  }
  bool Point() { return Take('(') && Position() && Take(')'); }
  bool Polygon() {
    return List(1, [this] { return Positions(1); });
  }
  bool Shape(int depth) {
    if (depth > kMaxNesting) return false;
    if (TakeWord("Point")) return Point();
    if (TakeWord("LineString")) return Positions(2);
    if (TakeWord("Polygon")) return Polygon();
    if (TakeWord("MultiPoint")) return List(0, [this] { return Point(); });
    if (TakeWord("MultiLineString")) return List(0, [this] { return Positions(2); });
    if (TakeWord("MultiPolygon")) return List(0, [this] { return Polygon(); });
    if (TakeWord("Collection") || TakeWord("GeometryCollection")) {
      return List(1, [this, depth] { return Shape(depth + 1); });
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

bool IsGeoValue(std::string_view value) { return GeoReader(value).ReadAll(); }

}  // namespace tablecast::syntax
