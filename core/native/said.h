// What a document says, written down: some two bytes a word.
//
// An entry is a word's number as the distance from the one before, seven bits a byte, then the code of its count
// (posting.h), and behind ODD the count itself. The numbers ascend.

#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "posting.h"

namespace native {

struct Entry {
    std::int32_t number;
    float count;
};

inline void write(std::string& said, const std::vector<Entry>& entries) {
    std::uint32_t before = 0;
    for (const Entry& entry : entries) {
        std::uint32_t distance = static_cast<std::uint32_t>(entry.number) - before;
        before = static_cast<std::uint32_t>(entry.number);
        for (; distance >= 0x80; distance >>= 7) said += static_cast<char>(distance | 0x80);
        said += static_cast<char>(distance);
        const std::uint8_t code = quarters(entry.count);
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
        std::uint64_t distance = 0;
        for (int shift = 0;; shift += 7) {
            if (at_ == end_ || shift > 28) refuse();
            const auto byte = static_cast<std::uint8_t>(*at_++);
            distance |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) break;
        }
        number_ += distance;
        if (number_ >= words || at_ == end_ || (distance == 0 && !first_)) refuse();
        first_ = false;
        entry.number = static_cast<std::int32_t>(number_);
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
