// A transformer's encoder between its embedded tokens and their mean, for processors with AVX-512 and VNNI.
//
// To the last bit what onnxruntime 1.31 makes of the same graph on such a processor: sums are taken in its order, and
// rounded where it rounds. A rounding elsewhere would move some activation to the byte beside, and the vector by as
// much as quantisation costs. Rows are tokens; they are as wide as registers, or a multiple.

#pragma once

#include "dense.h"

#include <limits>

namespace native {

constexpr std::size_t HEAD = 32;            // floats of an attention head
constexpr std::size_t ROWS_AT_ONCE = 4;     // in norms and attention: enough sums to keep a processor busy
constexpr std::size_t ATTENTION_ROWS = 64;  // that onnxruntime multiplies together: a single one goes another way

struct Norm {
    std::vector<float> weight, bias;
};

struct Layer {
    Dense qkv, attended, raising, lowering;
    Norm after_attention, after_all;
};

struct Model {
    std::size_t hidden, heads, inner;
    float epsilon;
    Norm first;
    std::vector<Layer> layers;
};

#if HAS_VNNI_FORM
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")
#pragma GCC optimize("fp-contract=off")
#define INLINE inline __attribute__((always_inline))

// The room that one text takes.
struct Desk {
    Desk(const Model& model, std::size_t rows)
        : padded((rows + PANEL - 1) / PANEL * PANEL),
          states(rows * model.hidden),
          mixed(rows * model.hidden),
          calmed(rows * model.hidden),
          broad(rows * std::max(3 * model.hidden, model.inner)),
          keys(HEAD * padded),
          shares(ROWS_AT_ONCE * padded),
          scratch{std::vector<std::int32_t>(rows * std::max(model.hidden, model.inner) / FOUR),
                  std::vector<float>(std::max(3 * model.hidden, model.inner))} {}

    std::size_t padded;
    std::vector<float> states, mixed, calmed, broad, keys, shares;
    Scratch scratch;
};

// ---- functions ----

// Highest power first.
template <std::size_t TERMS>
INLINE __m512 polynomial(__m512 x, const float (&factors)[TERMS]) {
    __m512 sum = _mm512_set1_ps(factors[0]);
    for (std::size_t term = 1; term < TERMS; ++term) sum = _mm512_fmadd_ps(sum, x, _mm512_set1_ps(factors[term]));
    return sum;
}

// e^x by Cody and Waite's reduction: x less a multiple of ln 2, a polynomial of the rest, and the power of 2. The
// polynomials, of this and of erf, are N. Juffa's, which onnxruntime takes.
template <std::size_t TERMS>
INLINE __m512 exponential(__m512 x, const float (&factors)[TERMS]) {
    const __m512 rounding = _mm512_set1_ps(12582912.0f);  // 1.5 × 2^23: what is added to it is rounded
    const __m512 doublings = _mm512_sub_ps(_mm512_fmadd_ps(x, _mm512_set1_ps(1.44269504f), rounding), rounding);
    x = _mm512_fmadd_ps(doublings, _mm512_set1_ps(-6.93145752e-1f), x);
    x = _mm512_fmadd_ps(doublings, _mm512_set1_ps(-1.42860677e-6f), x);
    return _mm512_scalef_ps(polynomial(x, factors), doublings);
}

constexpr float OF_SHARES[] = {0x1.694p-10f,  0x1.125edcp-7f, 0x1.555b5ap-5f, 0x1.55545p-3f,
                               0x1.fffff6p-2f, 1.0f,           1.0f};
constexpr float OF_ERF[] = {1.38319808e-3f, 8.37550033e-3f, 4.16689515e-2f, 1.66664466e-1f,
                            4.99999851e-1f, 1.0f,           1.0f};
constexpr float NEAR_ZERO[] = {-5.99104969e-4f, 4.99339588e-3f, -2.67667342e-2f,
                               1.12818025e-1f,  -3.76124859e-1f, 1.28379151e-1f};
constexpr float FARTHER[] = {1.7294893e-5f,   -3.8320868e-4f, 3.88393435e-3f, -2.42545605e-2f,
                             1.06777847e-1f, 6.34846687e-1f, 1.28717512e-1f};

// x/2 (1 + erf(x/√2)); erf by two polynomials, one of them in an exponent.
INLINE __m512 gelu(__m512 x) {
    const __m512 sign = _mm512_set1_ps(-0.0f), one = _mm512_set1_ps(1.0f);
    const __m512 given = _mm512_mul_ps(x, _mm512_set1_ps(0.70710678f));
    const __m512 size = _mm512_min_ps(_mm512_andnot_ps(sign, given), _mm512_set1_ps(3.925f));  // beyond, it is 1
    const __m512 square = _mm512_mul_ps(size, size);
    const __m512 near = _mm512_fmadd_ps(polynomial(square, NEAR_ZERO), size, size);
    __m512 far = _mm512_fmadd_ps(polynomial(size, FARTHER), size, size);
    far = _mm512_sub_ps(one, exponential(_mm512_xor_ps(far, sign), OF_ERF));
    const __mmask16 is_far = _mm512_cmp_ps_mask(size, _mm512_set1_ps(0.921875f), _CMP_GT_OQ);
    const __m512 erf = _mm512_or_ps(_mm512_mask_blend_ps(is_far, near, far), _mm512_and_ps(given, sign));
    return _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(0.5f), x), _mm512_add_ps(erf, one));
}

