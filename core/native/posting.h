// Who says a word, and how often: rows in ascending order, beside them how often in quarters.
//
// Rows are counted within a range of 65,536, in two bytes each.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace native {

// A count in quarters, where that says it exactly; else ODD, and the count stands elsewhere.
constexpr std::uint8_t ODD = 255;

inline std::uint8_t quarters(float count) {
    const float told = count * 4.0f;
    return told >= 0.0f && told < ODD && told == static_cast<float>(static_cast<int>(told))
               ? static_cast<std::uint8_t>(told)
               : ODD;
}

// Sixteen bytes for a word that one document says, as most words are. A copy shares the rows with what it was made of,
// until one of them is edited: it costs next to nothing, and another thread may have it.
class Posting {
   public:
    using Row = std::uint16_t;

    Posting() = default;
    Posting(const Posting& other) : size_(other.size_), room_(other.room_), held_(other.held_) {
        if (room_) held_.block->holders.fetch_add(1, std::memory_order_relaxed);
    }
    Posting(Posting&& other) noexcept { swap(other); }
    Posting& operator=(Posting&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Posting() {
        if (room_) let_go();
    }

    std::size_t size() const { return size_; }
    const Row* rows() const { return room_ ? held_.block->rows() : &held_.lone.row; }
    const std::uint8_t* codes() const {
        return room_ ? reinterpret_cast<const std::uint8_t*>(held_.block->rows() + room_) : &held_.lone.code;
    }

    // Where a row stands, or would, `from` a place on that is not behind it. Looks near that place first.
    std::size_t place(Row row, std::size_t from = 0) const {
        const Row* rows = this->rows();
        std::size_t step = 1;
        while (from + step <= size_ && rows[from + step - 1] < row) {
            from += step;
            step *= 2;
        }
        const std::size_t end = std::min<std::size_t>(from + step - 1, size_);
        return static_cast<std::size_t>(std::lower_bound(rows + from, rows + end, row) - rows);
    }
    // How often a row says it, as a code; null where it does not.
    const std::uint8_t* code(Row row) const {
        const std::size_t at = place(row);
        return at < size_ && rows()[at] == row ? codes() + at : nullptr;
    }

    void reserve(std::size_t size) {
        if (size > std::max<std::size_t>(room_, 1)) resize(size);
    }

    // A row that is not there yet.
    void insert(Row row, std::uint8_t code) {
        if (size_ == std::max<std::uint32_t>(room_, 1) || is_shared()) resize(size_ + size_ / 4 + 1);
        const std::size_t at = size_ == 0 || rows()[size_ - 1] < row ? size_ : place(row);
        Row* rows = own_rows();
        std::uint8_t* codes = own_codes();
        std::memmove(rows + at + 1, rows + at, ROW * (size_ - at));
        std::memmove(codes + at + 1, codes + at, size_ - at);
        rows[at] = row;
        codes[at] = code;
        ++size_;
    }

    // A row that is there.
    void erase(Row row) {
        if (is_shared()) resize(size_);
        const std::size_t at = place(row);
        Row* rows = own_rows();
        std::uint8_t* codes = own_codes();
        --size_;
        std::memmove(rows + at, rows + at + 1, ROW * (size_ - at));
        std::memmove(codes + at, codes + at + 1, size_ - at);
        if (room_ > 16 && size_ < room_ / 4) resize(size_ + size_ / 4 + 1);
    }

   private:
    static constexpr std::size_t ROW = sizeof(Row);

    // What stands in it lies behind it: so many rows as there is room for, then as many codes.
    struct Block {
        std::atomic<std::uint32_t> holders{1};

        const Row* rows() const { return reinterpret_cast<const Row*>(this + 1); }
        Row* rows() { return reinterpret_cast<Row*>(this + 1); }
    };

    bool is_shared() const { return room_ && held_.block->holders.load(std::memory_order_acquire) > 1; }
    void let_go() {
        if (held_.block->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(held_.block);
    }

    Row* own_rows() { return const_cast<Row*>(rows()); }
    std::uint8_t* own_codes() { return const_cast<std::uint8_t*>(codes()); }

    void swap(Posting& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        std::swap(held_, other.held_);
    }

    void resize(std::size_t wanted) {
        // What the allocator would leave over of its sixteen bytes is room, too.
        const std::size_t bytes = (sizeof(Block) + wanted * (ROW + 1) + 7) / 16 * 16 + 8;
        const std::size_t room = (bytes - sizeof(Block)) / (ROW + 1);
        if (room > UINT32_MAX) throw std::bad_alloc();
        void* place = std::malloc(bytes);
        if (place == nullptr) throw std::bad_alloc();
        auto* block = new (place) Block;
        std::memcpy(block->rows(), rows(), ROW * size_);
        std::memcpy(block->rows() + room, codes(), size_);
        if (room_) let_go();
        held_.block = block;
        room_ = static_cast<std::uint32_t>(room);
    }

    std::uint32_t size_ = 0;
    std::uint32_t room_ = 0;  // 0: the lone entry lies in here
    union Held {
        struct {
            Row row;
            std::uint8_t code;
        } lone;
        Block* block;
    } held_{};
};

}  // namespace native
