// Signals: the faults that a processor reports, and the one that says that the time is over.
//
// A handler runs between two instructions of anything, so it only writes down what happened and
// switches to the scheduler, which puts it into words. It runs on a stack of its own: the thread's
// may be what has run out.
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

// Where a return address is exchanged for, the stack is not as a call leaves it.
#if defined(__x86_64__)
#define NORCH_SYMBOL(name) NORCH_STRING(__USER_LABEL_PREFIX__) name
#define NORCH_STRING(x) NORCH_STRING2(x)
#define NORCH_STRING2(x) #x
__asm__(".text\n" NORCH_SYMBOL("norch_sim_leave") ":\n andq $-16, %rsp\n call " NORCH_SYMBOL(
    "norch_sim_leave_aligned") "\n");
extern "C" void norch_sim_leave();
#else
#define norch_sim_leave norch_sim_leave_aligned
#endif
extern "C" void norch_sim_leave_aligned();

namespace norch_sim {
namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kTimeIsOver = SIGURG;    // ignored by default, and sent by hardly anybody else
constexpr uintptr_t kNullPage = 4096;  // nothing lies below this address
constexpr size_t kHandlerStack = size_t(1) << 16;

// ---- where a thread was interrupted ----

struct Registers {
  uintptr_t code, stack;
};

Registers registers(void* context) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__APPLE__) && defined(__x86_64__)
  return {machine->__ss.__rip, machine->__ss.__rsp};
#elif defined(__APPLE__)
  return {machine->__ss.__pc, machine->__ss.__sp};
