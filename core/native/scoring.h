// BM25 over postings: the loops that take a search's time.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels.h"
#include "posting_list.h"

namespace native {

// What a term adds to the score of a document: weight * tf / (tf + norm), where weight is the term's weight in the
// query * idf * (k1 + 1), and norm is k1 * (1 - b + b * length / average length) of the document.
struct Bm25 {
    double k1, base, slope;  // norm = k1 * (base + slope * length)

    double score(double frequency, double weight, float length) const {
        return frequency * weight / (k1 * (base + slope * static_cast<double>(length)) + frequency);
    }
};

// Scores postings by their codes; returns whether any is UNCODED, and so still to be scored.
FORMS inline bool score_all(const Posting* postings, std::size_t n, const float* lengths, double weight,
                            const Bm25& bm25, double* scores) {
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t code = postings[i] & 0xff;
        const auto row = static_cast<std::int32_t>(postings[i] >> 8);
        scores[i] = bm25.score(0.25 * static_cast<double>(static_cast<std::int32_t>(code)), weight, lengths[row]);
        highest = std::max(highest, code);
    }
    return highest == UNCODED;
}

// Finds the places of sums of at least `low`, ascending; returns the count.
FORMS inline std::size_t places_reaching(const double* sums, std::size_t n, double low, std::int32_t* places) {
    constexpr std::size_t BLOCK = 16;
    std::size_t count = 0;
    for (std::size_t start = 0; start < n; start += BLOCK) {
        const std::size_t end = std::min(n, start + BLOCK);
        int any = 0;
        if (end == start + BLOCK)
            for (std::size_t i = 0; i < BLOCK; ++i) any |= sums[start + i] >= low;
        else
            any = 1;
        if (!any) continue;
        for (std::size_t i = start; i < end; ++i)
            if (sums[i] >= low) places[count++] = static_cast<std::int32_t>(i);
    }
    return count;
}

}  // namespace native
