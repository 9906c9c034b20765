// What a document says, written down: some two bytes a word.
//
// An entry is twice a word's number as the distance from the one before, seven bits a byte. It is one more where the
// word is not simply said once: then the code of its count (posting.h) follows, and behind ODD the count itself.
// The numbers ascend.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "posting.h"

namespace native {

struct Entry {
    std::int32_t number;
    float count;
};

inline void sort(std::vector<Entry>& entries) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
}

// Of a document: the sum of its counts, in the order of their numbers.
inline float length(const std::vector<Entry>& entries) {
    double length = 0.0;
    for (const Entry& entry : entries) length += static_cast<double>(entry.count);
    return static_cast<float>(length);
}

inline std::uint64_t head(std::uint32_t distance, std::uint8_t code) {
    return std::uint64_t{distance} << 1 | (code != ONCE);
}

// Bytes that an entry takes.
inline std::size_t size_of(std::uint32_t distance, std::uint8_t code) {
    std::size_t size = 1;
    for (std::uint64_t rest = head(distance, code) >> 7; rest != 0; rest >>= 7) ++size;
    return size + (code == ONCE ? 0 : code == ODD ? 1 + sizeof(float) : 1);
}

// Where the next one goes. `count` is asked for behind ODD alone.
template <typename Count>
std::uint8_t* write(std::uint8_t* at, std::uint32_t distance, std::uint8_t code, Count count) {
    std::uint64_t rest = head(distance, code);
    for (; rest >= 0x80; rest >>= 7) *at++ = static_cast<std::uint8_t>(rest | 0x80);
    *at++ = static_cast<std::uint8_t>(rest);
    if (code == ONCE) return at;
    *at++ = code;
    if (code != ODD) return at;
    const float told = count();
    std::memcpy(at, &told, sizeof told);
    return at + sizeof told;
}

class Reader {
   public:
    explicit Reader(std::string_view said) : at_(said.data()), end_(at_ + said.size()) {}

    // The next entry, of a number below `words`; false at the end. Throws where it is no writing of `write`.
    bool next(Entry& entry, std::size_t words) {
        if (at_ == end_) return false;
        std::uint64_t head = 0;
        for (int shift = 0;; shift += 7) {
            if (at_ == end_ || shift > 28) refuse();
            const auto byte = static_cast<std::uint8_t>(*at_++);
            head |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) break;
        }
        const std::uint64_t distance = head >> 1;
        number_ += distance;
        if (number_ >= words || (distance == 0 && !first_)) refuse();
        first_ = false;
        entry.number = static_cast<std::int32_t>(number_);
        if ((head & 1) == 0) {
            entry.count = 1.0f;
            return true;
        }
        if (at_ == end_) refuse();
        const auto code = static_cast<std::uint8_t>(*at_++);
        if (code != ODD) {
            entry.count = 0.25f * code;
        } else {
            if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof entry.count)) refuse();
            std::memcpy(&entry.count, at_, sizeof entry.count);
            at_ += sizeof entry.count;
        }
        return true;
    }

   private:
    [[noreturn]] static void refuse() { throw std::invalid_argument("not what a document says"); }

    const char* at_;
    const char* end_;
    std::uint64_t number_ = 0;
    bool first_ = true;
};

}  // namespace native
