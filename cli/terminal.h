#ifndef TABLECAST_CLI_TERMINAL_H_
#define TABLECAST_CLI_TERMINAL_H_

// How the commands speak: exit codes, errors, colour, progress. Answers go to stdout, everything else to
// stderr, so that output can be piped.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tablecast::cli {

// SOURCE: spec cli.md, last paragraph.
enum ExitCode : int {
  kSuccess = 0,
  kAnswerIsNo = 1,    // the answer is "no", or warnings with --strict
  kWrongInput = 2,    // the caller has to change something
  kEnvironment = 3,   // disk full, port taken, store locked
};

ExitCode ExitCodeFor(const Error& error);

struct Terminal {
  bool colour_out = false;   // stdout is a terminal and colour is wanted
  bool colour_err = false;
  bool live_progress = false;  // stderr is a terminal: a bar instead of lines
  std::string log_level = "info";
  std::string log_format = "text";

  static Terminal Detect(bool no_color);
};

// "tablecast: what: why (where); remedy" on stderr; returns the exit code for it.
ExitCode PrintError(const Terminal& terminal, std::string_view what, const Error& error);

// Findings as text with carets, or as the format named: text, json, sarif, github. `text_of` finds the
// source of a file for the carets.
void PrintIssues(const Terminal& terminal, const std::vector<Issue>& issues, std::string_view format,
                 const std::vector<std::pair<std::string, std::string>>& file_texts, std::string& out);

// Standard output that fails (a full disk) fails the command: FinishStdout tells.
void WriteStdout(std::string_view text);
// A process started with a standard stream closed would get that descriptor for the store's file, and
// print into it: makes each lead somewhere. Call first of all.
void OpenStandardStreams();
// Flushes. ERRORS: kUnavailable "output-failed" when anything written so far got lost; a reader that
// went away is no error.
Status FinishStdout();
void WriteStderr(std::string_view text);

// 1234567 -> "1,234,567".
std::string Thousands(std::uint64_t value);
// 1536 -> "1.5 KiB".
std::string HumanBytes(std::uint64_t bytes);

// A bar on a terminal, a line every few seconds otherwise. THREAD: one thread.
class Progress {
 public:
  Progress(const Terminal& terminal, std::string label, bool quiet = false);
  // total == 0: unknown. Cheap to call per item.
  void Update(std::uint64_t done, std::uint64_t total, std::string_view unit);
  // Clears the bar; prints nothing.
  void Finish();

 private:
  bool live_;
  bool quiet_;
  std::string label_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_;
  bool shown_ = false;
};

// Columns aligned by display width; the first row is the header. Numbers (all digits) align right.
std::string AlignedTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_TERMINAL_H_
