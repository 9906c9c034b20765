// Postings by word. Rows are parted into ranges of 65,536, each with a posting for every word: one to three bytes for a
// word that a document says, where whole row numbers would take five. Queries go through one range after another.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "posting.h"

namespace native {

class Ranges {
   public:
    static constexpr std::int64_t ROWS = std::int64_t{std::numeric_limits<Row>::max()} + 1;

    static std::size_t range(std::int32_t row) { return static_cast<std::size_t>(row) / ROWS; }
    static Row place(std::int32_t row) { return static_cast<Row>(row); }

    std::size_t size() const { return ranges_.size(); }

    // An empty one where nobody says the word.
    const Posting& posting(std::size_t range, std::int32_t number) const {
        static const Posting none;
        const bool there = range < ranges_.size() && static_cast<std::size_t>(number) < ranges_[range].size();
        return there ? ranges_[range][number] : none;
    }
    // How often a document says a word, as a code; -1 where it does not.
    int code(std::int32_t number, std::int32_t row) const {
        Posting::Both start;
        return posting(range(row), number).code(place(row), start);
    }
    // How many documents say a word.
    std::size_t holding(std::int32_t number) const {
        std::size_t count = 0;
        for (std::size_t range = 0; range < ranges_.size(); ++range) count += posting(range, number).size();
        return count;
    }

    // A row that is not there yet.
    void insert(std::int32_t number, std::int32_t row, std::uint8_t code) {
        own(range(row), number).insert(place(row), code);
    }
    // A row that is there, with this code.
    void erase(std::int32_t number, std::int32_t row, std::uint8_t code) {
        ranges_[range(row)][number].erase(place(row), code);
    }
    // Room in the next range, of so many rows, for what each word is going to have there.
    void reserve(const std::vector<Posting::Both>& sizes, std::size_t rows) {
        const std::size_t pages = (rows + PAGE - 1) / PAGE;
        std::vector<Posting>& postings = ranges_.emplace_back(sizes.size());
        for (std::size_t number = 0; number < sizes.size(); ++number) {
            postings[number].once.reserve(sizes[number].once, pages);
            postings[number].others.reserve(sizes[number].others, pages);
        }
    }

   private:
    Posting& own(std::size_t range, std::int32_t number) {
        if (range >= ranges_.size()) ranges_.resize(range + 1);
        std::vector<Posting>& postings = ranges_[range];
        if (static_cast<std::size_t>(number) >= postings.size()) postings.resize(static_cast<std::size_t>(number) + 1);
        return postings[number];
    }

    std::vector<std::vector<Posting>> ranges_;  // by range, then by number
};

}  // namespace native
