#ifndef TABLECAST_ODATA_WEB_FILES_H_
#define TABLECAST_ODATA_WEB_FILES_H_

// The files of the browsing page (web/), compiled into the program by cmake/embed_files.py.

#include <span>
#include <string_view>

namespace tablecast {

struct WebFile {
  std::string_view name;        // "main.js"
  std::string_view media_type;  // "text/javascript;charset=utf-8"
  std::string_view etag;        // hash of the bytes, without quotes
  std::string_view bytes;
};

// Sorted by name.
std::span<const WebFile> WebFiles();

// Hash over all files: part of their addresses, so that these may be cached for ever.
std::string_view WebVersion();

}  // namespace tablecast

#endif  // TABLECAST_ODATA_WEB_FILES_H_
