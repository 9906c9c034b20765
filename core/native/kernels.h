// Products of vectors, in the widest form that the processor at hand knows.
//
// Every sum is taken in an order that depends on the length alone: equal vectors give equal products wherever
// they lie.

#pragma once

#include <cstddef>
#include <cstdint>

// One build, several forms of a function, chosen when the module is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FORMS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FORMS
#endif

namespace native {

// Double precision: what callers are shown, and what decides between near ones.
FORMS inline double exact_product(const float* a, const float* b, std::size_t n) {
    constexpr std::size_t LANES = 16;
    double lanes[LANES] = {};
    std::size_t at = 0;
    for (; at + LANES <= n; at += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane)
            lanes[lane] += static_cast<double>(a[at + lane]) * static_cast<double>(b[at + lane]);
    double sum = 0.0;
    for (; at < n; ++at) sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
    for (double lane : lanes) sum += lane;
    return sum;
}

}  // namespace native
