// What words add to the scores of documents: the loops that take a search's time.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels.h"
#include "posting.h"

namespace native {

// What a word adds to the score of a document that says it: worth × count / (count + norm), the norm being
// k1 × (1 − b + b × length / average length).
struct Norm {
    double k1, rest, slope;

    double weighed(double count, double worth, float length) const {
        return count * worth / (k1 * (rest + slope * static_cast<double>(length)) + count);
    }
};

// The codes may be missing: then each of the rows says it ONCE.
FORMS inline void weigh(const Row* rows, const std::uint8_t* codes, std::size_t n, const float* lengths,
                                      double worth, const Norm& norm, double* added) {
    if (codes == nullptr)
        for (std::size_t i = 0; i < n; ++i) added[i] = norm.weighed(0.25 * ONCE, worth, lengths[rows[i]]);
    else
        for (std::size_t i = 0; i < n; ++i) added[i] = norm.weighed(0.25 * codes[i], worth, lengths[rows[i]]);
}

// The places of sums of at least `low`, ascending; how many.
FORMS inline std::size_t reaching(const double* sums, std::size_t n, double low, std::int32_t* found) {
    constexpr std::size_t AT_ONCE = 16;
    std::size_t count = 0;
    for (std::size_t at = 0; at < n; at += AT_ONCE) {
        const std::size_t end = std::min(n, at + AT_ONCE);
        int any = 0;
        if (end == at + AT_ONCE)
            for (std::size_t i = 0; i < AT_ONCE; ++i) any |= sums[at + i] >= low;
        else
            any = 1;
        if (!any) continue;
        for (std::size_t i = at; i < end; ++i)
            if (sums[i] >= low) found[count++] = static_cast<std::int32_t>(i);
    }
    return count;
}

}  // namespace native
