#ifndef TABLECAST_FORMATS_DUMP_CURSOR_H_
#define TABLECAST_FORMATS_DUMP_CURSOR_H_

// What the readers of formats/ share: the text at hand, where it stands, and the way to the handler. Internal to
// formats/.

#include <string>
#include <string_view>
#include <utility>

#include "formats/dump_reader.h"

namespace tablecast {

class DumpCursor {
 public:
  // BORROWS everything for the length of one ReadDump call.
  DumpCursor(std::string_view text, std::string_view path, const DumpOptions& options, DumpHandler& handler,
             DumpResult& result)
      : text_(text), path_(path), options_(options), handler_(handler), result_(result) {}

  std::string_view text() const { return text_; }
  std::string_view path() const { return path_; }
  const DumpOptions& options() const { return options_; }
  DumpHandler& handler() { return handler_; }
  bool stopped() const { return result_.stopped; }

  // The place of the record that starts at byte `offset`. Lines are counted on from the last one asked for, so
  // going through a file costs one pass; going back costs a pass of its own.
  DumpPlace PlaceAt(std::size_t offset, std::string path_in_file = {}) {
    if (offset < counted_) {
      return DumpPlace{PositionAt(text_, offset).line, result_.records + 1, std::move(path_in_file), offset};
    }
    {
      for (std::size_t at = counted_; at < offset; ++at) {
        const std::size_t newline = text_.substr(0, offset).find('\n', at);
        if (newline == std::string_view::npos) break;
        ++line_;
        at = newline;
      }
      counted_ = offset;
    }
    return DumpPlace{line_, result_.records + 1, std::move(path_in_file), offset};
  }

  // Both return false when reading shall stop.
  bool Record(DumpRecord record) {
    ++result_.records;
    return Note(handler_.OnRecord(std::move(record)));
  }
  bool Fault(Error error, DumpPlace place, std::string_view record_text) {
    ++result_.records;
    return Note(handler_.OnFault({std::move(error), std::move(place), std::string(record_text.substr(0, 4096))}));
  }
  bool Schema(const TableSchema& schema) { return Note(handler_.OnSchema(schema)); }
  void Warn(std::string_view code, std::string message, const DumpPlace& place = {}) {
    handler_.OnWarning(code, std::move(message), place);
  }

 private:
  bool Note(bool go_on) {
    result_.stopped = result_.stopped || !go_on;
    return go_on;
  }

  std::string_view text_;
  std::string_view path_;
  const DumpOptions& options_;
  DumpHandler& handler_;
  DumpResult& result_;
  std::uint64_t line_ = 1;
  std::size_t counted_ = 0;
};

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_DUMP_CURSOR_H_