#elif defined(__x86_64__)
  return {uintptr_t(machine.gregs[REG_RIP]), uintptr_t(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
  (void)machine;
  return {0, 0};
#endif
}

bool in_kernel(const Block& block, uintptr_t code) {
  return code >= block.code_begin && code < block.code_end;
}

// Calls visit(word) for each word of the stack that may be a return address into the kernel's text,
// the innermost first, until it returns true.
template <class Visit>
void visit_returns(const Thread& thread, Registers at, Visit visit) {
  const Stack& stack = thread.fiber->stack;
  uintptr_t begin = std::max(at.stack, reinterpret_cast<uintptr_t>(stack.begin()));
  for (uintptr_t word = (begin + 7) & ~uintptr_t(7);
       word < reinterpret_cast<uintptr_t>(stack.end()); word += 8) {
    auto& code = *reinterpret_cast<uintptr_t*>(word);
    // Nothing returns to the text's first byte: such a word is a pointer to it.
    if (in_kernel(*thread.block, code - 1) && visit(code)) return;
  }
}

// The place in the kernel's text that was left last: here, or where the functions called from here
// return to. As of all sites one byte later: see fill_report in launch.cpp.
void* last_place(const Thread& thread, Registers at) {
  if (in_kernel(*thread.block, at.code)) return reinterpret_cast<void*>(at.code + 1);
  void* place = nullptr;
  visit_returns(thread, at, [&](uintptr_t& code) {
    place = reinterpret_cast<void*>(code);
    return true;
  });
  return place;
}

// ---- the handler ----

[[noreturn]] void leave(const Thread& thread, const Interrupt& caught) {
  this_worker().interrupt = caught;
  for (;;) this_worker().switch_to_scheduler(*thread.fiber);
}

struct sigaction before[NSIG];
bool passed_on[NSIG];

// The C library may hold locks: it cannot be left. But the kernel it returns to can: whatever on
// the stack leads back there now leads to the end of this thread.
void end_at_return(const Thread& thread, Registers at) {
  Interrupt& caught = thread.fiber->at_return;
  if (caught.signal == 0) caught = {kTimeIsOver, last_place(thread, at), at.code, at.stack, 0};
  visit_returns(thread, at, [](uintptr_t& code) {
    code = reinterpret_cast<uintptr_t>(norch_sim_leave);
    return false;
  });
}

// A SIGURG that is none of ours: the program's own handler gets it; by default it is ignored.
void call_previous(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = before[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

// Not a kernel's: the handler that was here before gets it, the second time the system.
void pass_on(int signal, const siginfo_t& info) {
  struct sigaction end{};
  end.sa_handler = SIG_DFL;
  sigaction(signal, passed_on[signal] ? &end : &before[signal], nullptr);
  passed_on[signal] = true;
  if (info.si_code <= 0) raise(signal);  // sent, not met: it would not happen again by itself
}

// The watchman's signals carry this address: a program may send SIGURG to itself too.
const char kWatchman = 0;

void send_time_is_over(pthread_t thread) {
#if defined(__linux__)
  sigval value;
  value.sival_ptr = const_cast<char*>(&kWatchman);
  pthread_sigqueue(thread, kTimeIsOver, value);
#else
  pthread_kill(thread, kTimeIsOver);
#endif
}

bool is_time_over(int signal, const siginfo_t& info) {
#if defined(__linux__)
  return signal == kTimeIsOver && info.si_code == SI_QUEUE && info.si_value.sival_ptr == &kWatchman;
#else
  return signal == kTimeIsOver && info.si_code <= 0 && info.si_pid == getpid();
#endif
}

// Whether another process sent it: then it says nothing about a kernel.
bool from_outside(const siginfo_t& info) { return info.si_code <= 0 && info.si_pid != getpid(); }

// Whether a CUDA thread was running: on its stack, or at a jump of the stack pointer past its end.
bool runs_kernel(Registers at) {
  return self != nullptr &&
         (self->fiber->stack.contains(at.stack) || in_kernel(*self->block, at.code));
}

// The time of this OS thread's block is over: a kernel is left at once, what it called when it
// returns.
void end_late_thread(Registers at, bool kernel) {
  if (self == nullptr) return;
  const Thread& thread = *self;
  thread.block->expired = 1;
  if (!kernel) return;
  if (!in_kernel(*thread.block, at.code)) return end_at_return(thread, at);
  leave(thread, {kTimeIsOver, last_place(thread, at), at.code, at.stack, 0});
}

void handle(int signal, siginfo_t* info, void* context) {
  Registers at = registers(context);
  bool kernel = runs_kernel(at);
  if (is_time_over(signal, *info)) return end_late_thread(at, kernel);
  if (signal == kTimeIsOver) return call_previous(signal, info, context);
  if (!kernel || from_outside(*info)) return pass_on(signal, *info);
  leave(*self, {signal, last_place(*self, at), at.code, at.stack,
                reinterpret_cast<uintptr_t>(info->si_addr)});
}

void take(int signal) {
  struct sigaction now;
  sigaction(signal, nullptr, &now);
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle) return;
  struct sigaction ours{};
  ours.sa_sigaction = handle;
  // Not SA_RESTART: a kernel that sleeps or waits for input must come back to be ended.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  before[signal] = now;
  passed_on[signal] = false;
  sigaction(signal, &ours, nullptr);
}

// The stack that this OS thread's handlers run on, if it had none.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now;
    sigaltstack(nullptr, &now);
    if (!(now.ss_flags & SS_DISABLE)) return;
    memory_ = std::make_unique<char[]>(kHandlerStack);
    stack_t ours{};
    ours.ss_sp = memory_.get();
    ours.ss_size = kHandlerStack;
    sigaltstack(&ours, nullptr);
  }
  ~HandlerStack() {
    if (!memory_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    none.ss_size = kHandlerStack;
    sigaltstack(&none, nullptr);
  }

 private:
  std::unique_ptr<char[]> memory_;
};

// ---- what was caught, in words ----

std::string hexadecimal(uintptr_t address) {
  char text[24];
  snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(address));
  return text;
}

std::string describe_bad_address(const Thread& thread, const Interrupt& caught) {
  const std::string out_of_stack =
      "ran out of stack at {0}: a recursion without an end, or local arrays of more than " +
      std::to_string(kStackBytes / 1024) + " KiB";
  switch (thread.fiber->stack.part(caught.address)) {
    case StackPart::kBelow:
      return out_of_stack;
    case StackPart::kAbove:
      return "wrote past the end of a local array at {0}";
    case StackPart::kElsewhere:
      break;
  }
  if (!thread.fiber->stack.contains(caught.stack)) return out_of_stack;
  if (caught.code == caught.address) {
    return "calls a function at address " + hexadecimal(caught.code) + ", where none is, at {0}";
  }
  if (misses_dynamic_shared(caught.address)) {
    return std::string("reads or writes at {0} outside every array") + kNoDynamicShared;
  }
  const DynamicMemory& dynamic = thread.block->dynamic_shared;
  if (dynamic.is_near(caught.address)) {
    return "reads or writes at {0} outside its `extern __shared__` array, which has the " +
           std::to_string(dynamic.size()) + " bytes that dynamic_shared says";
  }
  if (caught.address < kNullPage) return "reads or writes at a null pointer at {0}";
  return "reads or writes address " + hexadecimal(caught.address) +
         ", where no array is, at {0}; run it inside norch_cuda.simulator(check=True) to see which "
         "array it left";
}

