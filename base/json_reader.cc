#include "base/json_reader.h"

// IMPLEMENTATION. RapidJSON's iterative SAX reader drives everything; two of its extension points
// are ours. SourceStream is an in-situ stream over bytes that must not change: a string without
// escapes is handed on as a view of the source, one with escapes is put together in a buffer.
// CheckedUtf8 is the encoding policy: the whole text is validated once before reading, so "validate
// one code point" becomes "skip a run of ordinary characters, eight bytes at a time", and code
// points from \u escapes are refused when they are lone surrogates (RapidJSON lets a lone low
// surrogate pass).
//
// RapidJSON takes a NUL byte for the end of the text; ReadWith therefore checks where it stopped.
// Tested by tests/base/json_reader_test.cc and tests/fuzz/json_fuzz.cc.

#include <rapidjson/reader.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "base/utf8.h"

namespace tablecast {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Destroying a tree recurses once per level.
constexpr int kMaxTreeDepth = 1000;
// RapidJSON counts in 32 bits.
constexpr std::size_t kMaxReaderBytes = std::numeric_limits<rapidjson::SizeType>::max();

// The high bit of each byte of `word` that is a quote, a backslash or below 0x20. The lowest bit
// set is right; those above it may be wrong, as borrows run upward.
std::uint64_t SpecialBytes(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHigh = 0x8080808080808080U;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  return (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
          ((word - kOnes * 0x20) & ~word)) &
         kHigh;
}

const char* SkipOrdinary(const char* p, const char* end) {
  while (end - p >= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if (const std::uint64_t special = SpecialBytes(word); special != 0) {
      if constexpr (std::endian::native == std::endian::little) {
        return p + std::countr_zero(special) / 8;
      }
      break;
    }
    p += 8;
  }
  while (p != end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
  return p;
}

// RapidJSON's stream concept; the members it calls keep its names.
class SourceStream {
 public:
  using Ch = char;  // NOLINT(readability-identifier-naming)

  explicit SourceStream(std::string_view text)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()) {}

  char Peek() const { return p_ != end_ ? *p_ : '\0'; }
  char Take() { return p_ != end_ ? *p_++ : '\0'; }
  std::size_t Tell() const { return static_cast<std::size_t>(p_ - begin_); }

  // Called behind the opening quote. The address it returns is not used: see Text().
  char* PutBegin() {
    string_begin_ = run_end_ = p_;
    buffered_ = false;
    return nullptr;
  }
  // An unescaped character, or the terminating NUL behind the closing quote. (A "\u0000" arrives by
  // Append instead.)
  void Put(char c) {
    if (c != '\0') Append(std::string_view(&c, 1));
  }
  std::size_t PutEnd(char*) { return 1; }
  void Flush() {}

  void SkipRun() {
    const char* const run = p_;
    run_end_ = p_ = SkipOrdinary(p_, end_);
    if (buffered_) buffer_.append(run, p_);
  }
  void Append(std::string_view bytes) {
    if (!buffered_) {
      buffer_.assign(string_begin_, run_end_);
      buffered_ = true;
    }
    buffer_ += bytes;
  }
  void AppendCodePoint(unsigned code_point) {
    constexpr std::size_t kEscapeBytes = 6;  // \uXXXX, just read
    if (code_point >= 0xD800 && code_point <= 0xDFFF && !lone_surrogate_) {
      lone_surrogate_ = Tell() - kEscapeBytes;
    }
    std::string bytes;
    AppendUtf8(bytes, code_point);
    Append(bytes);
  }

  // The string just read. BORROWS: the source, or a buffer that the next string reuses.
  std::string_view Text() const {
    return buffered_ ? std::string_view(buffer_)
                     : std::string_view(string_begin_,
                                        static_cast<std::size_t>(run_end_ - string_begin_));
  }
  // Offset of the opening quote of the string just read.
  std::size_t StringOffset() const { return static_cast<std::size_t>(string_begin_ - begin_) - 1; }
  // The last `length` bytes before the current place.
  std::string_view Last(std::size_t length) const { return {p_ - length, length}; }
  // Offset of the first escape that gave half of a surrogate pair.
  std::optional<std::size_t> lone_surrogate() const { return lone_surrogate_; }

 private:
  const char* begin_;
  const char* p_;
  const char* end_;
  const char* string_begin_ = nullptr;
  const char* run_end_ = nullptr;  // end of the source bytes that the string consists of so far
  bool buffered_ = false;
  std::optional<std::size_t> lone_surrogate_;
  std::string buffer_;
};

// RapidJSON's encoding concept. The templates without effect exist because RapidJSON also compiles
// the paths of its other stream kinds; they are never run.
struct CheckedUtf8 {
  using Ch = char;  // NOLINT(readability-identifier-naming)
  enum { supportUnicode = 1 };

