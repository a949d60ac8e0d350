// Reads any bytes as JSON in every leniency: trees and events must agree, what was read must
// survive writing and reading again, and errors must be of the documented kinds and lie inside the
// text.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace {

using namespace tablecast;  // NOLINT(google-build-using-namespace)

class Writer : public JsonHandler {
 public:
  std::string out;
  bool Null() override {
    json_.Null();
    return true;
  }
  bool Bool(bool value) override {
    json_.Bool(value);
    return true;
  }
  bool Number(std::string_view raw) override {
    json_.RawNumber(raw);
    return true;
  }
  bool String(std::string_view value) override {
    json_.String(value);
    return true;
  }
  bool StartObject() override {
    json_.BeginObject();
    return true;
  }
  bool Key(std::string_view name) override {
    json_.Key(name);
    return true;
  }
  bool EndObject() override {
    json_.EndObject();
    return true;
  }
  bool StartArray() override {
    json_.BeginArray();
    return true;
  }
  bool EndArray() override {
    json_.EndArray();
    return true;
  }

 private:
  JsonWriter json_{out};
};

void Write(const JsonValue& value, Writer& writer, std::string_view text) {
  TABLECAST_CHECK(value.span.begin.offset < value.span.end.offset);
  TABLECAST_CHECK(value.span.end.offset <= text.size());
  switch (value.type) {
    case JsonType::kNull: writer.Null(); return;
    case JsonType::kBool: writer.Bool(value.boolean); return;
    case JsonType::kNumber: writer.Number(value.text); return;
    case JsonType::kString: writer.String(value.text); return;
    case JsonType::kArray:
      writer.StartArray();
      for (const JsonValue& element : value.elements) Write(element, writer, text);
      writer.EndArray();
      return;
    case JsonType::kObject:
      writer.StartObject();
      for (const JsonMember& member : value.members) {
        writer.Key(member.name);
        Write(member.value, writer, text);
      }
      writer.EndObject();
  }
}

void CheckError(const Error& error, std::string_view text) {
  TABLECAST_CHECK(error.reason == "json-syntax" || error.reason == "json-encoding" ||
                  error.reason == "json-depth");
  TABLECAST_CHECK(error.position.offset <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool comments : {false, true}) {
    for (const bool commas : {false, true}) {
      const JsonOptions options{.allow_comments = comments, .allow_trailing_commas = commas};
      const auto tree = ParseJson(text, options);
      Writer events;
      const Status status = ReadJsonEvents(text, events, options);
      TABLECAST_CHECK(tree.ok() == status.ok());
      if (!tree.ok()) {
        CheckError(tree.error(), text);
        TABLECAST_CHECK(tree.error().reason == status.error().reason);
        TABLECAST_CHECK(tree.error().position == status.error().position);
        continue;
      }
      Writer rewritten;
      Write(*tree, rewritten, text);
      TABLECAST_CHECK(rewritten.out == events.out);
      TABLECAST_CHECK(IsValidUtf8(rewritten.out));
      Writer again;
      TABLECAST_CHECK(ReadJsonEvents(rewritten.out, again).ok());
      TABLECAST_CHECK(again.out == rewritten.out);
    }
  }
  return 0;
}
