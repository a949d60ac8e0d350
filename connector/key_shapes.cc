// IMPLEMENTATION of key_shapes.h: a work list of nodes, each a set of samples that share the fixed
// text so far. At a node the next words are judged: fixed words open a node each, the rest is a
// variable, behind which further fixed words are looked for. Tested by
// tests/connector/key_shapes_test.cc.

#include "connector/key_shapes.h"

#include <algorithm>
#include <array>
#include <map>

namespace tablecast {

namespace {

constexpr std::size_t kMaxWord = 40;      // bytes of a fixed word
constexpr std::size_t kMaxParts = 9;      // of a shape; the rest is one variable
constexpr std::size_t kMaxCompared = 12;  // attribute sets compared pairwise

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

enum class Word { kNone, kWeak, kLower, kUpper };

// kUpper: letters without a small one; kLower: letters; kWeak: letters, then digits too ("v0").
Word WordOf(std::string_view text) {
  if (text.empty() || text.size() > kMaxWord) return Word::kNone;
  if (!IsUpper(text[0]) && !IsLower(text[0]) && text[0] != '_') return Word::kNone;
  bool lower = false, digits = false, letters = false;
  for (const char c : text) {
    if (IsLower(c))
      lower = letters = true;
    else if (IsUpper(c))
      letters = true;
    else if (IsDigit(c))
      digits = true;
    else if (c != '_' && c != '-' && c != '$')
      return Word::kNone;
  }
  if (!letters) return Word::kNone;
  if (digits) return Word::kWeak;
  return lower ? Word::kLower : Word::kUpper;
}

// The next word of a value: separators in front, the word, one separator behind when more follows.
struct Token {
  std::string_view text;
  std::string_view word;
  bool more = false;
};

Token NextToken(std::string_view rest, char separator) {
  std::size_t begin = 0;
  while (begin < rest.size() && rest[begin] == separator) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && rest[end] != separator) ++end;
  Token token;
  token.word = rest.substr(begin, end - begin);
  token.more = end < rest.size();
  token.text = rest.substr(0, token.more ? end + 1 : end);
  return token;
}

// The separator that most values have behind a leading word. Punctuation that identifiers hold
// themselves (dashes of dates and UUIDs, dots of addresses) is taken only when nothing better is
// there.
char ChooseSeparator(const std::vector<KeySample>& samples) {
  constexpr std::string_view kStrong = "#|/~$";
  constexpr std::string_view kWeak = ":_-.";
  const auto score = [&](char separator) {
    std::size_t count = 0;
    for (const KeySample& sample : samples) {
      const Token token = NextToken(sample.value, separator);
      const bool led = !token.text.empty() && token.text.front() == separator;
      if (WordOf(token.word) >= Word::kLower && (token.more || led)) ++count;
    }
    return count;
  };
  char best = '#';
  std::size_t most = 0;
  for (const char separator : kStrong) {
    if (const std::size_t count = score(separator); count > most) {
      most = count;
      best = separator;
    }
  }
  if (most * 20 >= samples.size() && most > 0) return best;
  for (const char separator : kWeak) {
    if (const std::size_t count = score(separator); count > most && count * 2 >= samples.size()) {
      most = count;
      best = separator;
    }
  }
  return best;
}

struct TokenGroup {
  Word kind = Word::kNone;
  bool more = false;
  std::vector<std::size_t> samples;
  std::set<std::string_view> rests;    // distinct continuations, at most 3 kept
  std::set<std::uint32_t> attributes;  // of all samples
};

struct Node {
  std::vector<std::size_t> samples;
  KeyShape shape;
  std::size_t at = 0;  // not used for variables: offsets are per sample
  bool after_literal = false;
};

class Learner {
 public:
  explicit Learner(const std::vector<KeySample>& samples)
      : samples_(samples), offsets_(samples.size(), 0) {
    result_.shape_of.assign(samples.size(), 0);
  }

