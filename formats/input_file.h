#ifndef TABLECAST_FORMATS_INPUT_FILE_H_
#define TABLECAST_FORMATS_INPUT_FILE_H_

// The text of one input: a plain file is mapped, a compressed one (.gz, .zst, told by content) or standard
// input is first written to an unnamed temporary file. Either way the bytes cost no anonymous memory, so a
// dump of any size is read in constant memory.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/lifetime.h"
#include "base/result.h"

namespace tablecast {

class InputFile {
 public:
  // `path` "-" is standard input. `spool_folder` takes the temporary file.
  // ERRORS: kNotFound "file-not-found"; kInvalidArgument "file-compressed-damaged", "file-encoding"
  // (UTF-16); kUnavailable "disk-full", "file-unreadable".
  static Result<InputFile> Open(const std::string& path, const std::string& spool_folder);

  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  std::string_view text() const& TABLECAST_LIFETIME_BOUND { return text_; }
  std::string_view text() const&& = delete;
  const std::string& path() const { return path_; }
  // Of the file itself, before decompression; 0 for standard input.
  std::uint64_t stored_bytes() const { return stored_bytes_; }
  std::int64_t modified_seconds() const { return modified_seconds_; }
  bool compressed() const { return compressed_; }

 private:
  InputFile() = default;
  Status Map(int fd, std::uint64_t bytes);

  std::string path_;
  std::string_view text_;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::int64_t modified_seconds_ = 0;
  bool compressed_ = false;
};

// Base64 of the MD5 of the file's stored bytes (manifests of exports name it so).
Result<std::string> FileMd5Base64(const std::string& path);

// Files to read for one argument, in name order: the path itself, or every regular file below a folder
// that is no checksum, no `_started` marker and no hidden file. ERRORS: kNotFound.
Result<std::vector<std::string>> ExpandInputPath(const std::string& path);

}  // namespace tablecast

#endif  // TABLECAST_FORMATS_INPUT_FILE_H_
