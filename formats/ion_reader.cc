#include "formats/ion_reader.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/utf8.h"

namespace tablecast {

namespace {

constexpr int kMaxDepth = kMaxNesting + 4;

// A recursive-descent reader of Ion text values with a depth budget; no user of it nests deeper than an item may.
class IonText {
 public:
  IonText(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  bool AtEnd() {
    SkipSpace();
    return at_ >= text_.size();
  }

  // A struct whose members are attributes.
  Result<Item> Struct(int depth);
  // Skips `$ion_1_0` version markers.
  void SkipMarkers() {
    SkipSpace();
    while (text_.substr(at_).starts_with("$ion_1_0")) {
      at_ += 8;
      SkipSpace();
    }
  }

 private:
  Error Fail(std::string message) const {
    TextPosition position;
    position.offset = at_;
    return MakeError(ErrorCode::kInvalidArgument, "ion-syntax", std::move(message), "", "", position);
  }
  void SkipSpace();
  bool Eat(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Result<std::string> FieldName();
  Result<std::string> QuotedText(std::string_view quote);
  Result<std::string> StringValue();
  Result<AttributeValue> Value(int depth);
  Result<AttributeValue> List(int depth, std::string_view annotation);
  Result<AttributeValue> Lob();
  Result<AttributeValue> NumberOrWord();

  std::string_view text_;
  std::size_t at_;
};

void IonText::SkipSpace() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_).starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return;  // the rest is no blank: whoever reads on says so
      at_ = end + 2;
    } else {
      return;
    }
  }
}

bool IsSymbolByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// The text between quotes of this kind, one character or three (the long form); at_ stands on the opening one.
Result<std::string> IonText::QuotedText(std::string_view quote) {
  std::string out;
  const std::size_t open = at_;
  at_ += quote.size();
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (text_.substr(at_).starts_with(quote)) {
      at_ += quote.size();
      if (!IsValidUtf8(out)) return Fail("the text is not UTF-8");
      return out;
    }
    if (c == '\r' && quote.size() > 1) {  // line breaks of the long form are \n whatever the file has
      out += '\n';
      at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
      continue;
    }
    if (c != '\\') {
      out += c;
      ++at_;
      continue;
    }
    if (++at_ >= text_.size()) break;
    const char escape = text_[at_++];
    const auto hex = [&](std::size_t digits) -> std::optional<char32_t> {
      if (at_ + digits > text_.size()) return std::nullopt;
      char32_t value = 0;
      for (std::size_t i = 0; i < digits; ++i) {
        const char h = text_[at_ + i];
        if (std::isxdigit(static_cast<unsigned char>(h)) == 0) return std::nullopt;
        value = value * 16 + static_cast<char32_t>(h <= '9' ? h - '0' : (h | 0x20) - 'a' + 10);
      }
      at_ += digits;
      return value;
    };
    switch (escape) {
      case '0': out += '\0'; break;
      case 'a': out += '\a'; break;
      case 'b': out += '\b'; break;
      case 't': out += '\t'; break;
      case 'n': out += '\n'; break;
      case 'f': out += '\f'; break;
      case 'r': out += '\r'; break;
      case 'v': out += '\v'; break;
      case '\n': break;
      case '\r': at_ += text_.substr(at_).starts_with("\n") ? 1 : 0; break;
      case 'x':
      case 'u':
      case 'U': {
        auto code = hex(escape == 'x' ? 2 : (escape == 'u' ? 4 : 8));
        if (code && *code >= 0xD800 && *code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
          at_ += 2;
          const auto low = hex(4);
          if (!low || *low < 0xDC00 || *low > 0xDFFF) return Fail("a lone surrogate");
          code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
        }
        if (!code || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF)) return Fail("a bad escape");
        AppendUtf8(out, *code);
        break;
      }
      default: out += escape; break;  // \\ \" \' \/ \?
    }
  }
  at_ = open;
  return Fail("this text is not closed");
}

// "..." or '''...''' '''...''' (long form, parts joined).
Result<std::string> IonText::StringValue() {
  if (text_[at_] == '"') return QuotedText("\"");
  std::string out;
  while (text_.substr(at_).starts_with("'''")) {
    TABLECAST_ASSIGN_OR_RETURN(const std::string part, QuotedText("'''"));
    out += part;
    SkipSpace();
  }
  return out;
}

Result<std::string> IonText::FieldName() {
  SkipSpace();
  if (at_ >= text_.size()) return Fail("a member name is due here");
  const char c = text_[at_];
  if (c == '"') return QuotedText("\"");
  if (c == '\'') return text_.substr(at_).starts_with("'''") ? StringValue() : QuotedText("'");
  const std::size_t begin = at_;
  while (at_ < text_.size() && IsSymbolByte(text_[at_])) ++at_;
  if (at_ == begin) return Fail("a member name is due here");
  return std::string(text_.substr(begin, at_ - begin));
}

Result<Item> IonText::Struct(int depth) {
  if (depth > kMaxDepth) return Fail("the item nests too deep");
  if (!Eat('{')) return Fail("a struct is due here");
  Item item;
  if (Eat('}')) return item;
  for (;;) {
    TABLECAST_ASSIGN_OR_RETURN(std::string name, FieldName());
    if (!Eat(':')) return Fail("a colon is due here");
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue value, Value(depth + 1));
    item.insert_or_assign(std::move(name), std::move(value));
    if (Eat('}')) return item;
    if (!Eat(',')) return Fail("a comma or } is due here");
    if (Eat('}')) return item;
  }
}

