// IMPLEMENTATION of FormatQualifier: words -> a tree that keeps comments -> canonical text. Two
// blanks a level; arrays and objects of plain values stay on one line when they fit in 100 columns;
// an object that holds an object, or any comment, is written one member a line. Formatting twice
// changes nothing. Tested by qualifier_format_test.

#include <utility>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "qualifiers/json_tokens.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kLineWidth = 100;

struct Comment {
  std::string_view text;
  bool line;          // "//": must end its line
  bool blank_before;  // an empty line stood before it
};

struct Node {
  std::string_view key;         // with quotes; empty in arrays
  std::string_view word;        // scalar as written, or "{" or "["
  std::vector<Comment> before;  // own lines before this member
  std::vector<Comment> behind;  // on its line, after the comma
  std::vector<Node> children;
  std::vector<Comment> dangling;  // before the closing bracket
  bool blank_before = false;

  bool IsContainer() const { return word == "{" || word == "["; }
};

class TreeReader {
 public:
  TreeReader(std::string_view text, bool keep_comments) : text_(text), tokens_(TokenizeJson(text)) {
    std::erase_if(tokens_, [&](const JsonToken& token) {
      return token.kind == JsonToken::Kind::kBom || (!keep_comments && token.IsComment());
    });
  }

  Node ReadDocument() {
    Node root;
    TakeComments(root.before);
    ReadValue(root, 0);
    TakeSameLineComments(root.behind);
    TakeComments(after_);
    return root;
  }
  const std::vector<Comment>& after() const { return after_; }

 private:
  std::string_view Word() const {
    return at_ < tokens_.size()
               ? text_.substr(tokens_[at_].begin, tokens_[at_].end - tokens_[at_].begin)
               : std::string_view();
  }
  bool AtComment() const { return at_ < tokens_.size() && tokens_[at_].IsComment(); }

  void TakeComment(std::vector<Comment>& into) {
    into.push_back({Word(), tokens_[at_].kind == JsonToken::Kind::kLineComment,
                    tokens_[at_].newlines_before > 1});
    ++at_;
  }
  void TakeComments(std::vector<Comment>& into) {
    while (AtComment()) TakeComment(into);
  }
  void TakeSameLineComments(std::vector<Comment>& into) {
    while (AtComment() && tokens_[at_].newlines_before == 0) TakeComment(into);
  }

  // REQUIRES: valid JSON within kMaxDepth, which the caller has established.
  void ReadValue(Node& node, int depth) {
    TakeComments(node.before);
    node.word = Word();
    ++at_;
    if (!node.IsContainer() || depth > kMaxDepth) return;
    const std::string_view close = node.word == "{" ? "}" : "]";
    std::vector<Comment>
        held;  // stood before a comma on lines of their own: they open the next member
    while (at_ < tokens_.size()) {
      Node child;
      child.blank_before =
          !node.children.empty() && held.empty() && tokens_[at_].newlines_before > 1;
      child.before = std::exchange(held, {});
      TakeComments(child.before);
      if (Word() == close || at_ >= tokens_.size()) {
        node.dangling = std::move(child.before);
        break;
      }
      if (close == "}") {
        child.key = Word();
        ++at_;
        TakeComments(child.before);
        ++at_;  // the colon
      }
      ReadValue(child, depth + 1);
      TakeSameLineComments(child.behind);
      if (AtComment() && NextIsComma()) TakeComments(held);
      if (Word() == ",") {
        ++at_;
        const bool line_is_closed = !child.behind.empty() && child.behind.back().line;
        if (!line_is_closed && held.empty() && !FollowedOnLineByMember())
          TakeSameLineComments(child.behind);
      }
      node.children.push_back(std::move(child));
    }
    ++at_;  // the closing bracket
  }

  bool NextIsComma() const {
    std::size_t i = at_;
    while (i < tokens_.size() && tokens_[i].IsComment()) ++i;
    return i < tokens_.size() && text_[tokens_[i].begin] == ',';
  }
  // `1, /* of the next */ 2` on one line: the comment stands before what follows it.
  bool FollowedOnLineByMember() const {
    std::size_t i = at_;
    while (i < tokens_.size() && tokens_[i].IsComment()) {
      if (tokens_[i].kind == JsonToken::Kind::kLineComment) return false;
      ++i;
    }
    return i < tokens_.size() && i > at_ && tokens_[i].newlines_before == 0 &&
           text_[tokens_[i].begin] != '}' && text_[tokens_[i].begin] != ']';
  }

  std::string_view text_;
  std::vector<JsonToken> tokens_;
  std::size_t at_ = 0;
  std::vector<Comment> after_;
};

