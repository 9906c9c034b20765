// A matrix of signed bytes times rows of floats, for processors with AVX-512 and VNNI.
//
// The rows become bytes first, by one scale for all of them: so a text is multiplied alone. Products of bytes are exact.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define HAS_VNNI_FORM 1
#include <immintrin.h>
#else
#define HAS_VNNI_FORM 0
#endif

namespace native {

constexpr std::size_t WIDE = 16;         // floats of a register
constexpr std::size_t PANEL = 2 * WIDE;  // columns of a matrix that lie together
constexpr std::size_t FOUR = 4;          // bytes that one instruction multiplies and adds up
constexpr std::size_t MOST_ROWS = 14;    // whose sums for a panel fit into the registers

// A matrix of signed bytes, and what belongs to it.
struct Dense {
    std::size_t inputs, outputs;
    const std::int8_t* packed;            // [outputs / PANEL][inputs / FOUR][PANEL][FOUR]
    std::vector<float> calm;              // by what the activations of each input are multiplied before
    std::vector<float> scale, bias;       // of each output
    std::vector<std::int32_t> sums;       // of each output's weights
};

#if HAS_VNNI_FORM
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")
#pragma GCC optimize("fp-contract=off")  // a product and a sum are one operation only where that is written
#define INLINE inline __attribute__((always_inline))

// What `multiply` writes down on its way.
struct Scratch {
    std::vector<std::int32_t> bytes;
    std::vector<float> scales;
};

struct Range {
    __m512 least, most;

    INLINE Range() : least(_mm512_setzero_ps()), most(least) {}  // 0 is among what a byte must be able to say
    INLINE void take(__m512 numbers) {
        least = _mm512_min_ps(least, numbers);
        most = _mm512_max_ps(most, numbers);
    }
};

// The sums of ROWS rows for one panel: in registers, each by a name of its own.
template <std::size_t ROWS>
struct Sums : Sums<ROWS - 1> {
    __m512i left, right;

    INLINE void clear() {
        Sums<ROWS - 1>::clear();
        left = right = _mm512_setzero_si512();
    }
    INLINE void add(const std::int32_t* rows, __m512i left_columns, __m512i right_columns) {
        Sums<ROWS - 1>::add(rows, left_columns, right_columns);
        const __m512i four = _mm512_set1_epi32(rows[ROWS - 1]);
        left = _mm512_dpbusd_epi32(left, four, left_columns);
        right = _mm512_dpbusd_epi32(right, four, right_columns);
    }
    INLINE void store(std::int32_t* to) const {
        Sums<ROWS - 1>::store(to);
        _mm512_store_si512(to + (ROWS - 1) * PANEL, left);
        _mm512_store_si512(to + (ROWS - 1) * PANEL + WIDE, right);
    }
};
template <>
struct Sums<0> {
    INLINE void clear() {}
    INLINE void add(const std::int32_t*, __m512i, __m512i) {}
    INLINE void store(std::int32_t*) const {}
};

// `rows`: [inputs / FOUR][ROWS][FOUR] bytes. Each weight is read once, in the order in which it lies.
template <std::size_t ROWS>
void products(const std::int32_t* rows, const std::int8_t* panel, std::size_t inputs, std::int32_t* to) {
    Sums<ROWS> sums;
    sums.clear();
    for (const std::int8_t* end = panel + inputs * PANEL; panel != end; panel += FOUR * PANEL, rows += ROWS)
        sums.add(rows, _mm512_load_si512(panel), _mm512_load_si512(panel + FOUR * WIDE));
    sums.store(to);
}

using Products = void (*)(const std::int32_t*, const std::int8_t*, std::size_t, std::int32_t*);
constexpr Products PRODUCTS[MOST_ROWS + 1] = {
    nullptr,     products<1>, products<2>,  products<3>,  products<4>,  products<5>,  products<6>, products<7>,
    products<8>, products<9>, products<10>, products<11>, products<12>, products<13>, products<14>};

// Rows in the fewest blocks of at most MOST_ROWS, as even as can be.
struct Blocks {
    std::size_t rows, count = (rows + MOST_ROWS - 1) / MOST_ROWS;
    std::size_t start(std::size_t block) const { return rows * block / count; }
};

// Floats as bytes: of `by` each, `zero` for 0.
struct Steps {
    float by;
    std::int32_t zero;