  static void Encode(SourceStream& out, unsigned code_point) { out.AppendCodePoint(code_point); }
  static bool Validate(SourceStream& in, SourceStream&) {
    in.SkipRun();
    return true;
  }
  template <class Out>
  static void Encode(Out&, unsigned) {}
  template <class In, class Out>
  static bool Validate(In&, Out&) {
    return false;
  }
};

// Why a handler made the reader stop.
enum class Stop { kNone, kDepth, kLoneSurrogate, kHandler };

// Translates RapidJSON's events and keeps the depth budget. `Sink` has the methods of JsonHandler
// with offsets.
template <class Sink>
class Adapter {
 public:
  Adapter(SourceStream& stream, Sink& sink, int max_depth)
      : stream_(stream), sink_(sink), max_depth_(max_depth) {}

  bool Null() { return Check(sink_.Null(stream_.Tell() - 4, stream_.Tell())); }
  bool Bool(bool value) {
    return Check(sink_.Bool(value, stream_.Tell() - (value ? 4 : 5), stream_.Tell()));
  }
  bool RawNumber(const char*, rapidjson::SizeType length, bool) {
    return Check(sink_.Number(stream_.Last(length), stream_.Tell() - length, stream_.Tell()));
  }
  bool String(const char*, rapidjson::SizeType, bool) {
    return CheckText() &&
           Check(sink_.String(stream_.Text(), stream_.StringOffset(), stream_.Tell()));
  }
  bool Key(const char*, rapidjson::SizeType, bool) {
    return CheckText() && Check(sink_.Key(stream_.Text(), stream_.StringOffset(), stream_.Tell()));
  }
  // The reader calls these four before it takes the bracket.
  bool StartObject() { return Enter() && Check(sink_.StartObject(stream_.Tell())); }
  bool StartArray() { return Enter() && Check(sink_.StartArray(stream_.Tell())); }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    return Check(sink_.EndObject(stream_.Tell() + 1));
  }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return Check(sink_.EndArray(stream_.Tell() + 1));
  }
  // Numbers arrive as text; RapidJSON compiles these, but never calls them.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

  Stop stop() const { return stop_; }

 private:
  bool Enter() {
    if (++depth_ <= max_depth_) return true;
    stop_ = Stop::kDepth;
    return false;
  }
  bool CheckText() {
    if (stream_.lone_surrogate()) stop_ = Stop::kLoneSurrogate;
    return stop_ == Stop::kNone;
  }
  bool Check(bool goes_on) {
    if (!goes_on) stop_ = Stop::kHandler;
    return goes_on;
  }

  SourceStream& stream_;
  Sink& sink_;
  int max_depth_;
  int depth_ = 0;
  Stop stop_ = Stop::kNone;
};

// Forwards to the caller's handler, which has no use for offsets.
class EventSink {
 public:
  explicit EventSink(JsonHandler& handler) : handler_(handler) {}
  bool Null(std::size_t, std::size_t) { return handler_.Null(); }
  bool Bool(bool value, std::size_t, std::size_t) { return handler_.Bool(value); }
  bool Number(std::string_view raw, std::size_t, std::size_t) { return handler_.Number(raw); }
  bool String(std::string_view text, std::size_t, std::size_t) { return handler_.String(text); }
  bool Key(std::string_view name, std::size_t, std::size_t) { return handler_.Key(name); }
  bool StartObject(std::size_t) { return handler_.StartObject(); }
  bool StartArray(std::size_t) { return handler_.StartArray(); }
  bool EndObject(std::size_t) { return handler_.EndObject(); }
  bool EndArray(std::size_t) { return handler_.EndArray(); }

 private:
  JsonHandler& handler_;
};

// Builds a tree. Offsets arrive in ascending order, so that lines and columns cost one walk in all.
class TreeSink {
 public:
  // `offset_base`: bytes in front of `text` in the caller's text.
  TreeSink(std::string_view text, std::size_t offset_base)
      : text_(text), offset_base_(offset_base) {
    position_ = {.line = 1, .column = 1, .offset = offset_base};
  }

