#include "qualifiers/dependency_order.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace tablecast {

std::vector<std::size_t> DependencyOrder(const Dependencies& depends) {
  std::vector<std::size_t> missing(depends.size());
  std::vector<std::vector<std::size_t>> users(depends.size());
  std::deque<std::size_t> ready;
  for (std::size_t i = 0; i < depends.size(); ++i) {
    missing[i] = depends[i].size();
    for (const std::size_t on : depends[i]) users[on].push_back(i);
    if (missing[i] == 0) ready.push_back(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t node = ready.front();
    ready.pop_front();
    order.push_back(node);
    for (const std::size_t user : users[node]) {
      if (--missing[user] == 0) ready.push_back(user);
    }
  }
  return order;
}

// Every node that the order lacks depends on a cycle. From each, follow one such dependency until a
// node comes up again: that loop is one.
std::vector<std::vector<std::size_t>> FindCycles(const Dependencies& depends) {
  enum class State : std::uint8_t { kOpen, kWalked, kDone };
  std::vector<State> state(depends.size(), State::kOpen);
  std::vector<bool> ordered(depends.size(), false);
  for (const std::size_t node : DependencyOrder(depends)) {
    state[node] = State::kDone;
    ordered[node] = true;
  }
  std::vector<std::vector<std::size_t>> cycles;
  for (std::size_t start = 0; start < depends.size(); ++start) {
    std::vector<std::size_t> walk;
    std::size_t at = start;
    while (state[at] == State::kOpen) {
      state[at] = State::kWalked;
      walk.push_back(at);
      at = *std::find_if(depends[at].begin(), depends[at].end(),
                         [&](std::size_t on) { return !ordered[on]; });
    }
    if (state[at] == State::kWalked) {
      cycles.emplace_back(std::find(walk.begin(), walk.end(), at), walk.end());
    }
    for (const std::size_t node : walk) state[node] = State::kDone;
  }
  return cycles;
}

}  // namespace tablecast
