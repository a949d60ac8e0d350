#include "odata/context_fragment.h"

#include <optional>
#include <utility>

#include "odata/literal_parser.h"

namespace tablecast::syntax {
namespace {

class ContextReader {
 public:
  explicit ContextReader(Scanner& scanner) : s_(scanner) {}

  Status Read() {
    if (s_.Take("$ref") || s_.Take("$delta")) return s_.ExpectEnd();
    const std::size_t begin = s_.pos();
    if (s_.TakeWord("Collection") && s_.Take('(')) {
      if (!s_.Take("$ref")) TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("a type name", true));
      if (!s_.Take(')')) return s_.Expected("')'");
      return SelectListAndEnd();
    }
    s_.Seek(begin);
    TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("an entity set, singleton or type", true));
    return AfterName();
  }

 private:
  // Keys, path segments, then a select list, then /$entity, /$delta or one of the delta kinds.
  Status AfterName() {
    while (true) {
      if (s_.Peek() == '(') {
        // (…) is a key when it begins with a literal or name=, a select list otherwise.
        if (!StandsOnKey()) return SelectListAndEnd();
        TABLECAST_RETURN_IF_ERROR(Key());
        if (s_.Peek() != '/') return s_.Expected("'/' after a key");
      }
      if (!s_.Take('/')) return s_.ExpectEnd();
      if (s_.Peek() == '$') return Suffix();
      if (s_.Take('@')) {
        TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("an annotation term", true));
        return s_.ExpectEnd();
      }
      TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("a name", true));
    }
  }

  Status Suffix() {
    for (const std::string_view suffix :
         {"$entity", "$deletedEntity", "$deletedLink", "$delta", "$link"}) {
      if (s_.Take(suffix)) return s_.ExpectEnd();
    }
    return s_.Expected("$entity, $delta, $link, $deletedLink or $deletedEntity");
  }

  bool StandsOnKey() {
    const std::size_t begin = s_.pos();
    s_.Advance(1);
    const std::size_t name = s_.IdentifierLength(s_.pos());
    bool key = name > 0 && s_.Peek(name) == '=';
    if (!key) {
      const auto literal = TakeLiteral(s_);
      key = literal.ok() && literal->has_value() && s_.Peek() == ')';
    }
    s_.Seek(begin);
    return key;
  }

  Status Key() {
    s_.Advance(1);
    do {
      const std::size_t name = s_.IdentifierLength(s_.pos());
      if (name > 0 && s_.Peek(name) == '=') s_.Advance(name + 1);
      TABLECAST_ASSIGN_OR_RETURN(const std::optional<Expr> literal, TakeLiteral(s_));
      if (!literal) return s_.Expected("a key value");
    } while (s_.Take(','));
    if (!s_.Take(')')) return s_.Expected("',' or ')'");
    return {};
  }

  Status SelectListAndEnd() {
    if (s_.Peek() == '(') TABLECAST_RETURN_IF_ERROR(SelectList());
    if (s_.Take('/')) return Suffix();
    return s_.ExpectEnd();
  }

  // (A,B/C,NAV+(D),Ns.*,*)
  Status SelectList() {
    const DepthGuard depth(s_);
    TABLECAST_RETURN_IF_ERROR(depth.Check());
    s_.Advance(1);
    if (s_.Take(')')) return {};  // an entity without any property
    do {
      TABLECAST_RETURN_IF_ERROR(s_.Charge());
      TABLECAST_RETURN_IF_ERROR(SelectListItem());
    } while (s_.Take(','));
    if (!s_.Take(')')) return s_.Expected("',' or ')'");
    return {};
  }

  Status SelectListItem() {
    if (s_.Take('*')) return {};
    do {
      s_.Take('@');
      TABLECAST_RETURN_IF_ERROR(s_.TakeIdentifier("a property", true));
      if (s_.Take(".*")) return {};
    } while (s_.Take('/'));
    s_.Take('+');
    if (s_.Peek() == '(') return SelectList();
    return {};
  }

  Scanner& s_;
};

}  // namespace

Result<ContextFragment> ParseContextFragment(std::string_view text, std::size_t base,
                                             Positions positions, Budget& budget) {
  TABLECAST_ASSIGN_OR_RETURN(const DecodedText decoded,
                             DecodeText(text, base, PlusSign::kPlus, positions));
  Scanner scanner(decoded, budget, "context");
  TABLECAST_RETURN_IF_ERROR(ContextReader(scanner).Read());
  ContextFragment fragment;
  fragment.text = decoded.text;
  fragment.at = {decoded.Where(0), decoded.Where(decoded.text.size())};
  return fragment;
}

}  // namespace tablecast::syntax
