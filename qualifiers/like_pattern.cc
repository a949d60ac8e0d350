// IMPLEMENTATION: the pattern falls into segments between its `%`. The first is matched at the
// start, the last at the end, each other one at its leftmost place: leftmost is never worse, so
// nothing is tried twice. Tested by like_pattern_test against a backtracking oracle.

#include "qualifiers/like_pattern.h"

#include "base/json_writer.h"
#include "base/utf8.h"

namespace tablecast {
namespace {

// Advances over `count` code points; false when the text ends before.
bool SkipCodePoints(std::string_view text, std::size_t count, std::size_t& offset) {
  for (; count > 0; --count) {
    if (offset >= text.size()) return false;
    ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U)
      ++offset;
  }
  return true;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

LikePattern::LikePattern(std::string_view pattern) {
  segments_.emplace_back();
  const auto last_piece = [this]() -> Piece& {
    if (segments_.back().empty()) segments_.back().emplace_back();
    return segments_.back().back();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '%') {
      segments_.emplace_back();
      continue;
    }
    if (c == '_') {
      Piece& piece = last_piece();
      if (piece.literal.empty()) {
        ++piece.skip;
      } else {
        segments_.back().push_back({"", 1});
      }
      continue;
    }
    if (c == '\\' && i + 1 < pattern.size()) c = pattern[++i];
    last_piece().literal += c;
  }
  Classify();
}

void LikePattern::Classify() {
  const Segment& first = segments_.front();
  if (!first.empty() && first.front().skip == 0) literal_prefix_ = first.front().literal;

  bool has_skip = false;
  for (const Segment& segment : segments_) {
    for (const Piece& piece : segment) has_skip = has_skip || piece.skip > 0;
  }
  if (has_skip) return;
  // "%%" means "%": drop empty segments in the middle.
  std::vector<const Segment*> middle;
  for (std::size_t i = 1; i + 1 < segments_.size(); ++i) {
    if (!segments_[i].empty()) middle.push_back(&segments_[i]);
  }
  const bool has_first = !first.empty();
  const bool has_last = segments_.size() > 1 && !segments_.back().empty();
  if (segments_.size() == 1) {
    shape_ = Shape::kEquality;
  } else if (middle.empty()) {
    if (has_last) tail_ = segments_.back().front().literal;
    shape_ = has_first ? (has_last ? Shape::kAffixes : Shape::kPrefix)
                       : (has_last ? Shape::kSuffix : Shape::kAny);
  } else if (middle.size() == 1 && !has_first && !has_last) {
    tail_ = middle.front()->front().literal;
    shape_ = Shape::kContains;
  }
}

bool LikePattern::Matches(std::string_view text) const {
  switch (shape_) {
    case Shape::kEquality: return text == literal_prefix_;
    case Shape::kAny: return true;
    case Shape::kPrefix: return text.starts_with(literal_prefix_);
    case Shape::kSuffix: return text.ends_with(tail_);
    case Shape::kContains: return text.find(tail_) != std::string_view::npos;
    case Shape::kAffixes:
      return text.size() >= literal_prefix_.size() + tail_.size() &&
             text.starts_with(literal_prefix_) && text.ends_with(tail_);
    case Shape::kGeneral: break;
  }
  std::size_t offset = 0;
  if (!MatchAt(segments_.front(), text, offset)) return false;
  if (segments_.size() == 1) return offset == text.size();
  for (std::size_t i = 1; i + 1 < segments_.size(); ++i) {
    if (!FindFrom(segments_[i], text, offset)) return false;
  }
  return MatchAtEnd(segments_.back(), text, offset);
}

bool LikePattern::MatchAt(const Segment& segment, std::string_view text, std::size_t& offset) {
  for (const Piece& piece : segment) {
    if (!SkipCodePoints(text, piece.skip, offset)) return false;
    if (text.compare(offset, piece.literal.size(), piece.literal) != 0) return false;
    offset += piece.literal.size();
  }
  return true;
}

bool LikePattern::FindFrom(const Segment& segment, std::string_view text, std::size_t& offset) {
  if (segment.empty()) return true;
  // A literal without `_` before it is found by search; otherwise every code point is a candidate.
  const bool literal_first = segment.front().skip == 0;
  for (std::size_t start = offset; start <= text.size();) {
    if (literal_first) {
      start = text.find(segment.front().literal, start);
      if (start == std::string_view::npos) return false;
    }
    std::size_t end = start;
    if (MatchAt(segment, text, end)) {
      offset = end;
      return true;
    }
    ++start;
    while (start < text.size() && IsContinuation(text[start])) ++start;
  }
  return false;
}

bool LikePattern::MatchAtEnd(const Segment& segment, std::string_view text, std::size_t from) {
  std::size_t end = text.size();
  for (std::size_t i = segment.size(); i-- > 0;) {
    const Piece& piece = segment[i];
    if (end < piece.literal.size() + from) return false;
    if (text.compare(end - piece.literal.size(), piece.literal.size(), piece.literal) != 0)
      return false;
    end -= piece.literal.size();
    for (std::size_t skip = piece.skip; skip > 0; --skip) {
      if (end <= from) return false;
      --end;
      while (end > from && IsContinuation(text[end])) --end;
    }
  }
  return true;
}

std::optional<std::size_t> LikePattern::FindTrailingEscape(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    if (i + 1 == pattern.size()) return i;
    ++i;
  }
  return std::nullopt;
}

std::string LikePattern::Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

Result<std::string> LikeToJson(std::string_view pattern) {
  if (const auto invalid = FindInvalidUtf8(pattern)) {
    return MakeError(ErrorCode::kInvalidArgument, "like-encoding", "the pattern is not valid UTF-8",
                     "like", "give it as UTF-8", PositionAt(pattern, *invalid));
  }
  if (const auto escape = LikePattern::FindTrailingEscape(pattern)) {
    return MakeError(ErrorCode::kInvalidArgument, "like-trailing-escape",
                     "the `\\` at the end of the pattern escapes nothing", "like",
                     "write `\\\\` for a backslash", PositionAt(pattern, *escape));
  }
  constexpr std::string_view kShapeNames[] = {"equality", "any",     "prefix", "suffix",
                                              "contains", "affixes", "general"};
  const LikePattern compiled(pattern);
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("kind").String("like");
  json.Key("shape").String(kShapeNames[static_cast<std::size_t>(compiled.shape())]);
  json.Key("prefix").String(compiled.literal_prefix());
  json.Key("parts").BeginArray();
  const auto part = [&](std::string_view kind, std::string_view literal, std::size_t begin,
                        std::size_t end) {
    json.BeginObject().Key("kind").String(kind);
    if (kind == "literal") json.Key("value").String(literal);
    json.Key("at").BeginArray().Uint(begin).Uint(end).EndArray().EndObject();
  };
  std::string literal;
  std::size_t literal_begin = 0;
  const auto flush = [&](std::size_t end) {
    if (!literal.empty()) part("literal", literal, literal_begin, end);
    literal.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' || pattern[i] == '_') {
      flush(i);
      part(pattern[i] == '%' ? "any-run" : "any-one", "", i, i + 1);
      continue;
    }
    if (literal.empty()) literal_begin = i;
    if (pattern[i] == '\\') ++i;
    literal += pattern[i];
  }
  flush(pattern.size());
  json.EndArray().EndObject();
  return out;
}

}  // namespace tablecast
