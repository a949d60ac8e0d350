// Names of proposed record types: CamelCase, singular and plural, unique.

#include <algorithm>
#include <array>

#include "connector/record_type_draft.h"

namespace tablecast {

namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::string LowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), Lower);
  return out;
}

// Words that name a part rather than a thing: with its owner in front they say what they are.
bool IsPartWord(std::string_view word) {
  static constexpr std::array kParts = {
      "item",   "items",   "line",  "lines",   "detail",    "details", "entry",   "entries",
      "event",  "events",  "log",   "logs",    "status",    "history", "setting", "settings",
      "config", "version", "state", "address", "addresses", "member",  "stats"};
  const std::string lower = LowerCase(word);
  return std::find(kParts.begin(), kParts.end(), lower) != kParts.end();
}

}  // namespace

bool IsGenericWord(std::string_view word) {
  static constexpr std::array kGeneric = {
      "metadata", "meta", "profile", "info",   "details", "detail", "data",    "root",   "main",
      "master",   "base", "self",    "header", "a",       "record", "current", "latest", "summary"};
  const std::string lower = LowerCase(word);
  return std::find(kGeneric.begin(), kGeneric.end(), lower) != kGeneric.end();
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  bool fresh = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!IsUpper(c) && !IsLower(c) && !IsDigit(c)) {
      fresh = true;
      continue;
    }
    // A hump: "orderItem", "HTTPServer".
    const bool hump = i > 0 && IsUpper(c) &&
                      (IsLower(text[i - 1]) ||
                       (IsUpper(text[i - 1]) && i + 1 < text.size() && IsLower(text[i + 1])));
    if (fresh || hump) {
      words.emplace_back(1, Upper(c));
    } else {
      words.back() += Lower(c);
    }
    fresh = false;
  }
  return words;
}

std::string CamelCase(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += word;
  if (out.empty() || IsDigit(out[0])) out.insert(0, "Type");
  return out.substr(0, 36);  // room for a number that makes it unique
}

