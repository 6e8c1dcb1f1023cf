// SPDX-License-Identifier: BSD-3-Clause
// The argument tree, and the one place where exceptions become exit codes.
#include "command_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "command.h"
#include "dualdict/error.h"
#include "dualdict/version.h"
#include "errors.h"
#include "help.h"
#include "job.h"
#include "output.h"
#include "signals.h"
#include "suggest.h"

namespace dualdict::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  dualdict learn digits.npy -o digits.safetensors --atoms 200 --nonzeros 13\n"
    "  dualdict learn photos/ -o patches.safetensors --atoms 200 --patches 12x12 --center-samples --scale 125\n"
    "  dualdict info digits.safetensors\n"
    "  dualdict mosaic digits.safetensors -o atoms.png\n"
    "  dualdict report digits.safetensors -o page.html\n"
    "  dualdict encode digits.safetensors digits.npy -o codes.npy\n";

std::vector<Command> add_commands(CLI::App& root) {
  return {add_learn(root),  add_encode(root),   add_decode(root),  add_info(root),    add_verify(root),
          add_score(root),  add_mosaic(root),   add_report(root),  add_options(root), add_completion(root),
          add_manual(root), add_generate(root), add_convert(root), add_audit(root),   add_compare(root),
          add_index(root),  add_search(root),   add_denoise(root)};
}

// The parser says "--atoms: 1 required K missing" when nothing follows --atoms.
std::string parser_message(const CLI::ParseError& error) {
  std::string text = error.what();
  const auto colon = text.find(':');
  if (text.ends_with(" missing") && colon != std::string::npos)
    return text.substr(0, colon) + ": a value must follow it";
  return text;
}

// Ranks that do not share the work would all write the same output.
void require_one_process(const std::string& command) {
  if (command != "learn" && launched_ranks() > 1)
    throw Error(ErrorKind::kUsage, command + ": is not allowed under mpirun with " + std::to_string(launched_ranks()) +
                                       " ranks: only learn shares its work; run it without mpirun");
}

int parse_and_run(CLI::App& root, const std::vector<Command>& commands, int argc, const char* const* argv) {
  try {
    refuse_unknown_names(root, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    root.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::CallForHelp&) {
    const auto used = root.get_subcommands();
    write_stdout((used.empty() ? root : *used.front()).help());
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto used = root.get_subcommands();
    const std::string name = used.empty() ? "dualdict" : "dualdict " + used.front()->get_name();
    throw Error(ErrorKind::kUsage, parser_message(error) + " (see " + name + " --help)");
  }
  std::string names;
  for (const Command& command : commands) {
    if (command.app->parsed()) {
      require_one_process(command.app->get_name());
      return command.run();
    }
    names += (names.empty() ? "" : ", ") + command.app->get_name();
  }
  throw Error(ErrorKind::kUsage, "a command is missing: one of " + names + " (see dualdict --help)");
}

// Takes no memory to say that there is none.
int out_of_memory() noexcept {
  std::fputs("dualdict: error: not enough memory: fewer samples or atoms, or --dtype float32, need less\n", stderr);
  return exit_code(ErrorKind::kMemory);
}

// Destructors of the JSON library take memory; when there is none, they end the process. A save is whole or has not
// happened, so this may be done at any time.
[[noreturn]] void on_terminate() noexcept {
  try {
    if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
  } catch (const std::bad_alloc&) {
    _exit(out_of_memory());
  } catch (...) {
    std::abort();
  }
  std::abort();
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  std::set_terminate(on_terminate);
  occupy_standard_streams();
  ignore_file_size_signal();
  try {
    CLI::App root("Learn sparse dictionaries that come with their encoder, and encode with one matrix product",
                  "dualdict");
    root.formatter(std::make_shared<HelpFormatter>());
    root.footer(kExamples);
    root.set_help_flag("-h,--help", "print this help and exit");
    root.set_version_flag("--version", "dualdict " DUALDICT_VERSION, "print the version and exit");
    root.require_subcommand(0, 1);
    const std::vector<Command> commands = add_commands(root);
    for (const Command& command : commands) command.app->group("Commands");
    return parse_and_run(root, commands, argc, argv);
  } catch (const Interrupted& interrupted) {
    return interrupted.exit_code();
  } catch (const OtherRankFailed& error) {  // that one has said it
    return exit_code(error.kind());
  } catch (const Error& error) {
    print_error(error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // more elements than any memory holds
    return out_of_memory();
  } catch (const std::exception& error) {
    print_error(std::string("unexpected: ") + error.what());
    return exit_code(ErrorKind::kNumerical);
  }
}

}  // namespace dualdict::cli
