// The posting list of a term: the documents that contain it, by row, and how often each does.
//
// A posting is one 32-bit number: the row in its upper 24 bits, a code of the term frequency in its lower 8. So a list is
// a sorted array of numbers. A list of one, as most terms have, needs no allocation. Copies share the array until one
// of them is edited (copy on write): a copy of an index for a background thread costs next to nothing.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace native {

using Row = std::int32_t;
using Posting = std::uint32_t;

constexpr Row MAX_ROWS = 1 << 24;

// A term frequency is coded in quarters, which field weights such as 3, 1.5 and 0.25 give. UNCODED stands for any
// other: its value is kept in a table beside the lists.
constexpr std::uint8_t UNCODED = 255;

inline std::uint8_t code_of(float frequency) {
    const float quarters = frequency * 4.0f;
    const bool exact = quarters >= 0.0f && quarters < UNCODED && quarters == static_cast<float>(static_cast<int>(quarters));
    return exact ? static_cast<std::uint8_t>(quarters) : UNCODED;
}
inline float decoded(std::uint8_t code) { return 0.25f * static_cast<float>(code); }

inline Posting posting_of(Row row, std::uint8_t code) { return static_cast<Posting>(row) << 8 | code; }
inline Row row_of(Posting posting) { return static_cast<Row>(posting >> 8); }
inline std::uint8_t code_in(Posting posting) { return static_cast<std::uint8_t>(posting); }

class PostingList {
   public:
    PostingList() = default;
    PostingList(const PostingList& other) : array_(other.array_), size_(other.size_), only_(other.only_) {
        if (array_ != nullptr) array_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    PostingList(PostingList&& other) noexcept { swap(other); }
    PostingList& operator=(PostingList other) noexcept {
        swap(other);
        return *this;
    }
    ~PostingList() { release(); }

    std::size_t size() const { return size_; }
    const Posting* begin() const { return array_ != nullptr ? array_->postings() : &only_; }
    const Posting* end() const { return begin() + size_; }

    // The first posting at or behind `from` whose row is not less.
    const Posting* seek(Row row, const Posting* from) const { return std::lower_bound(from, end(), posting_of(row, 0)); }

    void reserve(std::size_t size) {
        if (size > capacity()) reallocate(size);
    }

    // Adds a posting of a row that has none.
    void insert(Posting posting) {
        if (size_ == 0 && array_ == nullptr) {
            only_ = posting;
            size_ = 1;
            return;
        }
        if (size_ == capacity() || is_shared()) reallocate(size_ + size_ / 4 + 1);
        Posting* const last = array_->postings() + size_;
        Posting* const at = size_ == 0 || last[-1] < posting ? last : std::lower_bound(array_->postings(), last, posting);
        std::memmove(at + 1, at, static_cast<std::size_t>(last - at) * sizeof(Posting));
        *at = posting;
        ++size_;
    }

    // Removes a posting that is there.
    void erase(Posting posting) {
        if (size_ == 1) {
            *this = PostingList();
            return;
        }
        if (is_shared()) reallocate(size_);
        Posting* const last = array_->postings() + size_;
        Posting* const at = std::lower_bound(array_->postings(), last, posting);
        std::memmove(at, at + 1, static_cast<std::size_t>(last - at - 1) * sizeof(Posting));
        --size_;
        if (capacity() > 16 && size_ < capacity() / 4) reallocate(size_ + size_ / 4 + 1);
    }

   private:
    // The postings lie behind it.
    struct Array {
        std::atomic<std::uint32_t> owners;
        std::uint32_t capacity;

        Posting* postings() { return reinterpret_cast<Posting*>(this + 1); }
    };

    std::size_t capacity() const { return array_ != nullptr ? array_->capacity : 1; }
    bool is_shared() const { return array_ != nullptr && array_->owners.load(std::memory_order_acquire) > 1; }

    void swap(PostingList& other) noexcept {
        std::swap(array_, other.array_);
        std::swap(size_, other.size_);
        std::swap(only_, other.only_);
    }
    void release() {
        if (array_ != nullptr && array_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(array_);
    }
    // Moves the postings into an array of their own.
    void reallocate(std::size_t capacity) {
        void* const memory = std::malloc(sizeof(Array) + capacity * sizeof(Posting));
        if (memory == nullptr) throw std::bad_alloc();
        auto* const fresh = new (memory) Array{{1}, static_cast<std::uint32_t>(capacity)};
        std::copy(begin(), end(), fresh->postings());
        release();
        array_ = fresh;
    }

    Array* array_ = nullptr;  // none: `only_` is the list, if there is one
    std::uint32_t size_ = 0;
    Posting only_ = 0;
};

}  // namespace native