// Through gelu and calmed, where it lies.
inline Range raise(float* states, const std::vector<float>& factors, std::size_t rows) {
    Range range;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t at = 0; at < factors.size(); at += WIDE, states += WIDE) {
            const __m512 raised = gelu(_mm512_loadu_ps(states));
            const __m512 calmed = _mm512_mul_ps(raised, _mm512_loadu_ps(factors.data() + at));
            range.take(calmed);
            _mm512_storeu_ps(states, calmed);
        }
    return range;
}

// ---- norms ----

INLINE float sum_of_eight(__m256 numbers) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(numbers), _mm256_extractf128_ps(numbers, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

// Each row less its mean, over its deviation, where it lies.
inline void normalise(float* states, const Norm& norm, float epsilon, std::size_t rows) {
    const std::size_t length = norm.weight.size();
    for (std::size_t start = 0; start < rows; start += ROWS_AT_ONCE) {
        const std::size_t count = std::min(ROWS_AT_ONCE, rows - start);
        float* row[ROWS_AT_ONCE];  // where there are fewer, the last one again
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) row[r] = states + (start + std::min(r, count - 1)) * length;
        __m512d sums[ROWS_AT_ONCE] = {};
        for (std::size_t at = 0; at < length; at += WIDE / 2)
            for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r)
                sums[r] = _mm512_add_pd(sums[r], _mm512_cvtps_pd(_mm256_loadu_ps(row[r] + at)));
        __m256 mean[ROWS_AT_ONCE], squares[ROWS_AT_ONCE] = {};
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r)
            mean[r] = _mm256_set1_ps(static_cast<float>(_mm512_reduce_add_pd(sums[r]) / static_cast<double>(length)));
        for (std::size_t at = 0; at < length; at += WIDE / 2)
            for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
                const __m256 off = _mm256_sub_ps(_mm256_loadu_ps(row[r] + at), mean[r]);
                squares[r] = _mm256_fmadd_ps(off, off, squares[r]);
            }
        for (std::size_t r = 0; r < count; ++r) {
            const float variance = sum_of_eight(squares[r]) / static_cast<float>(length);
            const __m512 by = _mm512_set1_ps(1.0f / std::sqrt(variance + epsilon));
            const __m512 middle = _mm512_set1_ps(_mm256_cvtss_f32(mean[r]));
            for (std::size_t at = 0; at < length; at += WIDE) {
                const __m512 off = _mm512_mul_ps(_mm512_sub_ps(_mm512_loadu_ps(row[r] + at), middle), by);
                const __m512 weight = _mm512_loadu_ps(norm.weight.data() + at);
                _mm512_storeu_ps(row[r] + at, _mm512_fmadd_ps(off, weight, _mm512_loadu_ps(norm.bias.data() + at)));
            }
        }
    }
}

// ---- attention ----

INLINE float sum_of_sixteen(__m512 numbers) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(numbers), _mm512_extractf32x8_ps(numbers, 1));
    const __m256 pairs = _mm256_hadd_ps(eight, eight), fours = _mm256_hadd_ps(pairs, pairs);
    return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
}

