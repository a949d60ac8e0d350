#ifndef TABLECAST_CLI_COMPLETION_H_
#define TABLECAST_CLI_COMPLETION_H_

// Completion scripts for bash, zsh and fish, made from the command table.

#include <string>
#include <string_view>
#include <vector>

namespace tablecast::cli {

struct CompletionOption {
  std::string name;
  std::string description;
  bool takes_value = false;
};
struct CompletionCommand {
  std::string name;
  std::string description;
  std::vector<CompletionOption> options;
};

// `shell` is bash, zsh or fish.
std::string CompletionScript(std::string_view shell, const std::vector<CompletionCommand>& commands);

}  // namespace tablecast::cli

#endif  // TABLECAST_CLI_COMPLETION_H_
