// Work that gives way to calls.

#pragma once

#include <exception>
#include <thread>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace native {

constexpr int NICE = 10;  // a tenth of the processor's time, where others want all of it

inline void step_back() {
#if defined(__linux__)  // where a thread has a priority of its own; a sandbox may forbid it
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), NICE);
#endif
}

// What takes long, in a thread of its own that leaves the processors to others. Its caller, who waits for it without
// Python's lock, keeps its priority: a thread of a low one that came to have the lock would wait for a processor with it,
// and everyone else for the lock (half a second was measured).
template <typename Act>
void aside(Act act) {
    std::exception_ptr failure;
    std::thread thread([&] {
        step_back();
        try {
            act();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace native
