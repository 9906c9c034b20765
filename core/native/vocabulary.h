// Words by number and numbers by word.
//
// The words lie one behind another in one stretch of bytes, and a table of places leads to them: some thirty bytes
// a word, where a dict and a list of strings take two hundred. What is forgotten is overwritten at once.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace native {

// Of bytes, under a key: whoever chooses the words does not choose where they fall together.
inline std::uint64_t hashed(std::string_view bytes, std::uint64_t key) {
    const auto mixed = [](std::uint64_t a, std::uint64_t b) {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    constexpr std::uint64_t ODD = 0x9e3779b97f4a7c15u, OTHER = 0xd6e8feb86659fd93u;
    std::uint64_t hash = mixed(key ^ ODD, bytes.size() ^ OTHER);
    while (!bytes.empty()) {
        std::uint64_t part = 0;
        const std::size_t taken = std::min<std::size_t>(bytes.size(), sizeof part);
        std::memcpy(&part, bytes.data(), taken);
        hash = mixed(hash ^ part ^ key, OTHER);
        bytes.remove_prefix(taken);
    }
    return mixed(hash ^ ODD, key ^ OTHER);
}

class Vocabulary {
   public:
    static constexpr std::int32_t NONE = -1;

    explicit Vocabulary(std::uint64_t key) : key_(key) {}

    // Numbers run from 0 to here; those of words forgotten are among them until they are given anew.
    std::size_t size() const { return starts_.size(); }

    std::int32_t find(std::string_view word) const {
        if (places_.empty()) return NONE;
        const auto hash = short_hash(word);
        for (std::size_t at = hash & mask(); places_[at].number != NONE; at = (at + 1) & mask())
            if (places_[at].hash == hash && this->word(places_[at].number) == word) return places_[at].number;
        return NONE;
    }

    // The word's number, a new one if it has none yet.
    std::int32_t number(std::string_view word) {
        const std::int32_t known = find(word);
        if (known != NONE) return known;
        if (word.empty()) refuse();
        if (free_.empty()) return append(word);
        const std::int32_t number = free_.back();
        place(number, word);
        free_.pop_back();
        return number;
    }

    // The next number, for a new word, or for none yet: an empty one.
    std::int32_t append(std::string_view word) {
        if (starts_.size() == INT32_MAX) throw std::length_error("too many words");
        const auto number = static_cast<std::int32_t>(starts_.size());
        starts_.push_back(FORGOTTEN);
        free_.push_back(number);
        if (!word.empty()) {
            place(number, word);
            free_.pop_back();
        }
        return number;
    }

    void forget(std::int32_t number) {
        const std::string_view gone = word(number);
        std::size_t hole = short_hash(gone) & mask();
        while (places_[hole].number != number) hole = (hole + 1) & mask();
        // Whoever stands behind the hole and would be looked for from before it moves up.
        for (std::size_t at = (hole + 1) & mask(); places_[at].number != NONE; at = (at + 1) & mask()) {
            const std::size_t home = places_[at].hash & mask();
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                places_[hole] = places_[at];
                hole = at;
            }
        }
        places_[hole].number = NONE;
        std::memset(text_.data() + starts_[number], 0, sizeof(Length) + gone.size());
        lost_ += sizeof(Length) + gone.size();
        starts_[number] = FORGOTTEN;
        free_.push_back(number);
        --used_;
        if (2 * lost_ > text_.size()) close_up();
    }

    // Empty for a number whose word was forgotten.
    std::string_view word(std::int32_t number) const {
        const std::uint32_t start = starts_[number];
        if (start == FORGOTTEN) return {};
        Length length;
        std::memcpy(&length, text_.data() + start, sizeof length);
        return {text_.data() + start + sizeof length, length};
    }

   private:
    [[noreturn]] static void refuse() {
        throw std::invalid_argument("a word has 1 to 65,535 bytes and no line break");
    }

    using Length = std::uint16_t;
    struct Place {
        std::uint32_t hash;
        std::int32_t number;
    };
    static constexpr std::uint32_t FORGOTTEN = UINT32_MAX;

    std::size_t mask() const { return places_.size() - 1; }
    std::uint32_t short_hash(std::string_view word) const {
        return static_cast<std::uint32_t>(hashed(word, key_));
    }

    void place(std::int32_t number, std::string_view word) {
        if (word.size() > UINT16_MAX || word.find('\n') != word.npos) refuse();
        if (text_.size() + sizeof(Length) + word.size() >= FORGOTTEN) throw std::length_error("too many words");
        if (3 * (used_ + 1) > 2 * places_.size()) grow();
        const auto length = static_cast<Length>(word.size());
        const char* prefix = reinterpret_cast<const char*>(&length);
        const auto start = static_cast<std::uint32_t>(text_.size());
        text_.insert(text_.end(), prefix, prefix + sizeof length);
        text_.insert(text_.end(), word.begin(), word.end());
        starts_[number] = start;
        settle({short_hash(word), number});
        ++used_;
    }

    void settle(Place place) {
        std::size_t at = place.hash & mask();
        while (places_[at].number != NONE) at = (at + 1) & mask();
        places_[at] = place;
    }

    void grow() {
        std::vector<Place> old(std::max<std::size_t>(64, 2 * places_.size()), Place{0, NONE});
        old.swap(places_);
        for (const Place place : old)
            if (place.number != NONE) settle(place);
    }

    void close_up() {
        std::vector<char> kept;
        kept.reserve(text_.size() - lost_);
        for (std::uint32_t& start : starts_) {
            if (start == FORGOTTEN) continue;
            Length length;
            std::memcpy(&length, text_.data() + start, sizeof length);
            const char* from = text_.data() + start;
            start = static_cast<std::uint32_t>(kept.size());
            kept.insert(kept.end(), from, from + sizeof length + length);
        }
        text_.swap(kept);
        lost_ = 0;
    }

    std::uint64_t key_;
    std::vector<Place> places_;  // a power of two of them, a third free at the least
    std::size_t used_ = 0;
    std::vector<std::uint32_t> starts_;  // by number
    std::vector<char> text_;             // each word behind its length
    std::size_t lost_ = 0;               // bytes of it that were of words forgotten
    std::vector<std::int32_t> free_;
};

}  // namespace native
