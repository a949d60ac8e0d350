#include "odata/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tablecast {

namespace {

std::string Reason(int error) { return std::generic_category().message(error); }

}  // namespace

Result<std::unique_ptr<RotatingFile>> RotatingFile::Open(RotatingFileOptions options) {
  std::unique_ptr<RotatingFile> file(new RotatingFile(std::move(options)));
  TABLECAST_RETURN_IF_ERROR(file->OpenFile());
  return file;
}

RotatingFile::~RotatingFile() { CloseFile(); }

void RotatingFile::CloseFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

// The file in use is given up only when the new one is there: a folder that is gone for a moment costs no line.
Status RotatingFile::OpenFile() {
  if (options_.file == "-") {
    descriptor_ = STDOUT_FILENO;
    return {};
  }
  // Who wrote what is not for every account of the machine.
  const int opened = ::open(options_.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (opened < 0) {
    return MakeError(ErrorCode::kInvalidArgument, "bad-log-file", "the log cannot be written: " + Reason(errno), options_.file);
  }
  CloseFile();
  descriptor_ = opened;
  struct stat status {};
  bytes_ = ::fstat(opened, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  return {};
}

Status RotatingFile::Rotate() {
  std::error_code ignored;  // a rotation that fails goes on in the file it has
  for (int i = options_.keep - 1; i >= 1; --i) {
    std::filesystem::rename(options_.file + "." + std::to_string(i), options_.file + "." + std::to_string(i + 1), ignored);
  }
  if (options_.keep > 0) {
    std::filesystem::rename(options_.file, options_.file + ".1", ignored);
  } else {
    std::filesystem::remove(options_.file, ignored);
  }
  return OpenFile();
}

Status RotatingFile::WriteLine(std::string_view line) {
  std::string text(line);
  text += '\n';
  const std::lock_guard lock(mutex_);
  Status status;
  if (descriptor_ < 0) status = OpenFile();
  const bool regular = descriptor_ >= 0 && options_.file != "-";
  // A failed rotation leaves the full file open: better too long than silent.
  if (status.ok() && regular && bytes_ > 0 && bytes_ + text.size() > options_.max_bytes) static_cast<void>(Rotate().ok());
  if (!status.ok()) {
    ++dropped_;
    return status;
  }
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count == 0 ? ENOSPC : errno;
      if (regular && written > 0) static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(bytes_)));
      ++dropped_;
      return MakeError(ErrorCode::kUnavailable, "log-write-failed", "a line of the log was lost: " + Reason(error), options_.file);
    }
    written += static_cast<std::size_t>(count);
  }
  bytes_ += text.size();
  return {};
}

Status RotatingFile::Reopen() {
  const std::lock_guard lock(mutex_);
  return OpenFile();
}

std::uint64_t RotatingFile::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace tablecast
