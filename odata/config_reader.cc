#include "odata/config_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tablecast {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
      const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMaxWordBytes = 64;
  if (word.size() > kMaxWordBytes) return {};
  std::size_t best = std::max<std::size_t>(word.size() < 4 ? 1 : 2, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

ConfigReader::ConfigReader(const JsonValue& object, std::string path, std::vector<Issue>& issues,
                           std::map<std::string, std::string>* defaults)
    : object_(object), path_(std::move(path)), issues_(issues), defaults_(defaults) {}

std::string ConfigReader::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void ConfigReader::Report(std::string_view key, std::string code, std::string message, std::string remedy) {
  const JsonValue* value = object_.Find(key);
  Issue issue;
  issue.code = std::move(code);
  issue.message = std::move(message);
  issue.remedy = std::move(remedy);
  issue.target = PathOf(key);
  issue.span = value != nullptr ? value->span : object_.span;
  issues_.push_back(std::move(issue));
}

const JsonValue* ConfigReader::Expect(std::string_view key, JsonType type, std::string_view what, std::string without) {
  known_.emplace_back(key);
  if (defaults_ != nullptr) defaults_->emplace(PathOf(key), std::move(without));
  const JsonValue* value = object_.Find(key);
  if (value == nullptr || value->type == type) return value;
  Report(key, "config-type", "this must be " + std::string(what));
  return nullptr;
}

bool ConfigReader::String(std::string_view key, std::string& out) {
  const JsonValue* value = Expect(key, JsonType::kString, "a string", out);
  if (value != nullptr) out = value->text;
  return value != nullptr;
}

bool ConfigReader::Bool(std::string_view key, bool& out) {
  const JsonValue* value = Expect(key, JsonType::kBool, "true or false", out ? "true" : "false");
  if (value != nullptr) out = value->boolean;
  return value != nullptr;
}

bool ConfigReader::Integer(std::string_view key, std::int64_t least, std::int64_t most, std::int64_t& out) {
  const JsonValue* value = Expect(key, JsonType::kNumber, "a whole number", std::to_string(out));
  if (value == nullptr) return false;
  std::int64_t number = 0;
  const char* end = value->text.data() + value->text.size();
  const auto [stop, code] = std::from_chars(value->text.data(), end, number);
  if (code != std::errc() || stop != end || number < least || number > most) {
    Report(key, "config-range", "this must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return false;
  }
  out = number;
  return true;
}

bool ConfigReader::Size(std::string_view key, std::int64_t least, std::size_t& out) {
  auto number = static_cast<std::int64_t>(out);
  if (!Integer(key, least, std::numeric_limits<std::int64_t>::max(), number)) return false;
  out = static_cast<std::size_t>(number);
  return true;
}

bool ConfigReader::Strings(std::string_view key, std::vector<std::string>& out) {
  const JsonValue* value = Expect(key, JsonType::kArray, "an array of strings", "");
  if (value == nullptr) return false;
  out.clear();
  for (const JsonValue& element : value->elements) {
    if (!element.IsString()) {
      Report(key, "config-type", "this must be an array of strings");
      return false;
    }
    out.push_back(element.text);
  }
  return true;
}

const JsonValue* ConfigReader::Object(std::string_view key) { return Expect(key, JsonType::kObject, "an object", ""); }
const JsonValue* ConfigReader::Array(std::string_view key) { return Expect(key, JsonType::kArray, "an array", ""); }

void ConfigReader::Finish() {
  std::vector<std::string> seen;
  for (const JsonMember& member : object_.members) {
    const bool known = std::find(known_.begin(), known_.end(), member.name) != known_.end();
    const bool repeated = std::find(seen.begin(), seen.end(), member.name) != seen.end();
    seen.push_back(member.name);
    if (known && !repeated) continue;
    Issue issue;
    issue.target = PathOf(member.name);
    issue.span = member.name_span;
    if (known) {
      issue.severity = Severity::kWarning;
      issue.code = "config-repeated-key";
      issue.message = "'" + member.name + "' is given more than once; the last one counts";
    } else {
      issue.code = "config-unknown-key";
      issue.message = "'" + member.name + "' is not a setting" + (path_.empty() ? "" : " of " + path_);
      const std::string nearest = NearestName(member.name, known_);
      if (!nearest.empty()) issue.remedy = "did you mean '" + nearest + "'?";
    }
    issues_.push_back(std::move(issue));
  }
}

}  // namespace tablecast