  KeyShapes Run() {
    separator_ = ChooseSeparator(samples_);
    Node root;
    root.shape.separator = separator_;
    for (std::size_t i = 0; i < samples_.size(); ++i) root.samples.push_back(i);
    work_.push_back(std::move(root));
    while (!work_.empty()) {
      Node node = std::move(work_.back());
      work_.pop_back();
      Process(std::move(node));
    }
    return std::move(result_);
  }

 private:
  std::string_view Rest(std::size_t sample) const {
    return samples_[sample].value.substr(offsets_[sample]);
  }

  void Finish(const KeyShape& shape, const std::vector<std::size_t>& samples) {
    if (samples.empty()) return;
    const auto found = std::find(result_.shapes.begin(), result_.shapes.end(), shape);
    const auto index = static_cast<std::size_t>(found - result_.shapes.begin());
    if (found == result_.shapes.end()) result_.shapes.push_back(shape);
    for (const std::size_t sample : samples) result_.shape_of[sample] = index;
  }

  static void AddLiteral(KeyShape& shape, std::string_view text) {
    if (!shape.parts.empty() && !shape.parts.back().variable()) {
      shape.parts.back().literal += text;
    } else {
      shape.parts.push_back({std::string(text)});
    }
  }

  // Which of the words at this place are fixed.
  std::set<std::string_view> FixedWords(const std::map<std::string_view, TokenGroup>& groups,
                                        bool after_literal, bool after_variable) const {
    std::set<std::string_view> fixed;
    for (const bool more : {true, false}) {
      std::array<std::vector<std::string_view>, 3> words;  // weak, lower, upper
      for (const auto& [text, group] : groups) {
        if (group.more == more && group.kind != Word::kNone)
          words[static_cast<std::size_t>(group.kind) - 1].push_back(text);
      }
      const auto different = [&](const std::vector<std::string_view>& texts) {
        std::vector<std::set<std::uint32_t>> sets;
        for (const std::string_view text : texts) sets.push_back(groups.at(text).attributes);
        return LookDifferent(sets);
      };
      const auto continued = [&](const std::vector<std::string_view>& texts, std::size_t least) {
        return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
          return groups.at(text).rests.size() >= least;
        });
      };
      const auto repeated = [&](const std::vector<std::string_view>& texts) {
        return std::all_of(texts.begin(), texts.end(), [&](std::string_view text) {
          return groups.at(text).samples.size() >= 2;
        });
      };
      const auto take = [&](const std::vector<std::string_view>& texts) {
        fixed.insert(texts.begin(), texts.end());
      };
      const auto& [weak, lower, upper] = words;
      // Behind a fixed word comes an identifier, unless the words plainly tell record types apart.
      if (after_literal) {
        // With more levels behind it, the word names a tenant or an owner rather than a type.
        const auto levels = [&](std::string_view text) {
          const auto& rests = groups.at(text).rests;
          return std::any_of(rests.begin(), rests.end(), [&](std::string_view rest) {
            return rest.find(separator_) != rest.npos;
          });
        };
        const bool deep = std::any_of(upper.begin(), upper.end(), levels);
        if (!deep && !upper.empty() &&
            (upper.size() == 1 ? repeated(upper) && !more
                               : upper.size() <= 20 && different(upper))) {
          take(upper);
        }
        if (!more && lower.size() >= 2 && lower.size() <= 8 && different(lower) && repeated(lower))
          take(lower);
        continue;
      }
      if (more || after_variable) {
        if (upper.size() <= 50) take(upper);
        if (!lower.empty() && lower.size() <= 50) {
          // Behind a variable two words with the same attributes are names (alice#core, alice#docs).
          const bool names = after_variable && lower.size() > 1 && !different(lower);
          const bool few =
              lower.size() <= 3 && !names && (more ? continued(lower, 2) : repeated(lower));
          if (few || (lower.size() >= 2 && different(lower) &&
                      (more ? continued(lower, 2) : repeated(lower))))
            take(lower);
        }
        if (more && !weak.empty() && weak.size() <= 2 && continued(weak, 3)) take(weak);
      } else {
        // Whole values: constants, unless they are many alike (country codes, user names).
        if (upper.size() <= 2 || (upper.size() <= 50 && different(upper))) take(upper);
        if (lower.size() == 1
                ? groups.at(lower[0]).samples.size() >= 3
                : lower.size() <= 12 && !lower.empty() && different(lower) && repeated(lower)) {
          take(lower);
        }
      }
    }
    return fixed;
  }

  void Process(Node node) {
    std::vector<std::size_t> ended;
    std::map<std::string_view, TokenGroup> groups;
    for (const std::size_t sample : node.samples) {
      const std::string_view rest = Rest(sample);
      if (rest.empty()) {
        ended.push_back(sample);
        continue;
      }
      const Token token = NextToken(rest, separator_);
      TokenGroup& group = groups[token.text];
      group.kind = WordOf(token.word);
      group.more = token.more;
      group.samples.push_back(sample);
      if (group.rests.size() < 3) group.rests.insert(rest.substr(token.text.size()));
      if (samples_[sample].attributes != nullptr) {
        group.attributes.insert(samples_[sample].attributes->begin(),
                                samples_[sample].attributes->end());
      }
    }
    Finish(node.shape, ended);
    const bool after_variable = !node.shape.parts.empty() && node.shape.parts.back().variable();
    const bool room = node.shape.parts.size() < kMaxParts;
    const std::set<std::string_view> fixed =
        room ? FixedWords(groups, node.after_literal, after_variable)
             : std::set<std::string_view>();
    std::vector<std::size_t> varying;
    for (auto& [text, group] : groups) {
      if (!fixed.contains(text)) {
        varying.insert(varying.end(), group.samples.begin(), group.samples.end());
        continue;
      }
      Node next;
      next.shape = node.shape;
      next.after_literal = true;
      AddLiteral(next.shape, text);
      for (const std::size_t sample : group.samples) offsets_[sample] += text.size();
      next.samples = std::move(group.samples);
      work_.push_back(std::move(next));
    }
    if (varying.empty()) return;
    if (after_variable) {
      // A variable behind a variable: both are one.
      Finish(node.shape, varying);
      return;
    }
    KeyShape shape = node.shape;
    shape.parts.push_back({});
    Node next;
    next.shape = shape;
    std::vector<std::size_t> whole;
    for (const std::size_t sample : varying) {
      const Token token = NextToken(Rest(sample), separator_);
      if (!token.more || !room) {
        whole.push_back(sample);
        continue;
      }
      offsets_[sample] += token.text.size() - 1;  // the separator belongs to what follows
      next.samples.push_back(sample);
    }
    Finish(shape, whole);
    if (!next.samples.empty()) work_.push_back(std::move(next));
  }

  const std::vector<KeySample>& samples_;
  std::vector<std::size_t> offsets_;
  char separator_ = '#';
  std::vector<Node> work_;
  KeyShapes result_;
};

}  // namespace