    explicit Steps(const Range& range) {
        const float least = _mm512_reduce_min_ps(range.least), most = _mm512_reduce_max_ps(range.most);
        by = most == least ? 1.0f : (most - least) / 255.0f;
        zero = static_cast<std::int32_t>(std::nearbyint(std::max(0.0f, std::min(255.0f, -least / by))));
    }
};

// The bytes of each block of rows as `products` reads them.
inline void quantise(const float* given, std::size_t inputs, Blocks blocks, Steps steps, std::int32_t* to) {
    const __m512 by = _mm512_set1_ps(steps.by);
    const __m512 least = _mm512_set1_ps(static_cast<float>(-steps.zero));
    const __m512 most = _mm512_set1_ps(static_cast<float>(255 - steps.zero));
    const __m512i zero = _mm512_set1_epi32(steps.zero);
    for (std::size_t block = 0; block < blocks.count; ++block) {
        const std::size_t start = blocks.start(block), count = blocks.start(block + 1) - start;
        for (std::size_t row = 0; row < count; ++row) {
            const float* from = given + (start + row) * inputs;
            std::int32_t* place = to + start * inputs / FOUR + row;
            for (std::size_t at = 0; at < inputs; at += WIDE) {
                const __m512 scaled = _mm512_div_ps(_mm512_loadu_ps(from + at), by);
                const __m512i whole = _mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(scaled, least), most));
                alignas(16) std::int32_t fours[WIDE / FOUR];
                const __m128i bytes = _mm512_cvtepi32_epi8(_mm512_add_epi32(whole, zero));
                _mm_store_si128(reinterpret_cast<__m128i*>(fours), bytes);
                for (const std::int32_t four : fours) {
                    *place = four;
                    place += count;
                }
            }
        }
    }
}

// given × weights + bias, `given` being what was calmed already.
inline void multiply(const Dense& dense, const float* given, const Range& range, std::size_t rows, Scratch& scratch,
                     float* to) {
    const Steps steps(range);
    const Blocks blocks{rows};
    quantise(given, dense.inputs, blocks, steps, scratch.bytes.data());
    for (std::size_t at = 0; at < dense.outputs; ++at) scratch.scales[at] = steps.by * dense.scale[at];
    for (std::size_t column = 0; column < dense.outputs; column += PANEL)
        for (std::size_t block = 0; block < blocks.count; ++block) {
            const std::size_t start = blocks.start(block), count = blocks.start(block + 1) - start;
            alignas(64) std::int32_t sums[MOST_ROWS * PANEL];
            PRODUCTS[count](scratch.bytes.data() + start * dense.inputs / FOUR, dense.packed + column * dense.inputs,
                            dense.inputs, sums);
            for (std::size_t at = 0; at < PANEL; at += WIDE) {
                const __m512i weights = _mm512_loadu_si512(dense.sums.data() + column + at);
                const __m512i off = _mm512_mullo_epi32(_mm512_set1_epi32(steps.zero), weights);
                const __m512 scale = _mm512_loadu_ps(scratch.scales.data() + column + at);
                const __m512 bias = _mm512_loadu_ps(dense.bias.data() + column + at);
                for (std::size_t row = 0; row < count; ++row) {
                    const __m512i sum = _mm512_sub_epi32(_mm512_load_si512(sums + row * PANEL + at), off);
                    const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
                    _mm512_storeu_ps(to + (start + row) * dense.outputs + column + at, _mm512_add_ps(scaled, bias));
                }
            }
        }
}

inline Range calm(const float* given, const std::vector<float>& factors, std::size_t rows, float* to) {
    Range range;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t at = 0; at < factors.size(); at += WIDE, given += WIDE, to += WIDE) {
            const __m512 calmed = _mm512_mul_ps(_mm512_loadu_ps(given), _mm512_loadu_ps(factors.data() + at));
            range.take(calmed);
            _mm512_storeu_ps(to, calmed);
        }
    return range;
}

#undef INLINE
#pragma GCC pop_options
#endif

}  // namespace native