std::string Spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string Singular(const std::string& word) {
  const std::string lower = LowerCase(word);
  if (lower.size() < 4 || !lower.ends_with("s") || lower.ends_with("ss") || lower.ends_with("us") ||
      lower.ends_with("is") || lower == "series" || lower == "news" || lower == "stats" ||
      lower == "settings") {
    return word;
  }
  if (lower.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
  for (const char* ending : {"sses", "xes", "ches", "shes", "zzes"}) {
    if (lower.ends_with(ending)) return word.substr(0, word.size() - 2);
  }
  return word.substr(0, word.size() - 1);
}

std::string Plural(const std::string& word) {
  const std::string lower = LowerCase(word);
  if (lower.empty() || lower == "metadata" || lower == "data" || lower == "info" ||
      lower == "series" || lower == "news" || lower == "stats" || lower == "settings" ||
      lower == "telemetry" || lower == "equipment" || lower == "inventory" || lower == "feedback") {
    return word;
  }
  if (Singular(word) != word) return word;  // is one already
  if (lower.size() > 1 && lower.ends_with("y") &&
      std::string_view("aeiou").find(lower[lower.size() - 2]) == std::string_view::npos) {
    return word.substr(0, word.size() - 1) + "ies";
  }
  for (const char* ending : {"s", "x", "z", "ch", "sh"}) {
    if (lower.ends_with(ending)) return word + "es";
  }
  return word + "s";
}

std::string EntityWord(const KeyShape& shape) {
  std::string last;
  for (const KeyShape::Part& part : shape.parts) {
    std::string word;
    for (const char c : part.literal) {
      if (c == shape.separator) {
        if (!word.empty()) last = word;
        word.clear();
      } else {
        word += c;
      }
    }
    if (!word.empty()) last = word;
  }
  return last;
}

namespace {

// Fixed words of a shape that follow one another with variables between: ORDER#{}#ITEM#{} -> Order,
// Item.
std::vector<std::string> PathWords(const KeyShape& shape) {
  std::vector<std::string> words;
  for (const KeyShape::Part& part : shape.parts) {
    if (part.variable()) continue;
    KeyShape one;
    one.separator = shape.separator;
    one.parts = {part};
    if (const std::string word = EntityWord(one); !word.empty()) words.push_back(word);
  }
  return words;
}

std::vector<std::string> Joined(const std::string& owner, const std::string& word) {
  std::vector<std::string> words = WordsOf(owner);
  if (!words.empty()) words.back() = Singular(words.back());
  for (std::string& more : WordsOf(word)) words.push_back(std::move(more));
  return words;
}

// What the partition key is of, where its shape has no word: "player_id" -> Player, else what its
// values begin with, Complaint121 -> Complaint. Empty when neither says.
std::string OwnerOfPlainKey(const RecordTypeDraft& draft) {
  static constexpr std::array kPlain = {"pk", "id", "key", "partition", "hash", "uuid", "guid", "p"};
  std::vector<std::string> words = WordsOf(draft.partition.name);
  while (!words.empty() && std::find(kPlain.begin(), kPlain.end(), LowerCase(words.back())) != kPlain.end())
    words.pop_back();
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : "_") + word;
  if (!joined.empty() && LowerCase(joined) != "partition") return joined;
  std::string common;
  for (const SampledItem* sample : draft.samples) {
    const auto text = ScalarText(sample->item, draft.partition.name);
    if (!text) return "";
    std::size_t letters = 0;
    while (letters < text->size() && (IsUpper((*text)[letters]) || IsLower((*text)[letters]))) ++letters;
    if (letters < 3 || letters == text->size() || !IsDigit((*text)[letters])) return "";
    if (common.empty()) common = text->substr(0, letters);
    if (common != text->substr(0, letters)) return "";
  }
  return common;
}

// Prefixes of one letter that stand for one thing everywhere.
std::string Unabbreviated(const std::string& word) {
  const std::string lower = LowerCase(word);
  return lower == "u" ? "User" : lower == "o" ? "Order" : word;
}

// What the record type might be called, best first. Never empty.
std::vector<std::vector<std::string>> Candidates(const RecordTypeDraft& draft) {
  std::vector<std::vector<std::string>> names;
  std::string owner = Unabbreviated(EntityWord(draft.partition.shape));
  const bool plain_key = owner.empty();
  if (plain_key) owner = OwnerOfPlainKey(draft);
  if (draft.value) names.push_back(WordsOf(*draft.value));
  if (draft.discriminator_shape) names.push_back(WordsOf(EntityWord(*draft.discriminator_shape)));
  std::vector<std::string> table = WordsOf(draft.proposal.table);
  if (table.size() > 1 && table.back() == "Table") table.pop_back();
  // Many items under one key of a table of its own: they are what the table is called.
  if (draft.alone && (!draft.sort || draft.sort->shape.IsVariable())) names.push_back(table);
  if (draft.sort && !draft.sort->shape.IsVariable()) {
    const std::vector<std::string> path = PathWords(draft.sort->shape);
    const std::string own = path.empty() ? "" : path.back();
    const bool twin = draft.sort->shape == draft.partition.shape;
    if (twin || (IsGenericWord(own) && !owner.empty())) {
      names.push_back(WordsOf(owner));
      names.push_back(Joined(owner, own));
    } else if (path.size() > 1) {
      names.push_back(Joined(path[path.size() - 2], own));
    } else if (IsPartWord(own) && !owner.empty()) {
      names.push_back(Joined(owner, own));
    } else if (!own.empty() && own.size() > 1) {
      names.push_back(WordsOf(own));
      // PRODUCT and products#{}: the product, and what refers to one.
      names.push_back(Joined(owner.empty() ? own : owner, owner.empty() ? "Line" : own));
    }
  } else if (!plain_key) {
    names.push_back(WordsOf(owner));
    if (draft.sort) names.push_back(Joined(owner, "Entry"));
  }
  if (!plain_key) names.push_back(WordsOf(owner));
  names.push_back(table);
  std::erase_if(names, [](const auto& words) { return words.empty(); });
  if (names.empty()) names.push_back({"Record"});
  return names;
}

}  // namespace

void NameRecordTypes(std::vector<RecordTypeDraft>& drafts) {
  // Types with a fixed sort key choose first, prefixed ones next: USER#1/PROFILE is the user,
  // USER#1/2024-05-01 one of its entries.
  std::vector<RecordTypeDraft*> order;
  for (RecordTypeDraft& draft : drafts) order.push_back(&draft);
  std::stable_sort(order.begin(), order.end(),
                   [](const RecordTypeDraft* a, const RecordTypeDraft* b) {
                     const auto rank = [](const RecordTypeDraft* d) {
                       return d->SortIsFixed() ? 0 : d->sort->shape.IsVariable() ? 2 : 1;
                     };
                     return rank(a) < rank(b);
                   });
  std::set<std::string> taken = {"catalog"};  // catalog.json is no object
  for (RecordTypeDraft* draft : order) {
    const auto candidates = Candidates(*draft);
    std::vector<std::string> words;
    std::string name;
    for (const auto& candidate : candidates) {
      words = candidate;
      words.back() = Plural(words.back());
      name = CamelCase(words);
      if (!taken.contains(LowerCase(name))) break;
      name.clear();
    }
    for (int number = 2; name.empty(); ++number) {
      words = candidates.front();
      words.back() = Plural(words.back());
      const std::string numbered = CamelCase(words) + std::to_string(number);
      if (!taken.contains(LowerCase(numbered))) name = numbered;
    }
    taken.insert(LowerCase(name));
    draft->proposal.object = name;
    draft->proposal.plural_label = Spaced(words);
    words.back() = Singular(words.back());
    draft->proposal.label = Spaced(words);
  }
}

}  // namespace tablecast