Result<AttributeValue> IonText::List(int depth, std::string_view annotation) {
  ++at_;
  AttributeValue::List elements;
  while (!Eat(']')) {
    if (!elements.empty() && !Eat(',')) return Fail("a comma or ] is due here");
    if (Eat(']')) break;
    TABLECAST_ASSIGN_OR_RETURN(AttributeValue value, Value(depth + 1));
    elements.push_back(std::move(value));
  }
  if (annotation.empty()) return AttributeValue::ListOf(std::move(elements));
  const auto type = AttributeTypeFromName(annotation.substr(std::string_view("$dynamodb_").size()));
  AttributeValue::Set set;
  for (const AttributeValue& element : elements) {
    if (type == AttributeType::kSS && element.Is(AttributeType::kS)) {
      set.push_back(element.text());
    } else if (type == AttributeType::kNS && element.Is(AttributeType::kN)) {
      set.push_back(element.number_code());
    } else if (type == AttributeType::kBS && element.Is(AttributeType::kB)) {
      set.push_back(element.bytes());
    } else {
      return Fail("a set holds an element of another type");
    }
  }
  return AttributeValue::SetOf(*type, std::move(set));
}

// {{ base64 }} is a blob; {{ "text" }} a clob, which DynamoDB has no type for.
Result<AttributeValue> IonText::Lob() {
  const std::size_t end = text_.find("}}", at_);
  if (end == std::string_view::npos) return Fail("this blob is not closed");
  std::string base64;
  for (const char c : text_.substr(at_ + 2, end - at_ - 2)) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) base64 += c;
  }
  auto bytes = DecodeBase64(base64);
  if (!bytes.ok()) return Fail("this blob is no base64");
  at_ = end + 2;
  return AttributeValue::Binary(*std::move(bytes));
}

Result<AttributeValue> IonText::NumberOrWord() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && (IsSymbolByte(text_[at_]) || text_[at_] == '.' || text_[at_] == '+' || text_[at_] == '-')) {
    ++at_;
  }
  std::string word(text_.substr(begin, at_ - begin));
  if (word == "true" || word == "false") return AttributeValue::Bool(word == "true");
  if (word == "null" || word.starts_with("null.")) return AttributeValue::Null();
  if (word.empty() || std::isalpha(static_cast<unsigned char>(word.front())) != 0 || word.find('T') != std::string::npos) {
    at_ = begin;
    return Fail(word.empty() ? "this is no value that an item can have" : "`" + word + "` is no value that an item can have");
  }
  // 103. and 6d2 are decimals; 1e3 a float whose text is exact as far as it goes.
  std::replace_if(word.begin(), word.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
  auto number = AttributeValue::NumberFromText(word);
  if (!number.ok()) {
    at_ = begin;
    Error error = Fail(number.error().message);
    error.reason = number.error().reason;
    return error;
  }
  return number;
}

Result<AttributeValue> IonText::Value(int depth) {
  if (depth > kMaxDepth) return Fail("the item nests too deep");
  SkipSpace();
  if (at_ >= text_.size()) return Fail("a value is due here");
  std::string annotation;
  if (text_[at_] == '$' || text_[at_] == '\'') {
    const std::size_t back = at_;
    if (!text_.substr(at_).starts_with("'''")) {
      TABLECAST_ASSIGN_OR_RETURN(annotation, FieldName());
      SkipSpace();
      if (!text_.substr(at_).starts_with("::")) {
        at_ = back;
        return Fail("a symbol is no DynamoDB value");
      }
      at_ += 2;
      SkipSpace();
      if (annotation != "$dynamodb_SS" && annotation != "$dynamodb_NS" && annotation != "$dynamodb_BS") {
        at_ = back;
        return Fail("unknown annotation `" + annotation + "`");
      }
      if (at_ >= text_.size() || text_[at_] != '[') return Fail("a set is written as a list");
    }
  }
  switch (text_[at_]) {
    case '[': return List(depth, annotation);
    case '{': {
      if (text_.substr(at_).starts_with("{{")) return Lob();
      TABLECAST_ASSIGN_OR_RETURN(Item members, Struct(depth));
      return AttributeValue::MapOf(std::move(members));
    }
    case '"':
    case '\'': {
      TABLECAST_ASSIGN_OR_RETURN(std::string text, StringValue());
      return AttributeValue::String(std::move(text));
    }
    default: return NumberOrWord();
  }
}

}  // namespace

Result<Item> ItemFromIon(std::string_view text) {
  IonText ion(text, 0);
  ion.SkipMarkers();
  return ion.Struct(0);
}

Status ReadIonDump(DumpCursor& cursor) {
  const std::string_view text = cursor.text();
  std::size_t at = cursor.options().start_offset;
  if (at == 0 && text.starts_with("\xef\xbb\xbf")) at = 3;
  while (at < text.size()) {
    // Records stand one a line; a broken one costs its line and no more.
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    if (at >= text.size()) break;
    IonText ion(text, at);
    ion.SkipMarkers();
    if (ion.AtEnd()) break;
    const std::size_t begin = ion.at();
    const DumpPlace place = cursor.PlaceAt(begin);
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    auto item = ion.Struct(0);
    if (!item.ok()) {
      Error error = item.error();
      error.position = {};
      if (!cursor.Fault(std::move(error), place, text.substr(begin, line_end - begin))) return {};
      at = line_end;
      continue;
    }
    at = ion.at();
    const auto wrapped = item->find("Item");
    if (item->size() != 1 || wrapped == item->end() || !wrapped->second.Is(AttributeType::kM)) {
      const Error error = MakeError(ErrorCode::kInvalidArgument, "ion-item", "a record is {Item:{...}}");
      if (!cursor.Fault(error, place, text.substr(begin, line_end - begin))) return {};
      continue;
    }
    DumpRecord record;
    record.item = std::move(wrapped->second.map());
    record.place = place;
    if (!cursor.Record(std::move(record))) return {};
  }
  return {};
}

}  // namespace tablecast
