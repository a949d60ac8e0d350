#include "cli/completion.h"

namespace tablecast::cli {

namespace {

// Single-quoted shell text.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// zsh's _arguments gives brackets and colons a meaning.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string Bash(const std::vector<CompletionCommand>& commands) {
  std::string names;
  std::string cases;
  for (const CompletionCommand& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string options;
    for (const CompletionOption& option : command.options) {
      options += (options.empty() ? "" : " ") + option.name;
    }
    cases += "    " + command.name + ") words=" + Quoted(options) + " ;;\n";
  }
  return "# bash completion of tablecast: source this file, or put it into /etc/bash_completion.d/\n"
         "_tablecast() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W " + Quoted(names + " --help --version") + " -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" + cases +
         "  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _tablecast tablecast\n";
}

std::string Zsh(const std::vector<CompletionCommand>& commands) {
  std::string names;
  std::string cases;
  for (const CompletionCommand& command : commands) {
    names += "    " + Quoted(ZshText(command.name) + ":" + command.description) + "\n";
    cases += "    " + command.name + ")\n      _arguments";
    for (const CompletionOption& option : command.options) {
      cases += " \\\n        " + Quoted(option.name + "[" + ZshText(option.description) + "]" +
                                        (option.takes_value ? ":value:_files" : ""));
    }
    cases += " \\\n        '*:file:_files' ;;\n";
  }
  return "#compdef tablecast\n"
         "_tablecast() {\n"
         "  local -a commands\n"
         "  commands=(\n" + names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" + cases +
         "  esac\n"
         "}\n"
         "_tablecast \"$@\"\n";
}

std::string Fish(const std::vector<CompletionCommand>& commands) {
  std::string out = "# fish completion of tablecast\ncomplete -c tablecast -f -n __fish_use_subcommand -l help -d 'Show help'\n";
  for (const CompletionCommand& command : commands) {
    out += "complete -c tablecast -f -n __fish_use_subcommand -a " + command.name + " -d " +
           Quoted(command.description) + "\n";
    for (const CompletionOption& option : command.options) {
      out += "complete -c tablecast -n '__fish_seen_subcommand_from " + command.name + "' -l " +
             option.name.substr(2) + (option.takes_value ? " -r" : "") + " -d " +
             Quoted(option.description) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string CompletionScript(std::string_view shell, const std::vector<CompletionCommand>& commands) {
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  return Fish(commands);
}

}  // namespace tablecast::cli
