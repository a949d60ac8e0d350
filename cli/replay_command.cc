// tablecast replay: repeats the requests of a trace and compares the answers.

#include <fstream>

#include "cli/commands.h"
#include "cli/session.h"
#include "cli/trace_file.h"

namespace tablecast::cli {

ExitCode RunReplay(const Terminal& terminal, const ReplayOptions& options) {
  auto store = OpenStore(options.store, StoreAccess::kMustExist);
  if (!store.ok()) return PrintError(terminal, "replay", store.error());
  auto catalog = LoadCatalogFolder(terminal, options.catalog, store->get(), {});
  if (!catalog.ok()) return PrintError(terminal, "replay", catalog.error());
  const Status installed = InstallMaintainers(*catalog->catalog, **store);
  if (!installed.ok()) return PrintError(terminal, "replay", installed.error());
  Service service(**store, {});
  service.SetCatalog(catalog->catalog);
  std::ifstream in(options.file, std::ios::binary);
  if (!in) {
    return PrintError(terminal, "replay",
                      MakeError(ErrorCode::kInvalidArgument, "file-not-found", "cannot read the trace", options.file));
  }
  std::uint64_t number = 0;
  std::uint64_t same = 0;
  std::string out;
  for (std::string line; std::getline(in, line);) {
    ++number;
    auto exchange = ReadTraceLine(line);
    if (!exchange.ok()) {
      Error error = exchange.error();
      error.target = options.file + ":" + std::to_string(number);
      return PrintError(terminal, "replay", error);
    }
    const HttpResponse response = service.Handle(exchange->request);
    if (response.status == exchange->status && response.body == exchange->body) {
      ++same;
      continue;
    }
    out += options.file + ":" + std::to_string(number) + ": " + exchange->request.method + " " + exchange->request.target +
           ": status " + std::to_string(exchange->status) + " -> " + std::to_string(response.status) +
           (response.body == exchange->body ? "" : ", another body") + "\n";
  }
  out += std::to_string(same) + " of " + std::to_string(number) + " answers are the same\n";
  WriteStdout(out);
  return same == number ? kSuccess : kAnswerIsNo;
}

}  // namespace tablecast::cli
