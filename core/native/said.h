// What a document says, written down: some two bytes a word.
//
// An entry is twice a word's number as the distance from the one before, seven bits a byte. It is one more where the
// word is not simply said once: then the code of its count (posting.h) follows, and behind ODD the count itself.
// The numbers ascend.

#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "posting.h"

namespace native {

constexpr std::uint8_t ONCE = 4;  // in quarters

struct Entry {
    std::int32_t number;
    float count;
};

inline void write(std::string& said, const std::vector<Entry>& entries) {
    std::uint32_t before = 0;
    for (const Entry& entry : entries) {
        const std::uint8_t code = quarters(entry.count);
        std::uint64_t head = std::uint64_t{static_cast<std::uint32_t>(entry.number) - before} << 1 | (code != ONCE);
        before = static_cast<std::uint32_t>(entry.number);
        for (; head >= 0x80; head >>= 7) said += static_cast<char>(head | 0x80);
        said += static_cast<char>(head);
        if (code == ONCE) continue;
        said += static_cast<char>(code);
        if (code == ODD) said.append(reinterpret_cast<const char*>(&entry.count), sizeof entry.count);
    }
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
