#include "cli/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/utf8.h"
#include "qualifiers/qualifier_parser.h"

namespace tablecast::cli {

namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(3);

}  // namespace

ExitCode ExitCodeFor(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
    case ErrorCode::kDataLoss:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kPermissionDenied:  // of the file system: commands know no callers
      return kEnvironment;
    case ErrorCode::kNotFound:
      // A folder or a table that is not there is a mistake of the call; a record, an answer.
      return error.reason == "catalog-not-found" || error.reason == "table-not-found" ? kWrongInput : kAnswerIsNo;
    default:
      return kWrongInput;
  }
}

Terminal Terminal::Detect(bool no_color) {
  Terminal terminal;
  const char* env = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  const bool wanted = !no_color && (env == nullptr || *env == '\0') && !dumb;
  terminal.colour_out = wanted && isatty(STDOUT_FILENO) != 0;
  terminal.colour_err = wanted && isatty(STDERR_FILENO) != 0;
  terminal.live_progress = isatty(STDERR_FILENO) != 0 && !dumb;
  return terminal;
}

namespace {

int stdout_error = 0;  // errno of the first write that failed; commands print from one thread

}  // namespace

void WriteStdout(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && stdout_error == 0) stdout_error = errno != 0 ? errno : EIO;
}

void OpenStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is the one that was closed.
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDWR));
  }
}

Status FinishStdout() {
  errno = 0;
  if (stdout_error == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) stdout_error = errno != 0 ? errno : EIO;
  if (stdout_error == 0 || stdout_error == EPIPE) return {};
  return MakeError(ErrorCode::kUnavailable, "output-failed",
                   "the output is cut, standard output failed: " + std::generic_category().message(stdout_error), "",
                   "free disk space, or write elsewhere, and run it again");
}

void WriteStderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

ExitCode PrintError(const Terminal& terminal, std::string_view what, const Error& error) {
  std::string out = terminal.colour_err ? "\x1b[31mtablecast:\x1b[0m " : "tablecast: ";
  if (!what.empty()) {
    out += what;
    out += ": ";
  }
  out += error.ToString();
  out += '\n';
  WriteStderr(out);
  return ExitCodeFor(error);
}

void PrintIssues(const Terminal& terminal, const std::vector<Issue>& issues, std::string_view format,
                 const std::vector<std::pair<std::string, std::string>>& file_texts,
                 std::string& out) {
  if (format == "json") {
    out += IssuesAsJson(issues);
  } else if (format == "sarif") {
    out += IssuesAsSarif(issues);
  } else if (format == "github") {
    out += IssuesAsGithub(issues);
  } else {
    for (const Issue& issue : issues) {
      const auto found = std::find_if(file_texts.begin(), file_texts.end(),
                                      [&](const auto& file) { return file.first == issue.file; });
      out += RenderIssue(issue, found == file_texts.end() ? std::string_view() : found->second,
                         terminal.colour_out);
      if (!out.empty() && out.back() != '\n') out += '\n';
    }
    return;
  }
  if (!out.empty() && out.back() != '\n') out += '\n';
}

std::string Thousands(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string HumanBytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t tenths = bytes * 10;  // exact enough for people: one decimal, no floating point
  std::size_t unit = 0;
  while (tenths >= 10240 && unit + 1 < std::size(kUnits)) {
    tenths /= 1024;
    ++unit;
  }
  std::string out = std::to_string(tenths / 10);
  if (unit > 0) out += "." + std::to_string(tenths % 10);
  return out + " " + kUnits[unit];
}

Progress::Progress(const Terminal& terminal, std::string label, bool quiet)
    : live_(terminal.live_progress),
      quiet_(quiet),
      label_(std::move(label)),
      started_(std::chrono::steady_clock::now()),
      last_(started_) {}

void Progress::Update(std::uint64_t done, std::uint64_t total, std::string_view unit) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (live_ ? now - last_ < kBarInterval : now - last_ < kLineInterval) return;
  last_ = now;
  shown_ = true;
  const auto seconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(now - started_).count());
  std::string line = label_ + ": " + Thousands(done) + " ";
  if (total > 0) {
    const std::uint64_t percent = std::min<std::uint64_t>(100, done * 100 / total);
    line += "of " + Thousands(total) + " " + std::string(unit) + " (" + std::to_string(percent) + " %)";
    if (live_) {
      const std::uint64_t cells = percent * 24 / 100;
      line += " [" + std::string(cells, '#') + std::string(24 - cells, '.') + "]";
    }
    if (done > 0 && seconds > 1 && percent < 100) {
      line += ", about " + std::to_string(seconds * (total - done) / done) + " s left";
    }
  } else {
    line += std::string(unit);
    if (seconds > 0) line += ", " + Thousands(done / seconds) + "/s";
  }
  WriteStderr(live_ ? "\r\x1b[K" + line : line + "\n");
}

void Progress::Finish() {
  if (live_ && shown_) WriteStderr("\r\x1b[K");
  shown_ = false;
}

std::string AlignedTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c == widths.size()) {
        widths.push_back(0);
        numeric.push_back(true);
      }
      widths[c] = std::max(widths[c], CountCodePoints(rows[r][c]));
      const bool digits = !rows[r][c].empty() &&
                          rows[r][c].find_first_not_of("0123456789,.-") == std::string::npos;
      if (r > 0 && !digits) numeric[c] = false;
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - CountCodePoints(row[c]), ' ');
      if (c > 0) line += "  ";
      line += numeric[c] && rows.size() > 1 ? padding + row[c] : row[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace tablecast::cli