std::size_t KeyShape::Variables() const {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const Part& part) { return part.variable(); }));
}

std::string KeyShape::Text() const {
  std::string out;
  for (const Part& part : parts) out += part.variable() ? "{}" : part.literal;
  return out;
}

std::string KeyShape::Constant() const { return parts.front().literal; }

std::string KeyShape::Head() const {
  return parts.empty() || parts.front().variable() ? "" : parts.front().literal;
}

std::string KeyShape::LikePattern() const {
  std::string out;
  for (const Part& part : parts) {
    if (part.variable()) out += '%';
    for (const char c : part.literal) {
      if (c == '%' || c == '_' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string KeyShape::Regex() const {
  std::string out = "^";
  for (const Part& part : parts) {
    if (part.variable()) {
      out += "[^";
      if (separator == '-') out += '\\';
      out += separator;
      out += "]+";
    }
    for (const char c : part.literal) {
      if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out + "$";
}

bool KeyShape::MatchesLike(std::string_view value) const {
  std::size_t at = 0;
  bool open = false;  // a wildcard is waiting
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].variable()) {
      open = true;
      continue;
    }
    const std::string& literal = parts[i].literal;
    if (open && i + 1 == parts.size())
      return value.size() >= at + literal.size() && value.ends_with(literal);
    const std::size_t found = value.find(literal, at);
    if (found == std::string_view::npos || (!open && found != at)) return false;
    at = found + literal.size();
    open = false;
  }
  return open || at == value.size();
}

std::vector<std::string> KeyShape::Split(std::string_view value) const {
  std::vector<std::string> out;
  if (!MatchesLike(value)) return out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].variable()) {
      at += parts[i].literal.size();
      continue;
    }
    std::size_t end = value.size();
    if (i + 1 < parts.size()) {
      const bool last = i + 2 == parts.size();
      end =
          last ? value.size() - parts[i + 1].literal.size() : value.find(parts[i + 1].literal, at);
    }
    if (end == std::string_view::npos || end < at) return {};
    out.emplace_back(value.substr(at, end - at));
    at = end;
  }
  return out;
}

