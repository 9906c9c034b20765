// A vocabulary: the strings of terms by number, and their numbers by string.
//
// An open-addressing hash table over one buffer of bytes: some thirty bytes a term, where Python's dict and list of
// strings take two hundred. A term that is dropped is overwritten at once, and its number given to a later one.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace native {

// Hashes bytes under a key (multiply and fold, as wyhash does).
inline std::uint64_t hashed(std::string_view bytes, std::uint64_t key) {
    const auto folded = [](std::uint64_t a, std::uint64_t b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    constexpr std::uint64_t ONE = 0x9e3779b97f4a7c15u, OTHER = 0xd6e8feb86659fd93u;
    std::uint64_t hash = folded(key ^ ONE, bytes.size() ^ OTHER);
    while (!bytes.empty()) {
        std::uint64_t part = 0;
        const std::size_t taken = std::min<std::size_t>(bytes.size(), sizeof part);
        std::memcpy(&part, bytes.data(), taken);
        hash = folded(hash ^ part ^ key, OTHER);
        bytes.remove_prefix(taken);
    }
    return folded(hash ^ ONE, key ^ OTHER);
}

class Vocabulary {
   public:
    static constexpr std::int32_t NONE = -1;

    explicit Vocabulary(std::uint64_t key) : key_(key) {}

    // One more than the highest number; those of dropped terms count, too.
    std::size_t size() const { return offsets_.size(); }

    // The number of a term; NONE if it has none.
    std::int32_t find(std::string_view term) const {
        if (slots_.empty()) return NONE;
        const auto hash = slot_hash(term);
        for (std::size_t at = hash & mask(); slots_[at].number != NONE; at = (at + 1) & mask())
            if (slots_[at].hash == hash && string(slots_[at].number) == term) return slots_[at].number;
        return NONE;
    }

    // The number of a term, which gets one if it has none. Throws std::invalid_argument for what is no term.
    std::int32_t add(std::string_view term) {
        const std::int32_t known = find(term);
        if (known != NONE) return known;
        const std::int32_t number = free_.empty() ? append_free() : free_.back();
        store(number, term);
        free_.pop_back();
        return number;
    }

    // Gives the next number to a new term, or to none yet if it is empty.
    void append(std::string_view term) {
        const std::int32_t number = append_free();
        if (term.empty()) return;
        store(number, term);
        free_.pop_back();
    }

    void drop(std::int32_t number) {
        const std::string_view term = string(number);
        std::size_t hole = slot_hash(term) & mask();
        while (slots_[hole].number != number) hole = (hole + 1) & mask();
        // Backward-shift deletion: later entries of the probe sequence move up.
        for (std::size_t at = (hole + 1) & mask(); slots_[at].number != NONE; at = (at + 1) & mask()) {
            const std::size_t home = slots_[at].hash & mask();
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                slots_[hole] = slots_[at];
                hole = at;
            }
        }
        slots_[hole].number = NONE;
        std::memset(bytes_.data() + offsets_[number], 0, sizeof(Length) + term.size());
        wasted_ += sizeof(Length) + term.size();
        offsets_[number] = DROPPED;
        free_.push_back(number);
        --used_;
        if (2 * wasted_ > bytes_.size()) compact();
    }

    // Empty for the number of a dropped term.
    std::string_view string(std::int32_t number) const {
        const std::uint32_t offset = offsets_[number];
        if (offset == DROPPED) return {};
        return {bytes_.data() + offset + sizeof(Length), length_at(offset)};
    }

   private:
    using Length = std::uint16_t;
    struct Slot {
        std::uint32_t hash;
        std::int32_t number;
    };
    static constexpr std::uint32_t DROPPED = UINT32_MAX;

    [[noreturn]] static void refuse() {
        throw std::invalid_argument("a word has 1 to 65,535 bytes and no line break");
    }

    std::size_t mask() const { return slots_.size() - 1; }
    std::uint32_t slot_hash(std::string_view term) const { return static_cast<std::uint32_t>(hashed(term, key_)); }
    Length length_at(std::uint32_t offset) const {
        Length length;
        std::memcpy(&length, bytes_.data() + offset, sizeof length);
        return length;
    }

    std::int32_t append_free() {
        if (offsets_.size() == INT32_MAX) throw std::length_error("too many words");
        const auto number = static_cast<std::int32_t>(offsets_.size());
        offsets_.push_back(DROPPED);
        free_.push_back(number);
        return number;
    }

    void store(std::int32_t number, std::string_view term) {
        if (term.empty() || term.size() > UINT16_MAX || term.find('\n') != term.npos) refuse();
        if (bytes_.size() + sizeof(Length) + term.size() >= DROPPED) throw std::length_error("too many words");
        if (3 * (used_ + 1) > 2 * slots_.size()) grow();
        const auto length = static_cast<Length>(term.size());
        const char* prefix = reinterpret_cast<const char*>(&length);
        const auto offset = static_cast<std::uint32_t>(bytes_.size());
        bytes_.insert(bytes_.end(), prefix, prefix + sizeof length);
        bytes_.insert(bytes_.end(), term.begin(), term.end());
        offsets_[number] = offset;
        occupy({slot_hash(term), number});
        ++used_;
    }

    void occupy(Slot slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].number != NONE) at = (at + 1) & mask();
        slots_[at] = slot;
    }

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()), Slot{0, NONE});
        old.swap(slots_);
        for (const Slot slot : old)
            if (slot.number != NONE) occupy(slot);
    }

    void compact() {
        std::vector<char> kept;
        kept.reserve(bytes_.size() - wasted_);
        for (std::uint32_t& offset : offsets_) {
            if (offset == DROPPED) continue;
            const char* from = bytes_.data() + offset;
            const std::size_t size = sizeof(Length) + length_at(offset);
            offset = static_cast<std::uint32_t>(kept.size());
            kept.insert(kept.end(), from, from + size);
        }
        bytes_.swap(kept);
        wasted_ = 0;
    }

    std::uint64_t key_;
    std::vector<Slot> slots_;  // a power of two, at most two thirds used
    std::size_t used_ = 0;
    std::vector<std::uint32_t> offsets_;  // by number, into bytes_
    std::vector<char> bytes_;             // each term behind its length
    std::size_t wasted_ = 0;              // bytes of dropped terms
    std::vector<std::int32_t> free_;      // numbers of dropped terms
};

}  // namespace native
