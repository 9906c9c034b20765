// Long work at low priority.

#pragma once

#include <exception>
#include <thread>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace native {

constexpr int NICE = 10;  // a tenth of the processor's time where others want all of it

// Runs `act` in a thread of its own that leaves the processors to others, and waits for it without the GIL. The caller
// keeps its priority: a thread of low priority that got the GIL would wait for a processor with it, and all others for
// the GIL (half a second was measured). Elsewhere than on Linux threads have no priority of their own.
template <typename Act>
void aside(Act act) {
    std::exception_ptr failure;
    std::thread thread([&] {
#if defined(__linux__)
        (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), NICE);  // a sandbox may forbid it
#endif
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
