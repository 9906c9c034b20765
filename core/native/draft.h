// Documents on their way into an index: what each says, in numbers of their own.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "said.h"
#include "text.h"
#include "vocabulary.h"

namespace native {

inline std::uint64_t key_of_this_process() {
    return static_cast<std::uint64_t>(py::hash(py::str("core.native.words")));
}

// Tells texts by field from any others, in every process alike: eight bytes.
inline py::bytes print_of_texts(const py::object& fields) {
    std::uint64_t print = 0;
    const auto take = [&print](py::handle text) {
        const std::string_view units = Text(text).units();
        print = hashed(units, print + PyUnicode_KIND(text.ptr()));
    };
    for (const auto& [field, text] : py::dict(fields)) take(field), take(text);
    return {reinterpret_cast<const char*>(&print), sizeof print};
}

class Draft {
   public:
    Draft() : vocabulary(key_of_this_process()) {}

    void say(const py::list& words, const py::list& runs, float weight) {
        if (!(weight >= 0.0f)) throw std::invalid_argument("a weight below 0");
        for (const py::handle word : words) count(Text(word).utf8(room_), weight);
        for (const py::handle run : runs) {
            const Text text(run);
            for (std::size_t i = 2; i <= text.size(); ++i) count(text.utf8(i - 2, i, room_), weight);
        }
    }

    void close() { ends.push_back(entries.size()); }

    std::size_t begun() const { return ends.empty() ? 0 : ends.back(); }

    Vocabulary vocabulary;  // the draft's own numbers
    std::vector<Entry> entries;
    std::vector<std::size_t> ends;

   private:
    void count(std::string_view word, float weight) {
        const auto number = static_cast<std::size_t>(vocabulary.number(word));
        if (number >= place_.size()) place_.resize(vocabulary.size());
        std::size_t& place = place_[number];
        if (place <= begun()) {  // of an earlier document, or of none
            entries.push_back({static_cast<std::int32_t>(number), 0.0f});
            place = entries.size();
        }
        entries[place - 1].count += weight;
    }

    std::vector<std::size_t> place_;  // by number: behind which of the entries it last came
    std::string room_;
};

}  // namespace native
