// A document as a bag of terms, and its encoding in a snapshot: some two bytes a term.
//
// Terms are numbers of a vocabulary, ascending. Each is written as the distance from the one before it, doubled, as a
// varint (7 bits a byte, low ones first). Its lowest bit tells a term frequency of 1 (0) from others (1), whose code
// (posting_list.h) follows, and behind UNCODED the frequency itself as a float.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "posting_list.h"

namespace native {

struct TermCount {
    std::int32_t term;
    float frequency;
};
using Document = std::vector<TermCount>;

inline void sort(Document& document) {
    std::sort(document.begin(), document.end(), [](const TermCount& a, const TermCount& b) { return a.term < b.term; });
}

// The sum of the term frequencies, in the order of the terms.
inline float length_of(const Document& document) {
    double length = 0.0;
    for (const TermCount& each : document) length += static_cast<double>(each.frequency);
    return static_cast<float>(length);
}

constexpr std::uint8_t CODE_OF_ONE = 4;

constexpr std::size_t MOST_BYTES = 10;  // of an encoded term

// Writes one term; returns where the next one goes. `frequency` counts where the code is UNCODED.
inline std::uint8_t* encode(std::uint8_t* at, std::uint32_t distance, std::uint8_t code, float frequency) {
    std::uint64_t rest = std::uint64_t{distance} << 1 | (code != CODE_OF_ONE);
    for (; rest >= 0x80; rest >>= 7) *at++ = static_cast<std::uint8_t>(rest | 0x80);
    *at++ = static_cast<std::uint8_t>(rest);
    if (code == CODE_OF_ONE) return at;
    *at++ = code;
    if (code != UNCODED) return at;
    std::memcpy(at, &frequency, sizeof frequency);
    return at + sizeof frequency;
}

// Decodes a document of terms below `vocabulary`. Throws std::invalid_argument for anything that `encode` does not write.
inline void decode(std::string_view encoded, std::size_t vocabulary, Document& document) {
    const auto refuse = [] { throw std::invalid_argument("not an encoded document"); };
    const char *at = encoded.data(), *const end = at + encoded.size();
    std::uint64_t term = 0;
    document.clear();
    while (at != end) {
        std::uint64_t head = 0;
        for (int shift = 0;; shift += 7) {
            if (at == end || shift > 28) refuse();
            const auto byte = static_cast<std::uint8_t>(*at++);
            head |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) break;
        }
        const std::uint64_t distance = head >> 1;
        term += distance;
        if (term >= vocabulary || (distance == 0 && !document.empty())) refuse();
        std::uint8_t code = CODE_OF_ONE;
        if ((head & 1) != 0) {
            if (at == end) refuse();
            code = static_cast<std::uint8_t>(*at++);
        }
        float frequency = decoded(code);
        if (code == UNCODED) {
            if (end - at < static_cast<std::ptrdiff_t>(sizeof frequency)) refuse();
            std::memcpy(&frequency, at, sizeof frequency);
            at += sizeof frequency;
            if (!(frequency >= 0.0f && frequency <= std::numeric_limits<float>::max())) refuse();
        }
        document.push_back({static_cast<std::int32_t>(term), frequency});
    }
}

}  // namespace native
