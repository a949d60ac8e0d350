#include "formats/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <openssl/evp.h>

#include "base/base64.h"

namespace tablecast {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

// Closes a descriptor when the scope ends.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Error SystemError(const std::string& what, const std::string& path) {
  const int number = errno;
  const bool full = number == ENOSPC || number == EDQUOT;
  const bool missing = number == ENOENT || number == ENOTDIR;
  return MakeError(missing ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
                   full ? "disk-full" : (missing ? "file-not-found" : "file-unreadable"),
                   what + ": " + std::generic_category().message(number), path,
                   full ? "free some space in the store's folder" : "");
}

Status WriteAll(int fd, const char* data, std::size_t bytes, const std::string& path) {
  while (bytes > 0) {
    const ssize_t written = ::write(fd, data, bytes);
    if (written < 0) {
      if (errno == EINTR) continue;
      return SystemError("cannot write a temporary copy", path);
    }
    data += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return {};
}

Result<std::size_t> ReadSome(int fd, char* data, std::size_t bytes, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(fd, data, bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return SystemError("cannot read", path);
  }
}

Result<int> OpenSpool(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  // Some file systems know no O_TMPFILE: a named file, unlinked at once, does the same.
  std::string name = folder + "/.tablecast-spool-XXXXXX";
  fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return SystemError("cannot make a temporary file", folder);
  ::unlink(name.c_str());
  return fd;
}

Error Damaged(const std::string& path, const std::string& kind) {
  return MakeError(ErrorCode::kInvalidArgument, "file-compressed-damaged",
                   "the " + kind + " data is damaged or ends early", path, "fetch the file again");
}

// Feeds `first` (already read) and the rest of `in` through inflate, all gzip members, into `out`.
Status InflateGzip(int in, std::string first, int out, const std::string& path) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) {
    return MakeError(ErrorCode::kUnavailable, "out-of-memory", "cannot start decompression", path);
  }
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  std::string input = std::move(first);
  std::string output(kChunkBytes, '\0');
  bool member_done = false;
  for (;;) {
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(input.size());
    while (stream.avail_in > 0) {
      if (member_done) {
        // Padding zeros may follow the last member; anything else starts another one.
        if (*stream.next_in == 0) {
          ++stream.next_in;
          --stream.avail_in;
          continue;
        }
        inflateReset(&stream);
        member_done = false;
      }
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = static_cast<uInt>(output.size());
      const int code = inflate(&stream, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Damaged(path, "gzip");
      TABLECAST_RETURN_IF_ERROR(WriteAll(out, output.data(), output.size() - stream.avail_out, path));
      member_done = code == Z_STREAM_END;
      if (code == Z_BUF_ERROR && stream.avail_out == output.size()) break;
    }
    input.resize(kChunkBytes);
    TABLECAST_ASSIGN_OR_RETURN(const std::size_t got, ReadSome(in, input.data(), input.size(), path));
    input.resize(got);
    if (got == 0) break;
  }
  if (!member_done) return Damaged(path, "gzip");
  return {};
}

Status InflateZstd(int in, std::string first, int out, const std::string& path) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (!stream) return MakeError(ErrorCode::kUnavailable, "out-of-memory", "cannot start decompression", path);
  // A frame may ask for a window of any size; 128 MiB is zstd's own default bound.
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  std::string input = std::move(first);
  std::string output(kChunkBytes, '\0');
  std::size_t hint = 1;
  for (;;) {
    ZSTD_inBuffer in_buffer{input.data(), input.size(), 0};
    while (in_buffer.pos < in_buffer.size) {
      ZSTD_outBuffer out_buffer{output.data(), output.size(), 0};
      hint = ZSTD_decompressStream(stream.get(), &out_buffer, &in_buffer);
      if (ZSTD_isError(hint) != 0) return Damaged(path, "zstd");
      TABLECAST_RETURN_IF_ERROR(WriteAll(out, output.data(), out_buffer.pos, path));
    }
    input.resize(kChunkBytes);
    TABLECAST_ASSIGN_OR_RETURN(const std::size_t got, ReadSome(in, input.data(), input.size(), path));
    input.resize(got);
    if (got == 0) break;
  }
  if (hint != 0) return Damaged(path, "zstd");
  return {};
}

bool IsGzip(std::string_view bytes) { return bytes.size() >= 2 && bytes.substr(0, 2) == "\x1f\x8b"; }
bool IsZstd(std::string_view bytes) {
  return bytes.size() >= 4 && bytes.substr(0, 4) == std::string_view("\x28\xb5\x2f\xfd", 4);
}

Status CheckEncoding(std::string_view text, const std::string& path) {
  // By its mark, or by the zero byte beside an ASCII one with which no UTF-8 text begins.
  const bool marked = text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff";
  const bool unmarked = text.size() >= 4 && (text[0] == '\0') != (text[1] == '\0') && (text[0] == '\0') == (text[2] == '\0') &&
                        (text[1] == '\0') == (text[3] == '\0');
  if (marked || unmarked) {
    return MakeError(ErrorCode::kInvalidArgument, "file-encoding", "the file is UTF-16, not UTF-8", path,
                     "convert it: iconv -f UTF-16 -t UTF-8");
  }
  return {};
}

}  // namespace

