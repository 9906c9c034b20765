// Documents being taken apart into terms, before they have rows in an index.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "document.h"
#include "text.h"
#include "vocabulary.h"

namespace native {

// Python's own secret of this process: callers who choose terms do not choose which ones collide.
inline std::uint64_t hash_key() { return static_cast<std::uint64_t>(py::hash(py::str("core.native.words"))); }

// Eight bytes that tell texts by field from any others; the same in every process.
inline py::bytes fingerprint(const py::object& fields) {
    std::uint64_t hash = 0;
    const auto add = [&hash](py::handle text) {
        hash = hashed(Text(text).units(), hash + PyUnicode_KIND(text.ptr()));
    };
    for (const auto& [field, text] : py::dict(fields)) add(field), add(text);
    return {reinterpret_cast<const char*>(&hash), sizeof hash};
}

class DocumentBatch {
   public:
    DocumentBatch() : vocabulary(hash_key()) {}

    // Adds words, and every overlapping pair of characters of runs, to the open document.
    void add(const py::list& words, const py::list& runs, float weight) {
        if (!(weight >= 0.0f)) throw std::invalid_argument("a weight below 0");
        for (const py::handle word : words) count(Text(word).utf8(buffer_), weight);
        for (const py::handle run : runs) {
            const Text text(run);
            for (std::size_t i = 2; i <= text.size(); ++i) count(text.utf8(i - 2, i, buffer_), weight);
        }
    }

    void close() { ends.push_back(counts.size()); }

    // The i-th closed document.
    Document document(std::size_t i) const { return {counts.data() + start(i), counts.data() + ends[i]}; }

    Vocabulary vocabulary;  // of this batch alone
    Document counts;        // one document behind another
    std::vector<std::size_t> ends;

   private:
    std::size_t start(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }

    void count(std::string_view word, float weight) {
        const auto term = static_cast<std::size_t>(vocabulary.add(word));
        if (term >= last_.size()) last_.resize(vocabulary.size());
        std::size_t& last = last_[term];
        if (last <= start(ends.size())) {  // not yet in the open document
            counts.push_back({static_cast<std::int32_t>(term), 0.0f});
            last = counts.size();
        }
        counts[last - 1].frequency += weight;
    }

    std::vector<std::size_t> last_;  // by term: one more than the place of its latest count; 0 for none
    std::string buffer_;
};

}  // namespace native
