// Who says a word, and how often: apart from each other, rows that say it once, as most do, and the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rows.h"

namespace native {

// A count in quarters, where that says it exactly; else ODD, and the count stands elsewhere.
constexpr std::uint8_t ODD = 255;

inline std::uint8_t quarters(float count) {
    const float told = count * 4.0f;
    return told >= 0.0f && told < ODD && told == static_cast<float>(static_cast<int>(told))
               ? static_cast<std::uint8_t>(told)
               : ODD;
}

// The place of the next ODD code, none before `from`; n where there is none. No codes at all hold none.
inline std::size_t next_odd(const std::uint8_t* codes, std::size_t from, std::size_t n) {
    const void* odd = codes == nullptr ? nullptr : std::memchr(codes + from, ODD, n - from);
    return odd == nullptr ? n : static_cast<std::size_t>(static_cast<const std::uint8_t*>(odd) - codes);
}

struct Posting {
    Rows<false> once;
    Rows<true> others;

    std::size_t size() const { return once.size() + others.size(); }

    // A number of each: of rows, or of a place among them.
    struct Both {
        std::size_t once = 0, others = 0;
    };

    // How often a row says it, as a code; -1 where it does not. May look on from places not behind it, which then move on.
    int code(Row row, Both& from) const {
        const int code = once.code(row, from.once);
        return code >= 0 ? code : others.code(row, from.others);
    }
    // A row that is not there yet.
    void insert(Row row, std::uint8_t code) { code == ONCE ? once.insert(row, code) : others.insert(row, code); }
    // A row that is there, with this code.
    void erase(Row row, std::uint8_t code) { code == ONCE ? once.erase(row) : others.erase(row); }
};

}  // namespace native