InputFile::InputFile(InputFile&& other) noexcept { *this = std::move(other); }

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  if (this == &other) return *this;
  if (mapping_ != nullptr) ::munmap(mapping_, mapping_bytes_);
  path_ = std::move(other.path_);
  text_ = std::exchange(other.text_, {});
  mapping_ = std::exchange(other.mapping_, nullptr);
  mapping_bytes_ = std::exchange(other.mapping_bytes_, 0);
  stored_bytes_ = other.stored_bytes_;
  modified_seconds_ = other.modified_seconds_;
  compressed_ = other.compressed_;
  return *this;
}

InputFile::~InputFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapping_bytes_);
}

Status InputFile::Map(int fd, std::uint64_t bytes) {
  if (bytes == 0) return {};
  mapping_ = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    return SystemError("cannot map the file", path_);
  }
  mapping_bytes_ = bytes;
  ::madvise(mapping_, bytes, MADV_SEQUENTIAL);
  text_ = std::string_view(static_cast<const char*>(mapping_), bytes);
  return {};
}

Result<InputFile> InputFile::Open(const std::string& path, const std::string& spool_folder) {
  InputFile file;
  file.path_ = path;
  const bool standard_input = path == "-";
  const Descriptor in(standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) return SystemError("cannot open", path);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) return SystemError("cannot open", path);
  if (S_ISDIR(info.st_mode)) {
    return MakeError(ErrorCode::kInvalidArgument, "file-is-folder", "this is a folder", path);
  }
  const bool regular = S_ISREG(info.st_mode);
  if (regular) {
    file.stored_bytes_ = static_cast<std::uint64_t>(info.st_size);
    file.modified_seconds_ = info.st_mtim.tv_sec;
  }
  std::string first(kChunkBytes, '\0');
  TABLECAST_ASSIGN_OR_RETURN(const std::size_t got, ReadSome(in.get(), first.data(), first.size(), path));
  first.resize(got);
  file.compressed_ = IsGzip(first) || IsZstd(first);
  if (regular && !standard_input && !file.compressed_) {
    TABLECAST_RETURN_IF_ERROR(CheckEncoding(first, path));
    TABLECAST_RETURN_IF_ERROR(file.Map(in.get(), file.stored_bytes_));
    return file;
  }
  TABLECAST_ASSIGN_OR_RETURN(const int spool_fd, OpenSpool(spool_folder));
  const Descriptor spool(spool_fd);
  if (IsGzip(first)) {
    TABLECAST_RETURN_IF_ERROR(InflateGzip(in.get(), std::move(first), spool.get(), path));
  } else if (IsZstd(first)) {
    TABLECAST_RETURN_IF_ERROR(InflateZstd(in.get(), std::move(first), spool.get(), path));
  } else {
    while (!first.empty()) {
      TABLECAST_RETURN_IF_ERROR(WriteAll(spool.get(), first.data(), first.size(), path));
      first.resize(kChunkBytes);
      TABLECAST_ASSIGN_OR_RETURN(const std::size_t more, ReadSome(in.get(), first.data(), first.size(), path));
      first.resize(more);
    }
  }
  if (::fstat(spool.get(), &info) != 0) return SystemError("cannot read the temporary copy", path);
  TABLECAST_RETURN_IF_ERROR(file.Map(spool.get(), static_cast<std::uint64_t>(info.st_size)));
  TABLECAST_RETURN_IF_ERROR(CheckEncoding(file.text_, path));
  return file;
}

Result<std::string> FileMd5Base64(const std::string& path) {
  const Descriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (in.get() < 0) return SystemError("cannot open", path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_md5(), nullptr) != 1) {
    return MakeError(ErrorCode::kUnavailable, "md5-unavailable", "this system's OpenSSL offers no MD5", path);
  }
  std::string chunk(kChunkBytes, '\0');
  for (;;) {
    TABLECAST_ASSIGN_OR_RETURN(const std::size_t got, ReadSome(in.get(), chunk.data(), chunk.size(), path));
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), chunk.data(), got);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &bytes);
  return EncodeBase64(std::string_view(reinterpret_cast<const char*>(digest.data()), bytes));
}

Result<std::vector<std::string>> ExpandInputPath(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return std::vector<std::string>{path};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return MakeError(ErrorCode::kNotFound, "file-not-found", "no such file or folder", path);
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  fs::recursive_directory_iterator it(path, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    const std::string extension = it->path().extension().string();
    std::error_code ignored;
    if (!it->is_regular_file(ignored) || name.front() == '.' || name == "_started") continue;
    if (extension == ".md5" || extension == ".checksum") continue;
    files.push_back(it->path().string());
  }
  if (error) {
    return MakeError(ErrorCode::kUnavailable, "file-unreadable", "cannot list the folder: " + error.message(), path);
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "folder-empty", "the folder holds no data file", path);
  }
  return files;
}

}  // namespace tablecast
