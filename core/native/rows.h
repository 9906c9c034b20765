// Rows in ascending order, within a range of 65,536: who says a word.
//
// They take two bytes each, or one, the last of a row's number, and two for each page of 256 rows: where it starts.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "kernels.h"

namespace native {

constexpr std::uint8_t ONCE = 4;  // in quarters: the code of rows that have none beside them

using Row = std::uint16_t;
constexpr std::size_t PAGE = 256;    // rows
constexpr std::size_t PAGES = 256;   // of a range
constexpr std::size_t SPILL = 32;    // rows unpacked in one go: so many may be written beyond the last

// Neighbours in the order of rows. Without codes, each of them says the word ONCE.
struct Run {
    const Row* rows;
    const std::uint8_t* codes;
    std::size_t size;

    // From the at-th on, as many at the most.
    Run part(std::size_t at, std::size_t most) const {
        return {rows + at, codes == nullptr ? nullptr : codes + at, std::min(most, size - at)};
    }
};

// The rows of some pages, whole ones made of their last bytes; how many. `end` is where the pages end.
FORMS inline std::size_t unpacked(const std::uint8_t* __restrict low, const std::uint16_t* starts, std::size_t first,
                                  std::size_t last, std::size_t end, Row* __restrict rows) {
    std::size_t at = starts[first];
    low += at;
    for (std::size_t page = first; page < last; ++page) {
        const std::size_t next = page + 1 < last ? starts[page + 1] : end;
        do {  // once at the least: the processor foresees that
            for (std::size_t i = 0; i < SPILL; ++i) rows[i] = static_cast<Row>(page * PAGE + low[i]);
            rows += SPILL, low += SPILL, at += SPILL;
        } while (at < next);
        rows -= at - next, low -= at - next, at = next;
    }
    return end - starts[first];
}

// Rows, each with a code where they are CODED. Eight bytes for none and for one, as for most words. A copy shares the
// rows with what it was made of, until one of them is edited: it costs next to nothing, and another thread may have it.
template <bool CODED>
class Rows {
   public:
    Rows() = default;
    Rows(const Rows& other) : held_(other.held_) {
        if (Block* block = this->block()) block->holders.fetch_add(1, std::memory_order_relaxed);
    }
    Rows(Rows&& other) noexcept { std::swap(held_, other.held_); }
    Rows& operator=(Rows&& other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~Rows() { let_go(); }

    std::size_t size() const { return is_lone() ? 1 : held_ == 0 ? 0 : block()->size; }

    // The code of a row; -1 where it is not there. May look on from a place that is not behind it, which then moves on.
    int code(Row row, std::size_t& from) const {
        if (is_lone()) return lone_row() == row ? lone_code() : -1;
        if (held_ == 0) return -1;
        const std::size_t at = block()->find(row, from);
        return at == NOWHERE ? -1 : CODED ? block()->codes()[at] : ONCE;
    }

    // The page that the at-th row lies in, which is not before `page`; PAGES where there is no such row.
    std::size_t page(std::size_t at, std::size_t page) const {
        if (at >= size()) return PAGES;
        if (is_lone()) return lone_row() / PAGE;
        const Block& block = *this->block();
        if (!block.is_paged()) return block.wide()[at] / PAGE;
        while (block.start(page + 1) <= at) ++page;
        return page;
    }

    // From the at-th row on, which does not lie before the page `first`, those before the page `last`. What they are
    // unpacked into, where they have to be, takes SPILL more.
    Run run(std::size_t at, std::size_t first, std::size_t last, Row* unpacked) const {
        if (at >= size()) return {};
        if (is_lone()) return lone_row() / PAGE < last ? lone(unpacked) : Run{};
        const Block& block = *this->block();
        const std::uint8_t* codes = CODED ? block.codes() + at : nullptr;
        if (block.is_paged()) return {unpacked, codes, block.unpack(first, last, unpacked)};
        const Row* rows = block.wide() + at;
        const Row* end = block.wide() + block.size;
        const std::size_t most = std::min<std::size_t>((last - first) * PAGE, end - rows);
        return {rows, codes, place(rows, most, last * PAGE)};
    }

    // For so many, in so many pages.
    void reserve(std::size_t size, std::size_t pages) {
        if (size > std::max<std::size_t>(room(), 1)) resize(size, pages);
    }

    // A row that is not there yet.
    void insert(Row row, std::uint8_t code) {
        if (room() == 0) {
            held_ = std::uintptr_t{row} << 16 | std::uintptr_t{code} << 8 | LONE;
            return;
        }
        if (is_lone() || is_shared() || !block()->has_room(row)) resize(size() + size() / 4 + 1, row / PAGE + 1);
        block()->insert(row, code);
    }

    // A row that is there.
    void erase(Row row) {
        if (size() == 1) {
            let_go();
            held_ = 0;
            return;
        }
        if (is_shared()) resize(size(), 1);
        block()->erase(row);
        if (room() > 16 && size() < room() / 4) resize(size() + size() / 4 + 1, 1);
    }

   private:
    static constexpr std::size_t NOWHERE = SIZE_MAX;

    // So many rows take two bytes each: in one they would save nothing.
    static constexpr std::size_t few(std::size_t pages) { return 2 * pages + SPILL; }

    // std::lower_bound, without branches that nobody foresees.
    template <typename Each>
    static std::size_t place(const Each* rows, std::size_t n, std::size_t row) {
        const Each* from = rows;
        for (; n > 1; n -= n / 2) from += from[n / 2 - 1] < row ? n / 2 : 0;
        return from - rows + (n == 1 && *from < row);
    }

    // What stands in it lies behind it. Few: so many wide rows as there is room for, then as many codes. Many: where so many
    // pages start as there is room for, the last bytes of rows, codes.
    struct Block {
        std::atomic<std::uint32_t> holders{1};
        std::uint32_t size = 0;
        std::uint32_t room;
        std::uint16_t pages = 0;  // up to the last that has rows: only they are known to start somewhere
        std::uint16_t page_room;  // 0: few

        bool is_paged() const { return page_room > 0; }
        bool has_room(Row row) const { return size < room && (!is_paged() || row / PAGE < page_room); }
        Row* wide() const { return reinterpret_cast<Row*>(const_cast<Block*>(this) + 1); }
        std::uint16_t* starts() const { return wide(); }
        std::uint8_t* low() const { return reinterpret_cast<std::uint8_t*>(starts() + page_room); }
        std::uint8_t* codes() const { return is_paged() ? low() + room : reinterpret_cast<std::uint8_t*>(wide() + room); }
        std::size_t start(std::size_t page) const { return page < pages ? starts()[page] : size; }

        // Where a row stands. Of few, looks near `from` first.
        std::size_t find(Row row, std::size_t& from) const {
            if (!is_paged()) {
                std::size_t step = 1;
                for (; from + step <= size && wide()[from + step - 1] < row; step *= 2) from += step;
                from += Rows::place(wide() + from, std::min<std::size_t>(step - 1, size - from), row);
                return from < size && wide()[from] == row ? from : NOWHERE;
            }
            const std::size_t first = start(row / PAGE);
            const void* found = std::memchr(low() + first, row % PAGE, start(row / PAGE + 1) - first);
            return found == nullptr ? NOWHERE : static_cast<const std::uint8_t*>(found) - low();
        }
        // Where a row that is not there would stand.
        std::size_t place(Row row) const {
            if (size == 0 || row > last()) return size;
            if (!is_paged()) return Rows::place(wide(), size, row);
            const std::size_t first = start(row / PAGE);
            return first + Rows::place(low() + first, start(row / PAGE + 1) - first, row % PAGE);
        }
        Row last() const {
            return is_paged() ? static_cast<Row>((pages - 1) * PAGE + low()[size - 1]) : wide()[size - 1];
        }

        std::size_t unpack(std::size_t first, std::size_t last, Row* rows) const {
            last = std::min<std::size_t>(last, pages);
            return first < last ? unpacked(low(), starts(), first, last, start(last), rows) : 0;
        }

        void insert(Row row, std::uint8_t code) {
            const std::size_t at = place(row), behind = size - at;
            if (is_paged()) {
                std::memmove(low() + at + 1, low() + at, behind);
                low()[at] = static_cast<std::uint8_t>(row);
                for (; pages <= row / PAGE; ++pages) starts()[pages] = static_cast<std::uint16_t>(size);
                for (std::size_t page = row / PAGE + 1; page < pages; ++page) ++starts()[page];
            } else {
                std::memmove(wide() + at + 1, wide() + at, behind * sizeof(Row));
                wide()[at] = row;
            }
            if (CODED) {
                std::memmove(codes() + at + 1, codes() + at, behind);
                codes()[at] = code;
            }
            ++size;
        }

        void erase(Row row) {
            std::size_t from = 0;
            const std::size_t at = find(row, from), behind = size - at - 1;
            if (is_paged()) {
                std::memmove(low() + at, low() + at + 1, behind);
                for (std::size_t page = row / PAGE + 1; page < pages; ++page) --starts()[page];
                while (pages > 0 && starts()[pages - 1] == size - 1) --pages;
            } else {
                std::memmove(wide() + at, wide() + at + 1, behind * sizeof(Row));
            }
            if (CODED) std::memmove(codes() + at, codes() + at + 1, behind);
            --size;
        }

        // Into a block that is empty.
        void take(const Run& run) {
            size = static_cast<std::uint32_t>(run.size);
            if (CODED && size > 0) std::memcpy(codes(), run.codes, size);
            if (!is_paged()) {
                if (size > 0) std::memcpy(wide(), run.rows, size * sizeof(Row));
                return;
            }
            for (std::size_t i = 0; i < size; ++i) {
                for (; pages <= run.rows[i] / PAGE; ++pages) starts()[pages] = static_cast<std::uint16_t>(i);
                low()[i] = static_cast<std::uint8_t>(run.rows[i]);
            }
        }
        void take(const Block& paged) {
            size = paged.size;
            pages = paged.pages;
            std::memcpy(starts(), paged.starts(), pages * sizeof(std::uint16_t));
            std::memcpy(low(), paged.low(), size);
            if (CODED) std::memcpy(codes(), paged.codes(), size);
        }
    };

    // Of one row, what is held is itself.
    static constexpr std::uintptr_t LONE = 1;
    bool is_lone() const { return held_ & LONE; }
    Row lone_row() const { return static_cast<Row>(held_ >> 16); }
    std::uint8_t lone_code() const { return static_cast<std::uint8_t>(held_ >> 8); }
    Run lone(Row* unpacked) const {
        auto* code = reinterpret_cast<std::uint8_t*>(unpacked + 1);
        *unpacked = lone_row();
        *code = lone_code();
        return {unpacked, code, 1};
    }

    Block* block() const { return is_lone() ? nullptr : reinterpret_cast<Block*>(held_); }
    std::size_t room() const { return is_lone() ? 1 : held_ == 0 ? 0 : block()->room; }
    bool is_shared() const { return block() && block()->holders.load(std::memory_order_acquire) > 1; }
    void let_go() {
        Block* block = this->block();
        if (block && block->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(block);
    }
    // With room for so many, in so many pages or as many as there are.
    void resize(std::size_t wanted, std::size_t pages) {
        Row unpacked[few(PAGES) + SPILL];
        if (size() > 0) pages = std::max<std::size_t>(pages, (is_lone() ? lone_row() : block()->last()) / PAGE + 1);
        Block* fresh = made(wanted, pages);
        if (block() && block()->is_paged() && fresh->is_paged())
            fresh->take(*block());
        else
            fresh->take(run(0, 0, PAGES, unpacked));
        let_go();
        held_ = reinterpret_cast<std::uintptr_t>(fresh);
    }
    static Block* made(std::size_t wanted, std::size_t pages) {
        const bool is_paged = wanted > few(pages);
        const std::size_t page_room = is_paged ? std::min(pages + pages / 8 + 1, PAGES) : 0;
        const std::size_t each = (is_paged ? 1 : sizeof(Row)) + CODED;
        const std::size_t beside = sizeof(Block) + page_room * sizeof(std::uint16_t) + (is_paged ? SPILL : 0);
        // What the allocator would leave over of its sixteen bytes is room, too.
        const std::size_t bytes = (beside + wanted * each + 7) / 16 * 16 + 8;
        const std::size_t room = (bytes - beside) / each;
        if (room > UINT32_MAX) throw std::bad_alloc();
        void* place = std::malloc(bytes);
        if (place == nullptr) throw std::bad_alloc();
        auto* block = new (place) Block;
        block->room = static_cast<std::uint32_t>(room);
        block->page_room = static_cast<std::uint16_t>(page_room);
        return block;
    }

    std::uintptr_t held_ = 0;
};

}  // namespace native