// Of WIDE places from `start` on, those before `end`.
INLINE __mmask16 those_left(std::size_t end, std::size_t start) {
    if (start >= end) return 0;
    return static_cast<__mmask16>(end - start >= WIDE ? 0xffff : (1u << (end - start)) - 1);
}

using Queries = const float* const (&)[ROWS_AT_ONCE];
using Totals = float (&)[ROWS_AT_ONCE];
using Mixtures = __m512 (&)[ROWS_AT_ONCE][2];

// What ROWS_AT_ONCE rows look for, against all keys: their shares, e^(likeness - the most alike), and these in total.
INLINE void weigh(Queries query, std::size_t rows, Desk& desk, Totals total) {
    const __m512 scale = _mm512_set1_ps(1.0f / std::sqrt(static_cast<float>(HEAD)));
    __m512 most[ROWS_AT_ONCE];
    for (__m512& each : most) each = _mm512_set1_ps(-std::numeric_limits<float>::max());
    for (std::size_t at = 0; at < desk.padded; at += PANEL) {
        __m512 sums[ROWS_AT_ONCE][2] = {};
        for (std::size_t place = 0; place < HEAD; ++place) {
            const float* keys = desk.keys.data() + place * desk.padded + at;
            const __m512 left = _mm512_loadu_ps(keys), right = _mm512_loadu_ps(keys + WIDE);
            for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
                const __m512 sought = _mm512_set1_ps(query[r][place]);
                sums[r][0] = _mm512_fmadd_ps(sought, left, sums[r][0]);
                sums[r][1] = _mm512_fmadd_ps(sought, right, sums[r][1]);
            }
        }
        for (std::size_t half = 0; half < 2; ++half)
            for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
                const __m512 alike = _mm512_mul_ps(sums[r][half], scale);
                most[r] = _mm512_mask_max_ps(most[r], those_left(rows, at + half * WIDE), most[r], alike);
                _mm512_storeu_ps(desk.shares.data() + r * desk.padded + at + half * WIDE, alike);
            }
    }
    for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
        const __m512 off = _mm512_set1_ps(-_mm512_reduce_max_ps(most[r]));
        __m512 sum = _mm512_setzero_ps();
        for (std::size_t at = 0; at < desk.padded; at += WIDE) {
            float* shares = desk.shares.data() + r * desk.padded + at;
            const __m512 below = _mm512_add_ps(_mm512_loadu_ps(shares), off);
            const __m512 share = exponential(_mm512_max_ps(below, _mm512_set1_ps(-103.97208f)), OF_SHARES);
            sum = _mm512_mask_add_ps(sum, those_left(rows, at), sum, share);
            _mm512_storeu_ps(shares, share);
        }
        total[r] = sum_of_sixteen(sum);
    }
}

// The sum of all values by their shares.
INLINE void mix(const float* values, std::size_t stride, std::size_t rows, const Desk& desk, Mixtures sums) {
    for (std::size_t row = 0; row < rows; ++row, values += stride) {
        const __m512 left = _mm512_loadu_ps(values), right = _mm512_loadu_ps(values + WIDE);
        for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r) {
            const __m512 share = _mm512_set1_ps(desk.shares[r * desk.padded + row]);
            sums[r][0] = _mm512_fmadd_ps(share, left, sums[r][0]);
            sums[r][1] = _mm512_fmadd_ps(share, right, sums[r][1]);
        }
    }
}

// The same for one row alone, as onnxruntime does that: four values at a time, each product rounded.
INLINE void mix_alone(const float* values, std::size_t stride, std::size_t rows, const Desk& desk, __m512 (&sum)[2]) {
    for (std::size_t half = 0; half < 2; ++half)
        for (std::size_t start = 0; start < rows; start += FOUR) {
            __m512 four = _mm512_setzero_ps();
            for (std::size_t row = start; row < std::min(start + FOUR, rows); ++row) {
                const __m512 value = _mm512_loadu_ps(values + row * stride + half * WIDE);
                four = _mm512_add_ps(four, _mm512_mul_ps(_mm512_set1_ps(desk.shares[row]), value));
            }
            sum[half] = _mm512_add_ps(four, sum[half]);
        }
}