std::string describe_fault(const Thread& thread, const Interrupt& caught) {
  if (caught.signal == SIGFPE) {
    return "divides a whole number by zero at {0}, or the least one by -1";
  }
  if (caught.signal == SIGABRT) {
    return "is ended by the C library at {0}: an exception nobody may catch, or a bad free()";
  }
  if (caught.signal == SIGILL) return "comes to a trap at {0}: code that must not be reached";
  return describe_bad_address(thread, caught);
}

// ---- C++ exceptions ----

// What the exception that nobody catches says of itself, or the name of its type.
std::string describe_exception() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "of a type that says nothing";
  }
}

std::terminate_handler terminate_before = nullptr;

// A fiber has nobody who could catch: the C++ library gives up while the kernel is still on the
// stack.
void end_throwing_thread() {
  if (self == nullptr) terminate_before();
  std::string what = std::current_exception() ? ": " + describe_exception() : "";
  Registers at{0, reinterpret_cast<uintptr_t>(__builtin_frame_address(0))};
  Block& block = *self->block;
  record_error(block, describe_thread(*self) + " throws a C++ exception at {0}" + what, "", 0);
  block.sites[0] = last_place(*self, at);
  abandon(block);
}

// ---- time ----

using Seconds = std::chrono::duration<double>;
constexpr Seconds kAgain{0.002};

struct Watched {
  pthread_t thread;
  Clock::time_point deadline;
};

// One OS thread that sleeps until the earliest deadline, then wakes those who missed theirs.
struct Watchman {
  std::mutex mutex;  // of the handlers of signals, too
  std::condition_variable changed;
  std::vector<Watched> watched;
  Clock::time_point wakes = Clock::time_point::min();
  bool started = false;
};

// Never destroyed: a launch may still run at exit. A forked process has the memory of its parent
// but not its threads, of which one may have held the lock.
Watchman* watchman = [] {
  pthread_atfork(nullptr, nullptr, [] { watchman = new Watchman; });
  return new Watchman;
}();

void keep_watch() {
  Watchman& man = *watchman;
  std::unique_lock<std::mutex> lock(man.mutex);
  for (;;) {
    Clock::time_point now = Clock::now();
    man.wakes = now + std::chrono::hours(1);
    for (const Watched& one : man.watched) {
      bool over = one.deadline <= now;
      if (over) send_time_is_over(one.thread);
      auto again = now + std::chrono::duration_cast<Clock::duration>(kAgain);
      man.wakes = std::min(man.wakes, over ? again : one.deadline);
    }
    man.changed.wait_until(lock, man.wakes);
  }
}

// Signals meant for the program are not for this thread.
void start_watchman() {
  sigset_t all, mine;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mine);
  std::thread(keep_watch).detach();
  pthread_sigmask(SIG_SETMASK, &mine, nullptr);
}

}  // namespace

// What a thread comes to that returns to its kernel after the time is over.
extern "C" __attribute__((used)) void norch_sim_leave_aligned() {
  leave(*self, self->fiber->at_return);
}

void catch_faults() {
  static thread_local HandlerStack stack;
  std::lock_guard<std::mutex> lock(watchman->mutex);
  for (int signal : kFaults) take(signal);
  if (std::get_terminate() != end_throwing_thread) {
    terminate_before = std::set_terminate(end_throwing_thread);
  }
  take(kTimeIsOver);
}

std::string late(const Thread& thread, const std::string& place) {
  return "still running after the time allowed; " + describe_thread(thread) + " is at " + place +
         ": does its loop end, or does it wait for another thread?";
}

void report_interrupt(const Thread& thread, const Interrupt& caught) {
  Block& block = *thread.block;
  bool time = caught.signal == kTimeIsOver;
  record_error(
      block,
      time ? late(thread, "{0}") : describe_thread(thread) + " " + describe_fault(thread, caught),
      "", 0);
  block.sites[0] = caught.place;
}

TimeLimit::TimeLimit(Clock::time_point deadline) {
  Watchman& man = *watchman;
  std::lock_guard<std::mutex> lock(man.mutex);
  man.watched.push_back({pthread_self(), deadline});
  if (!man.started) start_watchman();
  man.started = true;
  if (deadline < man.wakes) man.changed.notify_one();
}

TimeLimit::~TimeLimit() {
  Watchman& man = *watchman;
  std::lock_guard<std::mutex> lock(man.mutex);
  auto mine = std::find_if(man.watched.begin(), man.watched.end(), [](const Watched& one) {
    return pthread_equal(one.thread, pthread_self());
  });
  man.watched.erase(mine);
}

}  // namespace norch_sim