class Printer {
 public:
  std::string Print(const Node& root, const std::vector<Comment>& after) {
    PrintComments(root.before, 0, true);
    PrintNode(root, 0, true);
    PrintBehind(root.behind);
    out_ += '\n';
    PrintComments(after, 0, false);
    return std::move(out_);
  }

 private:
  static bool HasComments(const Node& node) {
    if (!node.dangling.empty()) return true;
    for (const Node& child : node.children) {
      if (!child.before.empty() || !child.behind.empty() || HasComments(child)) return true;
    }
    return false;
  }
  static bool HoldsObject(const Node& node) {
    for (const Node& child : node.children) {
      if (child.word == "{" && !child.children.empty()) return true;
      if (child.word == "[" && HoldsDeepObject(child)) return true;
    }
    return false;
  }
  // An array may hold small objects on its line: "values": [{ "definition": "…" }].
  static bool HoldsDeepObject(const Node& array) {
    if (array.children.size() > 1 && HoldsObject(array)) return true;
    for (const Node& child : array.children) {
      if (child.word == "{" && HoldsObject(child)) return true;
      if (child.word == "[" && HoldsDeepObject(child)) return true;
    }
    return false;
  }
  static bool MayStayOnLine(const Node& node) {
    if (HasComments(node)) return false;
    return node.word == "{" ? !HoldsObject(node) : !HoldsDeepObject(node);
  }

  static void AppendInline(std::string& out, const Node& node) {
    if (!node.IsContainer()) {
      out += node.word;
      return;
    }
    const bool object = node.word == "{";
    out += node.word;
    if (object && !node.children.empty()) out += ' ';
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += ", ";
      if (object) {
        out += node.children[i].key;
        out += ": ";
      }
      AppendInline(out, node.children[i]);
    }
    if (object && !node.children.empty()) out += ' ';
    out += object ? '}' : ']';
  }

  std::size_t ColumnNow() const {
    const std::size_t line = out_.rfind('\n');
    return CountCodePoints(std::string_view(out_).substr(line == std::string::npos ? 0 : line + 1));
  }

  void PrintNode(const Node& node, int depth, bool is_root) {
    std::string inline_text;
    if (!node.IsContainer() || node.children.empty() || MayStayOnLine(node)) {
      AppendInline(inline_text, node);
    }
    const bool empty = node.children.empty() && node.dangling.empty();
    const bool fits = ColumnNow() + CountCodePoints(inline_text) + 1 <= kLineWidth;
    if (!node.IsContainer() || empty || (!is_root && MayStayOnLine(node) && fits)) {
      out_ += inline_text;
      return;
    }
    out_ += node.word;
    out_ += '\n';
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Node& child = node.children[i];
      if (child.blank_before && i > 0) out_ += '\n';
      PrintComments(child.before, depth + 1, true);
      Indent(depth + 1);
      if (!child.key.empty()) {
        out_ += child.key;
        out_ += ": ";
      }
      PrintNode(child, depth + 1, false);
      if (i + 1 < node.children.size()) out_ += ',';
      PrintBehind(child.behind);
      out_ += '\n';
    }
    PrintComments(node.dangling, depth + 1, node.children.empty());
    Indent(depth);
    out_ += node.word == "{" ? '}' : ']';
  }

  void PrintComments(const std::vector<Comment>& comments, int depth, bool first_takes_no_blank) {
    for (std::size_t i = 0; i < comments.size(); ++i) {
      if (comments[i].blank_before && !(first_takes_no_blank && i == 0)) out_ += '\n';
      Indent(depth);
      out_ += comments[i].text;
      out_ += '\n';
    }
  }

  // REQUIRES: only the last may be a line comment, which the reader sees to.
  void PrintBehind(const std::vector<Comment>& comments) {
    for (const Comment& comment : comments) {
      out_ += ' ';
      out_ += comment.text;
    }
  }

  void Indent(int depth) { out_.append(static_cast<std::size_t>(depth) * 2, ' '); }

  std::string out_;
};

}  // namespace

Result<std::string> FormatQualifier(std::string_view text, bool strict_json) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, {.allow_comments = true,
                                                                    .allow_trailing_commas = true,
                                                                    .allow_bom = true,
                                                                    .max_depth = kMaxDepth,
                                                                    .max_bytes = 1U << 20U}));
  static_cast<void>(json);
  TreeReader reader(text, !strict_json);
  const Node root = reader.ReadDocument();
  return Printer().Print(root, reader.after());
}

}  // namespace tablecast
