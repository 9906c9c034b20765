// A search on its way through the postings of its words.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranges.h"

namespace native {

// A word of a query that somebody says; in the order in which what they add is summed.
struct Asked {
    std::int32_t number;
    double worth;  // weight × idf × (k1 + 1)
    const Posting* posting = nullptr;  // in one range
    Posting::Both at{};  // as far as it was gone through

    void turn(const Ranges& ranges, std::size_t range) { posting = &ranges.posting(range, number), at = {}; }
    // The next of the pages from this one on in which it is said; PAGES where there is none.
    std::size_t page(std::size_t from) const {
        return std::min(posting->once.page(at.once, from), posting->others.page(at.others, from));
    }
};
using Query = std::vector<Asked>;

// Pages of a range whose sums are made in one go: so few lie in the processor's nearest cache.
struct Window {
    static constexpr std::size_t WIDTH = 2048;  // rows

    std::int64_t base;  // the range's first row
    std::size_t first, last;

    std::int64_t row() const { return base + static_cast<std::int64_t>(first * PAGE); }
    std::size_t size() const { return (last - first) * PAGE; }
};

// The next window, from this page on, in which any of the words is said; empty where there is none.
inline Window window(const Query& query, std::int64_t base, std::size_t from) {
    std::size_t first = PAGES;
    for (const Asked& word : query) first = std::min(first, word.page(from));
    return {base, first, std::min(first + Window::WIDTH / PAGE, PAGES)};
}

}  // namespace native
