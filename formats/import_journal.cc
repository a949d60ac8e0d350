#include "formats/import_journal.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace tablecast {

std::string WriteJournal(const ImportJournal& journal) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject().Key("fingerprint").String(journal.fingerprint).Key("committed").Uint(journal.committed);
  json.Key("written").Uint(journal.counts.written).Key("replaced").Uint(journal.counts.replaced);
  json.Key("deleted").Uint(journal.counts.deleted);
  json.Key("tables").BeginObject();
  for (const auto& [name, count] : journal.counts.tables) json.Key(name).Uint(count);
  json.EndObject().EndObject();
  return out;
}

Result<ImportJournal> ReadJournal(const std::string& text) {
  TABLECAST_ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text));
  ImportJournal journal;
  const auto number = [&json](std::string_view name) -> std::uint64_t {
    const JsonValue* value = json.Find(name);
    return value == nullptr ? 0 : std::strtoull(value->text.c_str(), nullptr, 10);
  };
  if (const JsonValue* fingerprint = json.Find("fingerprint")) journal.fingerprint = fingerprint->text;
  journal.committed = number("committed");
  journal.counts.written = number("written");
  journal.counts.replaced = number("replaced");
  journal.counts.deleted = number("deleted");
  if (const JsonValue* tables = json.Find("tables")) {
    for (const JsonMember& table : tables->members) {
      journal.counts.tables[table.name] = std::strtoull(table.value.text.c_str(), nullptr, 10);
    }
  }
  return journal;
}

std::string Fingerprint(const ImportSettings& settings, const std::vector<PlannedInput>& files) {
  std::string out = settings.table + "|" + std::string(DumpFormatName(settings.format)) +
                    (settings.sort ? "|sorted|" : "|as-is|") + (settings.skip_bad.empty() ? "" : "skip-bad") + "\n";
  for (const PlannedInput& file : files) {
    struct stat info {};
    if (::stat(file.path.c_str(), &info) != 0) info = {};
    out += file.path + "|" + std::to_string(info.st_size) + "|" + std::to_string(info.st_mtim.tv_sec) + "." +
           std::to_string(info.st_mtim.tv_nsec) + "|";
    // A pipe or a device was read once and is empty now, or would be waited for; standard input is no file at all.
    if (!S_ISREG(info.st_mode)) {
      out += "unseekable\n";
      continue;
    }
    std::ifstream in(file.path, std::ios::binary);
    std::string head(1U << 20U, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a, 64 bits: a guard against mistakes, not against attack
    for (const char c : head) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    out += std::to_string(hash) + "\n";
  }
  return out;
}

}  // namespace tablecast
