#include "connector/search.h"

#include <unicode/uchar.h>

#include "base/utf8.h"

namespace tablecast {
namespace {

SearchPtr Fold(const SearchPtr& search) {
  auto node = std::make_shared<SearchNode>();
  node->kind = search->kind;
  node->text = FoldCase(search->text);
  for (const SearchPtr& child : search->children) node->children.push_back(Fold(child));
  return node;
}

bool Holds(const SearchNode& node, const std::vector<std::string>& texts) {
  switch (node.kind) {
    case SearchNode::Kind::kTerm:
      for (const std::string& text : texts) {
        if (text.find(node.text) != std::string::npos) return true;
      }
      return false;
    case SearchNode::Kind::kAnd:
      for (const SearchPtr& child : node.children) {
        if (!Holds(*child, texts)) return false;
      }
      return true;
    case SearchNode::Kind::kOr:
      for (const SearchPtr& child : node.children) {
        if (Holds(*child, texts)) return true;
      }
      return false;
    case SearchNode::Kind::kNot: return !Holds(*node.children.front(), texts);
  }
  return false;
}

SearchPtr Make(SearchNode::Kind kind, std::string text, std::vector<SearchPtr> children) {
  auto node = std::make_shared<SearchNode>();
  node->kind = kind;
  node->text = std::move(text);
  node->children = std::move(children);
  return node;
}

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out += static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
      ++at;
      continue;
    }
    const char32_t point = DecodeUtf8(text, at);
    AppendUtf8(out,
               static_cast<char32_t>(u_foldCase(static_cast<UChar32>(point), U_FOLD_CASE_DEFAULT)));
  }
  return out;
}

SearchMatcher::SearchMatcher(const ExternalObject& object, SearchPtr search)
    : folded_(Fold(search)) {
  for (const Field& field : object.fields()) {
    if (field.searchable && !field.hidden) fields_.push_back(&field);
  }
}

bool SearchMatcher::Matches(const RecordView& record) const {
  std::vector<std::string> texts;
  for (const Field* field : fields_) {
    const EdmValue value = record.Value(*field);
    if (value.is_null()) continue;
    if (value.kind() == EdmKind::kCollection) {
      for (const EdmValue& element : value.collection())
        texts.push_back(FoldCase(element.ToText()));
    } else {
      texts.push_back(FoldCase(value.ToText()));
    }
  }
  return Holds(*folded_, texts);
}

bool SearchMatcher::MatchesRow(const SearchPtr& search, const EvalContext::Row& row) {
  std::vector<std::string> texts;
  for (const std::optional<EdmValue>& value : row) {
    if (value && value->kind() == EdmKind::kString) texts.push_back(FoldCase(value->text()));
  }
  return Holds(*Fold(search), texts);
}

SearchPtr SearchTerm(std::string text) {
  return Make(SearchNode::Kind::kTerm, std::move(text), {});
}
SearchPtr SearchAnd(std::vector<SearchPtr> children) {
  return Make(SearchNode::Kind::kAnd, {}, std::move(children));
}
SearchPtr SearchOr(std::vector<SearchPtr> children) {
  return Make(SearchNode::Kind::kOr, {}, std::move(children));
}
SearchPtr SearchNot(SearchPtr child) {
  return Make(SearchNode::Kind::kNot, {}, {std::move(child)});
}

std::string SearchText(const SearchPtr& search) {
  if (!search) return {};
  switch (search->kind) {
    case SearchNode::Kind::kTerm: return "\"" + search->text + "\"";
    case SearchNode::Kind::kNot: return "NOT " + SearchText(search->children.front());
    default: break;
  }
  std::string out = "(";
  for (const SearchPtr& child : search->children) {
    if (out.size() > 1) out += search->kind == SearchNode::Kind::kAnd ? " AND " : " OR ";
    out += SearchText(child);
  }
  return out + ")";
}

}  // namespace tablecast
