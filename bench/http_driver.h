#ifndef TABLECAST_BENCH_HTTP_DRIVER_H_
#define TABLECAST_BENCH_HTTP_DRIVER_H_

// Drives a server process with wrk and reads what it cost.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/median.h"
#include "odata/http_transport.h"

namespace tablecast::bench {

// A port that is free now. Racy in theory, good enough for a benchmark.
inline int FreePort() {
  const auto listener = tablecast::ListenTcp("127.0.0.1", 0, 1);
  return listener.ok() ? tablecast::LocalPort(listener->get()) : 0;
}

inline bool Connects(int port) {
  const tablecast::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// User and system time of a process. UNITS: microseconds.
inline double CpuMicros(pid_t pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  unsigned long user = 0;
  unsigned long system = 0;
  if (file == nullptr) return 0;
  const int fields = std::fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
  std::fclose(file);
  return fields == 2 ? static_cast<double>(user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

struct Figures {
  std::vector<double> per_second;
  std::vector<double> cpu;
};

// One run of wrk against `path`, with `header` ("Accept-Encoding: gzip") or none.
inline void Measure(pid_t pid, int port, const std::string& path, int connections, int seconds, Figures& figures,
                    const std::string& header = {}) {
  const std::string command = "wrk -t1 -c" + std::to_string(connections) + " -d" + std::to_string(seconds) +
                              (header.empty() ? "" : " -H '" + header + "'") + " \"http://127.0.0.1:" + std::to_string(port) +
                              path + "\"";
  const double before = CpuMicros(pid);
  std::FILE* wrk = ::popen(command.c_str(), "r");
  if (wrk == nullptr) return;
  char line[256];
  double per_second = 0;
  double requests = 0;
  while (std::fgets(line, sizeof line, wrk) != nullptr) {
    std::sscanf(line, "Requests/sec: %lf", &per_second);
    std::sscanf(line, " %lf requests in", &requests);
  }
  ::pclose(wrk);
  figures.per_second.push_back(per_second);
  if (requests > 0) figures.cpu.push_back((CpuMicros(pid) - before) / requests);
}

}  // namespace tablecast::bench

#endif  // TABLECAST_BENCH_HTTP_DRIVER_H_
