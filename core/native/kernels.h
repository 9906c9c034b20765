// Loops over vectors: dot products of floats and of bytes, quantisation, hashes of rows.
//
// A sum is taken in an order that depends on the length alone: equal vectors give equal products wherever they lie, on
// every processor. So FMA is off (-ffp-contract=off), and lanes are added up in a fixed order.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Function multiversioning: one build has each function for several processors, and the loader chooses. GCC 11 and
// clang 14 do not know these names of processors: what they build computes the same, and slower.
#if defined(__x86_64__) && defined(__GLIBC__) && __GNUC__ >= 12 && !defined(__clang__)
#define FORMS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FORMS
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_VNNI
#include <immintrin.h>
#endif

namespace native {

// Prefetches a row.
inline void fetch(const float* row, std::size_t n) {
    constexpr std::size_t LINE = 64 / sizeof(float);
    for (std::size_t at = 0; at < n; at += LINE) __builtin_prefetch(row + at);
}

constexpr std::size_t AHEAD = 2;  // how many rows ahead of their use they are prefetched

// GCC's and clang's vector extensions.
using Floats = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));
constexpr std::size_t LANES = 8;

// The dot product in double precision: what callers see, and what ranks.
FORMS inline double exact_product(const float* a, const float* b, std::size_t n) {
    constexpr std::size_t SUMS = 4;
    Doubles sums[SUMS] = {};
    std::size_t at = 0;
    for (; at + SUMS * LANES <= n; at += SUMS * LANES)
        for (std::size_t part = 0; part < SUMS; ++part) {
            Floats left, right;
            std::memcpy(&left, a + at + part * LANES, sizeof left);
            std::memcpy(&right, b + at + part * LANES, sizeof right);
            sums[part] += __builtin_convertvector(left, Doubles) * __builtin_convertvector(right, Doubles);
        }
    const Doubles lanes = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double sum = 0.0;
    for (; at < n; ++at) sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
    for (std::size_t lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

// The dot product in single precision: enough to choose candidates.
FORMS inline float product(const float* a, const float* b, std::size_t n) {
    constexpr std::size_t SUMS = 8;
    Floats sums[SUMS] = {};
    std::size_t at = 0;
    for (; at + SUMS * LANES <= n; at += SUMS * LANES)
        for (std::size_t part = 0; part < SUMS; ++part) {
            Floats left, right;
            std::memcpy(&left, a + at + part * LANES, sizeof left);
            std::memcpy(&right, b + at + part * LANES, sizeof right);
            sums[part] += left * right;
        }
    const Floats lanes = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    float sum = 0.0f;
    for (; at < n; ++at) sum += a[at] * b[at];
    for (std::size_t lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

// Adds a row to the sums of its columns.
FORMS inline void add_row(double* sums, const float* row, std::size_t n) {
    for (std::size_t at = 0; at < n; ++at) sums[at] += row[at];
}

// A row's difference from the centre; the largest of its absolute values, and its product with the centre.
FORMS inline void differ(const float* row, const float* centre, float* into, std::size_t n, float& most, float& product) {
    float greatest = 0.0f;
    for (std::size_t at = 0; at < n; ++at) {
        into[at] = row[at] - centre[at];
        greatest = std::max(greatest, std::fabs(into[at]));
    }
    most = greatest;
    product = native::product(into, centre, n);
}

// Quantises: rounds each value times `factor` to a byte; returns the sum of the bytes.
FORMS inline std::int32_t to_bytes(const float* values, float factor, std::int8_t* into, std::size_t n) {
    std::int32_t sum = 0;
    for (std::size_t at = 0; at < n; ++at) {
        const float scaled = std::max(-127.0f, std::min(127.0f, values[at] * factor));
        const auto rounded = static_cast<std::int32_t>(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
        into[at] = static_cast<std::int8_t>(rounded);
        sum += rounded;
    }
    return sum;
}

// Hashes a row's bits (multilinear hashing, modulo 2^64).
FORMS inline std::uint64_t row_hash(const std::uint32_t* bits, const std::uint64_t* factors, std::size_t n) {
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < n; ++at) hash += bits[at] * factors[at];
    return hash;
}

// The dot product of one's bytes, each shifted by 128 and so unsigned, and other's. `n` is a multiple of 64.
FORMS inline std::int32_t shifted_product(const std::int8_t* one, const std::int8_t* other, std::size_t n) {
    std::int32_t sum = 0;
    for (std::size_t at = 0; at < n; ++at) sum += (one[at] + 128) * other[at];
    return sum;
}

#ifdef HAS_VNNI
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

inline bool knows_vnni() { return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw"); }

// The same by AVX-512 VNNI.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12 suspects its own reduction
VNNI inline std::int32_t vnni_product(const std::int8_t* one, const std::int8_t* other, std::size_t n) {
    const __m512i shift = _mm512_set1_epi8(-128);
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t at = 0; at < n; at += 64)
        sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(_mm512_loadu_si512(one + at), shift),
                                  _mm512_loadu_si512(other + at));
    return _mm512_reduce_add_epi32(sum);
}
#pragma GCC diagnostic pop
#endif

}  // namespace native
