#include "cli/catalog_files.h"

#include <filesystem>
#include <fstream>

namespace tablecast::cli {

namespace fs = std::filesystem;

Status ReplaceFile(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  std::error_code error;
  if (out) fs::rename(beside, path, error);
  if (!out || error) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    return MakeError(ErrorCode::kUnavailable, "file-write", "cannot write the file", path);
  }
  return {};
}

Status WriteNewFiles(const std::string& folder, const std::vector<CatalogFile>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return MakeError(ErrorCode::kUnavailable, "file-write",
                     "cannot make the folder: " + error.message(), folder);
  for (const CatalogFile& file : files) {
    const fs::path path = fs::path(folder) / file.name;
    if (fs::exists(path, error)) {
      return MakeError(ErrorCode::kFailedPrecondition, "file-exists",
                       "the file is there already; nothing is written", path.string(),
                       "name a new folder, or move the file away");
    }
  }
  for (const CatalogFile& file : files) {
    TABLECAST_RETURN_IF_ERROR(ReplaceFile((fs::path(folder) / file.name).string(), file.text));
  }
  return {};
}

}  // namespace tablecast::cli
