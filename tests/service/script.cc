#include "tests/service/script.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tablecast::testing {

namespace {

std::string Unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'r' || text[i + 1] == 'n')) {
      out += text[++i] == 'r' ? '\r' : '\n';
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

Script ReadScript(const std::string& path) {
  Script script;
  script.file = path;
  std::ifstream in(path);
  if (!in) {
    ADD_FAILURE() << "cannot read " << path;
    return script;
  }
  enum class At { kRequest, kHeaders, kBody, kStatus, kExpected } at = At::kRequest;
  Exchange exchange;
  bool body_escapes = false;
  std::size_t number = 0;
  const auto finish = [&] {
    if (!exchange.method.empty()) {
      if (exchange.status == 0) ADD_FAILURE() << path << ":" << exchange.line << ": no status expected";
      script.exchanges.push_back(std::move(exchange));
    }
    exchange = {};
    at = At::kRequest;
    body_escapes = false;
  };
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line == "---") {
      finish();
      continue;
    }
    if (at == At::kRequest) {
      if (line.empty()) continue;
      if (line[0] == '#') {
        const std::string text = line.size() > 2 ? line.substr(2) : "";
        if (text.starts_with("catalog ")) script.catalog = text.substr(8);
        if (text == "fresh") script.fresh = true;
        if (text.starts_with("skip ")) script.skipped_configs.push_back(text.substr(5, text.find(':') - 5));
        continue;
      }
      const std::size_t space = line.find(' ');
      exchange.line = number;
      exchange.method = line.substr(0, space);
      exchange.target = line.substr(space + 1);
      at = At::kHeaders;
    } else if (at == At::kHeaders) {
      const std::size_t colon = line.find(": ");
      if (line.empty()) {
        at = At::kBody;
      } else if (colon != std::string::npos) {
        exchange.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
      } else {
        ADD_FAILURE() << path << ":" << number << ": not a header: " << line;
      }
    } else if (at == At::kBody) {
      // Three digits alone end the body: the status.
      if (line.size() == 3 && line.find_first_not_of("0123456789") == std::string::npos) {
        exchange.status = std::stoi(line);
        while (!body_escapes && !exchange.body.empty() && exchange.body.back() == '\n') exchange.body.pop_back();
        if (body_escapes) exchange.body = Unescape(exchange.body);
        at = At::kExpected;
      } else {
        body_escapes = body_escapes || line.find("\\r\\n") != std::string::npos;
        exchange.body += line + (line.find("\\r\\n") != std::string::npos ? "" : "\n");
      }
    } else {
      if (line.empty()) continue;
      Expectation expectation;
      if (line.starts_with("~ ")) {
        expectation = {Expectation::Kind::kContains, line.substr(2), ""};
      } else if (line.starts_with("!~ ")) {
        expectation = {Expectation::Kind::kLacks, line.substr(3), ""};
      } else if (line.starts_with("= ")) {
        expectation = {Expectation::Kind::kEquals, line.substr(2), ""};
      } else if (line.starts_with("rows ")) {
        expectation = {Expectation::Kind::kRows, line.substr(5), ""};
      } else if (line.starts_with("capture ")) {
        const std::size_t space = line.find(' ', 8);
        expectation = {Expectation::Kind::kCapture, line.substr(space + 1), line.substr(8, space - 8)};
      } else {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) {
          ADD_FAILURE() << path << ":" << number << ": not an expectation: " << line;
          continue;
        }
        exchange.expected_headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
        continue;
      }
      exchange.expectations.push_back(std::move(expectation));
    }
  }
  finish();
  return script;
}

}  // namespace tablecast::testing
