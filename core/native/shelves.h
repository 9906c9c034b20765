// Postings by word. Rows stand on shelves of 65,536, each with a posting for every word: three bytes for a word that
// a document says, where whole row numbers would take five. Queries go through one shelf after another.

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "posting.h"

namespace native {

class Shelves {
   public:
    static constexpr std::int64_t ROWS = std::int64_t{std::numeric_limits<Posting::Row>::max()} + 1;

    static std::size_t shelf(std::int32_t row) { return static_cast<std::size_t>(row) / ROWS; }
    static Posting::Row place(std::int32_t row) { return static_cast<Posting::Row>(row); }

    std::size_t size() const { return shelves_.size(); }

    // An empty one where nobody says the word.
    const Posting& posting(std::size_t shelf, std::int32_t number) const {
        static const Posting none;
        const bool there = shelf < shelves_.size() && static_cast<std::size_t>(number) < shelves_[shelf].size();
        return there ? shelves_[shelf][number] : none;
    }
    bool holds(std::int32_t number, std::int32_t row) const { return posting(shelf(row), number).holds(place(row)); }
    // How many documents say a word.
    std::size_t holding(std::int32_t number) const {
        std::size_t count = 0;
        for (std::size_t shelf = 0; shelf < shelves_.size(); ++shelf) count += posting(shelf, number).size();
        return count;
    }

    // A row that is not there yet.
    void insert(std::int32_t number, std::int32_t row, std::uint8_t code) {
        own(shelf(row), number).insert(place(row), code);
    }
    // A row that is there.
    void erase(std::int32_t number, std::int32_t row) {
        Posting& posting = shelves_[shelf(row)][number];
        posting.erase(place(row));
        if (posting.size() == 0) posting = Posting();
    }
    // Room on the next shelf for what each word is going to have there.
    void reserve(const std::vector<std::uint32_t>& sizes) {
        shelves_.emplace_back(sizes.size());
        for (std::size_t number = 0; number < sizes.size(); ++number) shelves_.back()[number].reserve(sizes[number]);
    }

   private:
    Posting& own(std::size_t shelf, std::int32_t number) {
        if (shelf >= shelves_.size()) shelves_.resize(shelf + 1);
        std::vector<Posting>& postings = shelves_[shelf];
        if (static_cast<std::size_t>(number) >= postings.size()) postings.resize(static_cast<std::size_t>(number) + 1);
        return postings[number];
    }

    std::vector<std::vector<Posting>> shelves_;  // by shelf, then by number
};

}  // namespace native
