#include "formats/csv_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/utf8.h"

namespace tablecast {

namespace {

constexpr std::size_t kMaxRowBytes = 8U << 20U;

struct CsvRow {
  std::vector<std::string> cells;
  std::vector<bool> quoted;
  std::size_t offset = 0;
  std::size_t end = 0;  // behind the line break
};

// Reads the row that starts at `at`. An open quote at the end of the text is an error; so is text behind a
// closing quote.
Result<CsvRow> ReadRow(std::string_view text, std::size_t at, char delimiter) {
  CsvRow row;
  row.offset = at;
  std::string cell;
  bool quoted = false;
  const auto fail = [&](std::string message, std::size_t offset) {
    TextPosition position;
    position.offset = offset;
    return MakeError(ErrorCode::kInvalidArgument, "csv-syntax", std::move(message), "", "", position);
  };
  const auto close_cell = [&] {
    row.cells.push_back(std::move(cell));
    row.quoted.push_back(quoted);
    cell.clear();
    quoted = false;
  };
  while (true) {
    if (at - row.offset > kMaxRowBytes) return fail("a row is over 8 MiB: an opening quote is probably never closed", row.offset);
    if (at >= text.size()) {
      close_cell();
      row.end = at;
      return row;
    }
    const char c = text[at];
    if (c == '"' && cell.empty() && !quoted) {
      quoted = true;
      const std::size_t open = at++;
      for (;;) {
        const std::size_t quote = text.find('"', at);
        if (quote == std::string_view::npos || quote - open > kMaxRowBytes) return fail("this quote is not closed", open);
        cell.append(text.substr(at, quote - at));
        at = quote + 1;
        if (at >= text.size() || text[at] != '"') break;
        cell += '"';
        ++at;
      }
      if (at < text.size() && text[at] != delimiter && text[at] != '\n' && text[at] != '\r') {
        return fail("a delimiter or the end of the line is due behind a closing quote", at);
      }
      continue;
    }
    if (c == delimiter) {
      close_cell();
      ++at;
      continue;
    }
    if (c == '\n' || c == '\r') {  // \n, \r\n, and \r alone as old spreadsheets write it
      close_cell();
      row.end = at + (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1);
      return row;
    }
    cell += c;
    ++at;
  }
}

// The candidate that splits the header into the most columns and at least half of the sampled rows into as many. Colons
// and blanks stand in names and texts too, so they count only where nothing else divides.
char GuessDelimiter(std::string_view text) {
  constexpr std::size_t kSampledRows = 20;
  for (const std::string_view candidates : {",\t;|", ": "}) {
    char best = ',';
    std::size_t best_columns = 1;
    for (const char candidate : candidates) {
      const auto header = ReadRow(text, 0, candidate);
      if (!header.ok()) continue;
      std::size_t at = header->end;
      std::size_t rows = 0;
      std::size_t alike = 0;
      for (; rows < kSampledRows && at < text.size(); ++rows) {
        const auto row = ReadRow(text, at, candidate);
        if (!row.ok()) break;
        if (row->cells.size() == header->cells.size()) ++alike;
        at = row->end;
      }
      if (header->cells.size() > best_columns && alike * 2 >= rows) {
        best = candidate;
        best_columns = header->cells.size();
      }
    }
    if (best_columns > 1) return best;
  }
  return ',';
}

}  // namespace

Status ReadCsvDump(DumpCursor& cursor) {
  const std::string_view text = cursor.text();
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const char delimiter = GuessDelimiter(text.substr(at));
  TABLECAST_ASSIGN_OR_RETURN(const CsvRow header, ReadRow(text, at, delimiter));
  std::set<std::string> names;
  for (const std::string& name : header.cells) {
    const std::string number = std::to_string(&name - header.cells.data() + 1);
    if (name.empty()) {
      return MakeError(ErrorCode::kInvalidArgument, "csv-header", "column " + number + " of the header has no name", "",
                       "name it, or take the column out");
    }
    TABLECAST_RETURN_IF_ERROR(ValidateAttributeName(name, false));
    if (!names.insert(name).second) {
      return MakeError(ErrorCode::kInvalidArgument, "csv-header",
                       "the header names the column `" + name + "` twice, again in column " + number, "",
                       "rename one: an item has an attribute once");
    }
  }
  std::vector<AttributeType> types;
  for (const std::string& name : header.cells) {
    types.push_back(cursor.options().column_type ? cursor.options().column_type(name) : AttributeType::kS);
  }
  at = header.end;
  while (at < text.size()) {
    auto row = ReadRow(text, at, delimiter);
    if (!row.ok()) {
      const DumpPlace place = cursor.PlaceAt(at);
      const std::size_t line_end = std::min(text.find_first_of("\r\n", at), text.size());
      if (!cursor.Fault(row.error(), place, text.substr(at, line_end - at))) return {};
      at = std::min(line_end + 1, text.size());
      continue;
    }
    const std::string_view row_text = text.substr(at, row->end - at);
    at = row->end;
    if (row->cells.size() == 1 && row->cells[0].empty() && !row->quoted[0]) continue;  // an empty line
    const DumpPlace place = cursor.PlaceAt(row->offset);
    std::optional<Error> fault;
    if (row->cells.size() != header.cells.size()) {
      fault = MakeError(ErrorCode::kInvalidArgument, "csv-columns",
                        "the row has " + std::to_string(row->cells.size()) + " columns, the header " +
                            std::to_string(header.cells.size()));
    }
    DumpRecord record;
    for (std::size_t c = 0; c < row->cells.size() && !fault; ++c) {
      std::string& cell = row->cells[c];
      const std::string& name = header.cells[c];
      if (types[c] != AttributeType::kS && cell.empty()) continue;  // no value: the key check names it
      if (types[c] == AttributeType::kN) {
        auto number = AttributeValue::NumberFromText(cell);
        if (number.ok()) {
          record.item.emplace(name, *std::move(number));
        } else {
          fault = number.error();
          fault->target = name;
        }
      } else if (types[c] == AttributeType::kB) {
        auto bytes = DecodeBase64(cell);
        if (bytes.ok()) {
          record.item.emplace(name, AttributeValue::Binary(*std::move(bytes)));
        } else {
          fault = bytes.error();
          fault->target = name;
        }
      } else if (!IsValidUtf8(cell)) {
        fault = MakeError(ErrorCode::kInvalidArgument, "csv-encoding", "the value is not UTF-8", name);
      } else {
        record.item.emplace(name, AttributeValue::String(std::move(cell)));
      }
    }
    if (fault) {
      if (!cursor.Fault(*fault, place, row_text)) return {};
      continue;
    }
    record.place = place;
    if (!cursor.Record(std::move(record))) return {};
  }
  return {};
}

}  // namespace tablecast
