#include "base/json_writer.h"

// Tested by tests/base/json_writer_test.cc. SOURCE: RFC 8259 section 7.

#include <bit>
#include <charconv>
#include <cstring>

#include "base/result.h"
#include "base/utf8.h"

namespace tablecast {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kHighBits = 0x8080808080808080U;

// The high bit of each byte of `word` that is a quote, a backslash, below 0x20 or over 0x7F. The
// lowest bit set is right; those above it may be wrong, as borrows run upward.
std::uint64_t SpecialBytes(std::uint64_t word) {
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  const std::uint64_t special =
      (quote - kOnes) | (backslash - kOnes) | (word - kOnes * 0x20) | word;
  return special & kHighBits;
}

bool IsPlainAscii(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

std::size_t SkipPlain(std::string_view text, std::size_t offset) {
  while (offset + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + offset, sizeof word);
    if (const std::uint64_t special = SpecialBytes(word); special != 0) {
      if constexpr (std::endian::native == std::endian::little) {
        return offset + static_cast<std::size_t>(std::countr_zero(special)) / 8;
      }
      break;
    }
    offset += 8;
  }
  while (offset < text.size() && IsPlainAscii(text[offset])) ++offset;
  return offset;
}

void AppendEscapedByte(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
  }
}

template <class Integer>
void AppendInteger(std::string& out, Integer value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

}  // namespace

void AppendJsonEscaped(std::string& out, std::string_view text) {
  std::size_t offset = 0;
  std::size_t run = 0;  // start of the bytes that are copied as they are
  while (true) {
    offset = SkipPlain(text, offset);
    if (offset == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte < 0x80) {
      out += text.substr(run, offset - run);
      AppendEscapedByte(out, byte);
      run = ++offset;
      continue;
    }
    const std::size_t begin = offset;
    // A decoded U+FFFD of one byte stands for a malformed one; the real character has three.
    if (DecodeUtf8(text, offset) == 0xFFFD && offset == begin + 1) {
      out += text.substr(run, begin - run);
      AppendUtf8(out, 0xFFFD);
      run = offset;
    }
  }
  out += text.substr(run);
}

JsonWriter::JsonWriter(std::string& out, Style style) : out_(out), style_(style) {}

void JsonWriter::NewLine() {
  if (style_ == Style::kCompact) return;
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  TABLECAST_CHECK(level.array);  // in an object a value follows a key
  if (!level.empty) out_ += ',';
  level.empty = false;
  NewLine();
}

JsonWriter& JsonWriter::BeginObject() {
  BeforeValue();
  out_ += '{';
  levels_.push_back({.array = false, .empty = true});
  return *this;
}

JsonWriter& JsonWriter::BeginArray() {
  BeforeValue();
  out_ += '[';
  levels_.push_back({.array = true, .empty = true});
  return *this;
}

JsonWriter& JsonWriter::EndObject() {
  TABLECAST_CHECK(!levels_.empty() && !levels_.back().array && !after_key_);
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) NewLine();
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::EndArray() {
  TABLECAST_CHECK(!levels_.empty() && levels_.back().array);
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) NewLine();
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  TABLECAST_CHECK(!levels_.empty() && !levels_.back().array && !after_key_);
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  level.empty = false;
  NewLine();
  out_ += '"';
  AppendJsonEscaped(out_, name);
  out_ += style_ == Style::kCompact ? "\":" : "\": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  BeforeValue();
  out_ += '"';
  AppendJsonEscaped(out_, value);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::RawNumber(std::string_view text) { return Raw(text); }

JsonWriter& JsonWriter::Int(std::int64_t value) {
  BeforeValue();
  AppendInteger(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Uint(std::uint64_t value) {
  BeforeValue();
  AppendInteger(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Raw("null"); }

JsonWriter& JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
  return *this;
}

}  // namespace tablecast
