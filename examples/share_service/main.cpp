// SPDX-License-Identifier: Apache-2.0
//
// takt_share_service serve|client|demo: shares of a GPU for processes on one machine (docs/shares.md). `serve` is the
// service, `client` an application that sleeps where a GPU would compute, `demo` both, with a process for each
// application.
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "applications.hpp"
#include "commands.hpp"

namespace {

using namespace takt::shares_example;

void add_applications(CLI::App& command, std::vector<std::string>& out) {
  command.add_option("-a,--application", out, "NAME:WORK:PERIOD in milliseconds; once for each, the most urgent first")
      ->default_val(default_applications());
}
void add_files(CLI::App& command, serve_options& out) {
  command.add_option("--csv", out.csv, "write what happened, a line per event");
  command.add_option("--trace", out.trace, "write a trace for ui.perfetto.dev");
}

[[nodiscard]] auto parse(CLI::App& app, int argc, char** argv) -> int {
  serve_options served;
  serve_options shown;
  client_options one;
  shown.seconds = one.seconds = 2;
  std::function<int()> chosen;
  app.require_subcommand(1);

  CLI::App& serve_command = *app.add_subcommand("serve", "share out the GPU until interrupted");
  serve_command.add_option("-s,--socket", served.socket, "file name of the socket")->required();
  serve_command.add_option("-u,--user", served.users, "numbers of users to let in besides your own");
  serve_command.add_option("-t,--seconds", served.seconds, "end after so long")->check(CLI::PositiveNumber);
  add_applications(serve_command, served.applications);
  add_files(serve_command, served);
  serve_command.callback([&] { chosen = [&] { return serve(served); }; });

  CLI::App& client_command = *app.add_subcommand("client", "run the jobs of one application");
  client_command.add_option("-s,--socket", one.socket, "of the service")->required();
  client_command.add_option("-n,--name", one.name, "of the application")->required();
  client_command.add_option("-t,--seconds", one.seconds, "how long")->check(CLI::PositiveNumber)->capture_default_str();
  client_command.add_option("-p,--patience", one.patience, "seconds to wait for a service that does not answer")
      ->check(CLI::Range(0.001, 86'400.0))
      ->capture_default_str();
  add_applications(client_command, one.applications);
  client_command.callback([&] { chosen = [&] { return run_client(one); }; });

  CLI::App& demo_command =
      *app.add_subcommand("demo", "a service, a process for each application, and what came of it");
  demo_command.add_option("-s,--socket", shown.socket, "of the service; one of its own by default");
  demo_command.add_option("-t,--seconds", shown.seconds, "how long")->check(CLI::PositiveNumber)->capture_default_str();
  add_applications(demo_command, shown.applications);
  add_files(demo_command, shown);
  demo_command.callback([&] { chosen = [&] { return demonstrate(shown, "/proc/self/exe"); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? 0 : 2; }
  return chosen();
}

}  // namespace

auto main(int argc, char** argv) -> int {
  (void)std::signal(SIGXFSZ, SIG_IGN);  // so that a file that grows too large is an error of its own
  CLI::App app{"Shares of a GPU for the processes of one machine"};
  try {
    return parse(app, argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "takt_share_service: " << e.what() << "\n";
    return 2;
  }
}
