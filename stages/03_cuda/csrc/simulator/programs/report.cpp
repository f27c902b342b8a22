// What a program is told: faults as they happen, errors of calls, and at its end what remains.
//
// Printed as compute-sanitizer prints; the summary is like the first page of Nsight Systems.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "program.h"

namespace norch_sim {
namespace {
constexpr int kStatus = 86;                         // of a program in which something was found
constexpr const char* kOurs = "/norch_cuda/csrc/";  // compiler.py calls the headers so

struct Said {
  int faults = 0;
  cudaError_t last = cudaSuccess, broken = cudaSuccess;
  std::vector<std::string> unseen;  // errors that the program has not looked at
  std::map<std::string, Measured> kernels, copies;
};
Said& said() {
  static auto* instance = new Said;
  return *instance;
}

// Each line behind the mark of a sanitizer.
void print(const std::string& text) {
  fflush(stdout);
  for (size_t from = 0; from <= text.size();) {
    size_t end = std::min(text.find('\n', from), text.size());
    fprintf(stderr, "========= %s\n", text.substr(from, end - from).c_str());
    from = end + 1;
  }
}

bool is_ours(const std::string& path) {
  return path.find(kOurs) != std::string::npos || path.compare(0, 5, "/usr/") == 0;
}

cudaError_t looked_at(cudaError_t error) {
  said().unseen.clear();
  return error;
}

void print_table(const char* title, const char* amount,
                 const std::map<std::string, Measured>& all) {
  std::vector<std::pair<std::string, Measured>> rows(all.begin(), all.end());
  std::sort(rows.begin(), rows.end(),
            [](auto& a, auto& b) { return a.second.seconds > b.second.seconds; });
  double total = 0;
  for (const auto& [name, one] : rows) total += one.seconds;
  fprintf(stderr, " %s\n %7s %12s %9s %12s %16s  %s\n", title, "Time", "Total (ms)", "Count",
          "Avg (ms)", amount, "Name");
  for (const auto& [name, one] : rows) {
    fprintf(stderr, " %6.1f%% %12.3f %9d %12.4f %16lld  %s\n", 100 * one.seconds / total,
            1e3 * one.seconds, one.count, 1e3 * one.seconds / one.count,
            static_cast<long long>(one.amount), name.c_str());
  }
}

void print_summary() {
  fprintf(stderr, "\n");
  print_table("Kernels (time on this processor, not on a GPU)", "Threads", said().kernels);
  print_table("Copies and fills", "Bytes", said().copies);
  fprintf(stderr, " At most %zu bytes of memory were allocated at once.\n", most_bytes());
}

void finish(int status, void*) {
  Said& s = said();
  std::string left = still_running();
  if (!left.empty()) {
    say("the program ends while " + left + " may still run: call cudaDeviceSynchronize() before");
  }
  bool clean = status == 0 && s.broken == cudaSuccess;
  for (const std::string& error : s.unseen) {
    if (clean)
      say("an error that the program did not look at: " + error +
          "; check what calls return, and cudaGetLastError() after a launch");
  }
  if (settings().checked && s.broken == cudaSuccess) say_leaks();
  if (settings().summary) print_summary();
  if (settings().checked || s.faults > 0) {
    print("ERROR SUMMARY: " + std::to_string(s.faults) + (s.faults == 1 ? " error" : " errors"));
  }
  fflush(nullptr);
  if (s.faults > 0) _exit(kStatus);
}
const int registered = on_exit(finish, nullptr);
}  // namespace

const Settings& settings() {
  static const Settings instance = [] {
    auto is_set = [](const char* name) { return getenv(name) != nullptr; };
    const char* seconds = getenv("NORCH_SECONDS");
    return Settings{is_set("NORCH_CHECK"),         is_set("NORCH_ASYNC"),
                    is_set("NORCH_SUMMARY"),       is_set("NORCH_REVERSED") ? -1 : 1,
                    seconds ? atof(seconds) : 1e9, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
  }();
  return instance;
}

std::recursive_mutex& api() {
  static auto* instance = new std::recursive_mutex;
  return *instance;
}

std::string words(const Place& place) { return site(place.file, place.line); }

std::string line_of(const uint64_t* offsets, size_t count) {
  std::string command = "addr2line -i -e /proc/" + std::to_string(getpid()) + "/exe";
  for (size_t i = 0; i < count; i++) {
    char text[24];
    snprintf(text, sizeof text, " 0x%llx", static_cast<unsigned long long>(offsets[i]));
    command += text;
  }
  FILE* answer = popen((command + " 2>/dev/null").c_str(), "r");
  std::string first, found;
  char row[4096];
  while (answer != nullptr && fgets(row, sizeof row, answer)) {
    std::string path = row;
    path = path.substr(0, std::min(path.find(" (discriminator"), path.find('\n')));
    if (path[0] == '?') continue;
    std::string& kept = is_ours(path) ? first : found;
    if (kept.empty()) kept = path.substr(path.rfind('/') + 1);
  }
  if (answer != nullptr) pclose(answer);
  return !found.empty() ? found : !first.empty() ? first : "an unknown line";
}

void say(const std::string& text) {
  print(text);
  said().faults++;
}

void say_leaks() {
  for (Memory* m : living_memory()) {
    if (m->room == 0) continue;
    say("Leaked " + std::to_string(m->end - m->begin) + " bytes: " + describe(*m) +
        " is never freed");
  }
}

void stop_program(const std::string& text) {
  say(text);
  finish(kStatus, nullptr);
  _exit(kStatus);
}

cudaError_t refuse_call(cudaError_t error, const Call& call, const std::string& reason) {
  std::string place = call.name + (call.at.file ? " at " + words(call.at) : "");
  print("Program hit " + std::string(cudaGetErrorName(error)) + " (error " + std::to_string(error) +
        ") on " + place + ":\n    " + reason);
  said().unseen.push_back(std::string(cudaGetErrorName(error)) + " of " + place);
  return said().last = error;
}

void break_device(cudaError_t error) { said().broken = error; }
cudaError_t result() { return said().broken; }

Measured& measured(bool kernel, const std::string& name) {
  return (kernel ? said().kernels : said().copies)[name];
}
}  // namespace norch_sim

using namespace norch_sim;

cudaError_t cudaGetLastError() {
  Said& s = said();
  cudaError_t last = std::exchange(s.last, cudaSuccess);
  return looked_at(s.broken ? s.broken : last);
}
cudaError_t cudaPeekAtLastError() { return looked_at(said().broken ? said().broken : said().last); }

namespace {
struct Row {
  cudaError_t error;
  const char *name, *text;
};
#define NORCH_ROW(name, number, text) {name, #name, text},
constexpr Row kErrors[] = {NORCH_ERRORS(NORCH_ROW)};

const Row& row_of(cudaError_t error) {
  auto found = std::find_if(std::begin(kErrors), std::end(kErrors),
                            [&](const Row& row) { return row.error == error; });
  static constexpr Row kNone{cudaErrorUnknown, "unrecognized error code",
                             "unrecognized error code"};
  return found == std::end(kErrors) ? kNone : *found;
}
}  // namespace

const char* cudaGetErrorName(cudaError_t error) { return row_of(looked_at(error)).name; }
const char* cudaGetErrorString(cudaError_t error) { return row_of(looked_at(error)).text; }