  bool Null(std::size_t begin, std::size_t end) {
    Scalar(JsonType::kNull, begin, end);
    return true;
  }
  bool Bool(bool value, std::size_t begin, std::size_t end) {
    Scalar(JsonType::kBool, begin, end).boolean = value;
    return true;
  }
  bool Number(std::string_view raw, std::size_t begin, std::size_t end) {
    Scalar(JsonType::kNumber, begin, end).text = raw;
    return true;
  }
  bool String(std::string_view text, std::size_t begin, std::size_t end) {
    Scalar(JsonType::kString, begin, end).text = text;
    return true;
  }
  bool Key(std::string_view name, std::size_t begin, std::size_t end) {
    JsonMember& member = open_.back()->members.emplace_back();
    member.name = name;
    member.name_span.begin = MoveTo(begin);
    member.name_span.end = MoveTo(end);
    return true;
  }
  bool StartObject(std::size_t begin) { return Open(JsonType::kObject, begin); }
  bool StartArray(std::size_t begin) { return Open(JsonType::kArray, begin); }
  bool EndObject(std::size_t end) { return Close(end); }
  bool EndArray(std::size_t end) { return Close(end); }

  JsonValue TakeRoot() { return std::move(root_); }

 private:
  // The place for the next value. An open container is the last element of its parent, which does
  // not grow meanwhile: the pointers in open_ stay valid.
  JsonValue& Place() {
    if (open_.empty()) return root_;
    JsonValue& parent = *open_.back();
    return parent.type == JsonType::kArray ? parent.elements.emplace_back()
                                           : parent.members.back().value;
  }
  JsonValue& Scalar(JsonType type, std::size_t begin, std::size_t end) {
    JsonValue& value = Place();
    value.type = type;
    value.span.begin = MoveTo(begin);
    value.span.end = MoveTo(end);
    return value;
  }
  bool Open(JsonType type, std::size_t begin) {
    JsonValue& value = Place();
    value.type = type;
    value.span.begin = MoveTo(begin);
    open_.push_back(&value);
    return true;
  }
  bool Close(std::size_t end) {
    open_.back()->span.end = MoveTo(end);
    open_.pop_back();
    return true;
  }
  TextPosition MoveTo(std::size_t offset) {
    for (; walked_ < offset; ++walked_) {
      const auto byte = static_cast<unsigned char>(text_[walked_]);
      if (byte == '\n') {
        ++position_.line;
        position_.column = 1;
      } else if ((byte & 0xC0U) != 0x80U) {
        ++position_.column;
      }
    }
    position_.offset = offset_base_ + offset;
    return position_;
  }

  std::string_view text_;
  std::size_t offset_base_;
  std::size_t walked_ = 0;
  TextPosition position_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
};

std::string SyntaxMessage(rapidjson::ParseErrorCode code, std::string_view text,
                          std::size_t offset) {
  const bool at_end = offset >= text.size();
  const unsigned char byte = at_end ? 0 : static_cast<unsigned char>(text[offset]);
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty: return "the text holds no JSON value";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "text after the end of the JSON value";
    case rapidjson::kParseErrorValueInvalid:
      return at_end ? "the text ends where a value is due" : "a JSON value is due here";
    case rapidjson::kParseErrorObjectMissName:
      return at_end ? "the text ends inside an object"
                    : "a member name in double quotes is due here";
    case rapidjson::kParseErrorObjectMissColon: return "a colon is due after the member name";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return at_end ? "the text ends inside an object" : "a comma or } is due after a member";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return at_end ? "the text ends inside an array" : "a comma or ] is due after an element";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "four hexadecimal digits are due after \\u";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return byte == '\\' ? "unknown escape in a string"
                          : "a control character in a string must be written as an escape";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return at_end ? "the text ends inside a string"
                    : "a control character in a string must be written as an escape";
    case rapidjson::kParseErrorNumberTooBig: return "number of 10^308 or more";
    case rapidjson::kParseErrorNumberMissFraction: return "a digit is due after the decimal point";
    case rapidjson::kParseErrorNumberMissExponent: return "a digit is due in the exponent";
    default: return at_end ? "the text ends inside a comment" : "no valid JSON";
  }
}

// The caller's text without its byte order mark, and how to speak of places in it.
struct Source {
  std::string_view text;
  std::size_t offset_base = 0;

