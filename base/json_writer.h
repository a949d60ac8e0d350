#ifndef TABLECAST_BASE_JSON_WRITER_H_
#define TABLECAST_BASE_JSON_WRITER_H_

// Writes JSON by appending to a caller's string. Commas and nesting are tracked; a misuse (a value
// where a key is due) is a CHECK. Numbers are given as text the caller vouches for, so NaN cannot
// appear. Output is compact, or indented when asked.
//
//   std::string out;
//   JsonWriter json(out);
//   json.BeginObject().Key("name").String("x").Key("n").RawNumber("1.20").EndObject();

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tablecast {

class JsonWriter {
 public:
  enum class Style { kCompact, kIndented };
  // BORROWS: `out` must outlive the writer.
  explicit JsonWriter(std::string& out, Style style = Style::kCompact);

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view value);  // escapes; invalid UTF-8 becomes U+FFFD
  JsonWriter& RawNumber(std::string_view text);
  JsonWriter& Int(std::int64_t value);
  JsonWriter& Uint(std::uint64_t value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  // Appends finished JSON text as one value.
  JsonWriter& Raw(std::string_view json);

 private:
  void BeforeValue();
  void NewLine();
  std::string& out_;
  Style style_;
  struct Level { bool array; bool empty; };
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// Appends `text` with JSON escapes, without the quotes. Does 8 bytes at a time where nothing needs
// an escape.
void AppendJsonEscaped(std::string& out, std::string_view text);

}  // namespace tablecast

#endif  // TABLECAST_BASE_JSON_WRITER_H_