bool KeyShape::MatchesExactly(std::string_view value) const {
  if (!MatchesLike(value)) return false;
  if (Variables() == 0) return true;
  const std::vector<std::string> values = Split(value);
  return !values.empty() && std::all_of(values.begin(), values.end(), [&](const std::string& part) {
    return !part.empty() && part.find(separator) == std::string::npos;
  });
}

KeyShapes LearnKeyShapes(const std::vector<KeySample>& samples) { return Learner(samples).Run(); }

bool IsOfClass(std::string_view value, ValueClass value_class) {
  // One letter of the pattern a character: 9 digit, x hex digit, U base 32, anything else itself.
  const auto follows = [](std::string_view text, std::string_view pattern) {
    if (text.size() != pattern.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const bool hex = IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      const bool fits = pattern[i] == '9'   ? IsDigit(c)
                        : pattern[i] == 'x' ? hex
                        : pattern[i] == 'U' ? IsDigit(c) || IsUpper(c)
                                            : c == pattern[i];
      if (!fits) return false;
    }
    return true;
  };
  switch (value_class) {
    case ValueClass::kDigits:
      return !value.empty() && std::all_of(value.begin(), value.end(), IsDigit);
    case ValueClass::kDate: return follows(value, "9999-99-99");
    case ValueClass::kInstant:
      return value.size() >= 16 && follows(value.substr(0, 10), "9999-99-99") &&
             (value[10] == 'T' || value[10] == ' ') && follows(value.substr(11, 5), "99:99");
    case ValueClass::kUuid: return follows(value, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    case ValueClass::kUlid: return follows(value, std::string(26, 'U')) && value[0] <= '7';
    case ValueClass::kWord:
      return !value.empty() && std::all_of(value.begin(), value.end(),
                                           [](char c) { return IsUpper(c) || IsLower(c); });
    case ValueClass::kOther: return true;
  }
  return false;
}

ValueClass ClassOf(const std::vector<std::string_view>& values) {
  if (values.empty()) return ValueClass::kOther;
  for (const ValueClass candidate : {ValueClass::kDigits, ValueClass::kDate, ValueClass::kInstant,
                                     ValueClass::kUuid, ValueClass::kUlid, ValueClass::kWord}) {
    if (std::all_of(values.begin(), values.end(),
                    [&](std::string_view value) { return IsOfClass(value, candidate); })) {
      return candidate;
    }
  }
  return ValueClass::kOther;
}

std::string_view ClassRegex(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::kDigits: return "^[0-9]+$";
    case ValueClass::kDate: return "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
    case ValueClass::kInstant: return "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*$";
    case ValueClass::kUuid:
      return "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";
    case ValueClass::kUlid: return "^[0-7][0-9A-Z]{25}$";
    case ValueClass::kWord: return "^[A-Za-z]+$";
    case ValueClass::kOther: return "";
  }
  return "";
}

int SharedPercent(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  if (a.empty() && b.empty()) return 100;
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<int>(both.size() * 100 / (a.size() + b.size() - both.size()));
}

bool LookDifferent(const std::vector<std::set<std::uint32_t>>& sets) {
  const std::size_t count = std::min(sets.size(), kMaxCompared);
  if (count < 2) return false;
  std::size_t pairs = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      sum += static_cast<std::size_t>(SharedPercent(sets[i], sets[j]));
      ++pairs;
    }
  }
  return sum < pairs * 60;
}

}  // namespace tablecast