  TextPosition Position(std::size_t offset) const {
    // Editors do not count the mark as a column; as a byte it counts.
    TextPosition position = PositionAt(text, offset);
    position.offset += offset_base;
    return position;
  }
  Error Syntax(std::string message, std::size_t offset) const {
    return MakeError(ErrorCode::kInvalidArgument, "json-syntax", std::move(message), {}, {},
                     Position(offset));
  }
  Error Encoding(std::string message, std::size_t offset) const {
    return MakeError(ErrorCode::kInvalidArgument, "json-encoding", std::move(message), {}, {},
                     Position(offset));
  }
};

Result<Source> Admit(std::string_view text, const JsonOptions& options) {
  const std::size_t limit = std::min(options.max_bytes, kMaxReaderBytes);
  if (text.size() > limit) {
    return MakeError(ErrorCode::kResourceExhausted, "json-too-large",
                     "JSON text of " + std::to_string(text.size()) + " bytes; the limit is " +
                         std::to_string(limit));
  }
  Source source{text};
  if (text.starts_with(kByteOrderMark)) {
    if (!options.allow_bom) return source.Syntax("a byte order mark is not allowed here", 0);
    source.text.remove_prefix(kByteOrderMark.size());
    source.offset_base = kByteOrderMark.size();
  }
  if (const auto bad = FindInvalidUtf8(source.text)) {
    return source.Encoding("JSON text must be UTF-8", *bad);
  }
  return source;
}

template <unsigned flags, class Sink>
Status ReadWith(const Source& source, Sink& sink, int max_depth) {
  constexpr unsigned kFlags = flags | rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag |
                              rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseValidateEncodingFlag;
  SourceStream stream(source.text);
  Adapter<Sink> adapter(stream, sink, max_depth);
  rapidjson::GenericReader<CheckedUtf8, CheckedUtf8> reader;
  const rapidjson::ParseResult result = reader.template Parse<kFlags>(stream, adapter);
  switch (adapter.stop()) {
    case Stop::kNone: break;
    case Stop::kDepth:
      return MakeError(ErrorCode::kResourceExhausted, "json-depth",
                       "arrays and objects nest deeper than " + std::to_string(max_depth), {}, {},
                       source.Position(stream.Tell()));
    case Stop::kLoneSurrogate: break;
    case Stop::kHandler:
      return MakeError(ErrorCode::kAborted, "json-stopped", "reading JSON was stopped", {}, {},
                       source.Position(stream.Tell()));
  }
  if (result.IsError()) {
    std::optional<std::size_t> half = stream.lone_surrogate();
    if (result.Code() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid && !half) {
      half = result.Offset();
    }
    if (half) return source.Encoding("a \\u escape gives half of a surrogate pair", *half);
    return source.Syntax(SyntaxMessage(result.Code(), source.text, result.Offset()),
                         result.Offset());
  }
  if (stream.Tell() != source.text.size()) {
    return source.Syntax("a NUL character is no part of JSON", stream.Tell());
  }
  return {};
}

template <class Sink>
Status Read(const Source& source, Sink& sink, const JsonOptions& options, int max_depth) {
  constexpr unsigned kComments = rapidjson::kParseCommentsFlag;
  constexpr unsigned kCommas = rapidjson::kParseTrailingCommasFlag;
  if (options.allow_comments) {
    return options.allow_trailing_commas ? ReadWith<kComments | kCommas>(source, sink, max_depth)
                                         : ReadWith<kComments>(source, sink, max_depth);
  }
  return options.allow_trailing_commas ? ReadWith<kCommas>(source, sink, max_depth)
                                       : ReadWith<0>(source, sink, max_depth);
}

}  // namespace

const JsonValue* JsonValue::Find(std::string_view name) const {
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [name](const JsonMember& member) { return member.name == name; });
  return found == members.rend() ? nullptr : &found->value;
}

Result<JsonValue> ParseJson(std::string_view text, const JsonOptions& options) {
  TABLECAST_ASSIGN_OR_RETURN(const Source source, Admit(text, options));
  TreeSink sink(source.text, source.offset_base);
  TABLECAST_RETURN_IF_ERROR(
      Read(source, sink, options, std::min(options.max_depth, kMaxTreeDepth)));
  return sink.TakeRoot();
}

Status ReadJsonEvents(std::string_view text, JsonHandler& handler, const JsonOptions& options) {
  TABLECAST_ASSIGN_OR_RETURN(const Source source, Admit(text, options));
  EventSink sink(handler);
  return Read(source, sink, options, options.max_depth);
}

}  // namespace tablecast