// `desk.broad`: queries, keys and values of all heads side by side. To `desk.mixed`.
inline void attend(const Model& model, std::size_t rows, Desk& desk) {
    const std::size_t stride = 3 * model.hidden;
    for (std::size_t head = 0; head < model.heads; ++head) {
        const float* queries = desk.broad.data() + head * HEAD;
        const float *keys = queries + model.hidden, *values = keys + model.hidden;
        for (std::size_t row = 0; row < rows; ++row)  // what is beyond the rows stays 0
            for (std::size_t at = 0; at < HEAD; ++at) desk.keys[at * desk.padded + row] = keys[row * stride + at];
        for (std::size_t start = 0; start < rows; start += ROWS_AT_ONCE) {
            const std::size_t count = std::min(ROWS_AT_ONCE, rows - start);
            const float* query[ROWS_AT_ONCE];
            for (std::size_t r = 0; r < ROWS_AT_ONCE; ++r)
                query[r] = queries + (start + std::min(r, count - 1)) * stride;
            float total[ROWS_AT_ONCE];
            weigh(query, rows, desk, total);
            __m512 sums[ROWS_AT_ONCE][2] = {};
            if (start == rows - 1 && start % ATTENTION_ROWS == 0)
                mix_alone(values, stride, rows, desk, sums[0]);
            else
                mix(values, stride, rows, desk, sums);
            for (std::size_t r = 0; r < count; ++r)
                for (std::size_t half = 0; half < 2; ++half)
                    _mm512_storeu_ps(desk.mixed.data() + (start + r) * model.hidden + head * HEAD + half * WIDE,
                                     _mm512_div_ps(sums[r][half], _mm512_set1_ps(total[r])));
        }
    }
}

// ---- the whole ----

// The layer's change of the states, which is in `desk.mixed`, added to them.
inline void change(Desk& desk, const Norm& norm, float epsilon, std::size_t rows) {
    for (std::size_t at = 0; at < desk.states.size(); at += WIDE) {
        const __m512 changed = _mm512_add_ps(_mm512_loadu_ps(&desk.states[at]), _mm512_loadu_ps(&desk.mixed[at]));
        _mm512_storeu_ps(&desk.states[at], changed);
    }
    normalise(desk.states.data(), norm, epsilon, rows);
}

// The mean of the last states over the rows, of which there is one at least: `model.hidden` floats.
inline void encode(const Model& model, const float* embedded, std::size_t rows, float* to) {
    Desk desk(model, rows);
    std::copy_n(embedded, rows * model.hidden, desk.states.data());
    normalise(desk.states.data(), model.first, model.epsilon, rows);
    for (const Layer& layer : model.layers) {
        float *states = desk.states.data(), *mixed = desk.mixed.data(), *calmed = desk.calmed.data();
        float* broad = desk.broad.data();
        multiply(layer.qkv, calmed, calm(states, layer.qkv.calm, rows, calmed), rows, desk.scratch, broad);
        attend(model, rows, desk);
        multiply(layer.attended, calmed, calm(mixed, layer.attended.calm, rows, calmed), rows, desk.scratch, mixed);
        change(desk, layer.after_attention, model.epsilon, rows);
        multiply(layer.raising, calmed, calm(states, layer.raising.calm, rows, calmed), rows, desk.scratch, broad);
        multiply(layer.lowering, broad, raise(broad, layer.lowering.calm, rows), rows, desk.scratch, mixed);
        change(desk, layer.after_all, model.epsilon, rows);
    }
    for (std::size_t at = 0; at < model.hidden; at += WIDE) {
        __m512 sum = _mm512_loadu_ps(&desk.states[at]);
        for (std::size_t row = 1; row < rows; ++row)
            sum = _mm512_add_ps(sum, _mm512_loadu_ps(&desk.states[row * model.hidden + at]));
        _mm512_storeu_ps(to + at, _mm512_div_ps(sum, _mm512_set1_ps(static_cast<float>(rows))));
    }
}

#undef INLINE
#pragma GCC pop_options
#endif

inline bool is_able() {
#if HAS_VNNI_FORM
    return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

}  // namespace native
