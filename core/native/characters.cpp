// core.native.characters: what a text weighs, character by character. characters.pyi says what it offers.

#include <pybind11/pybind11.h>

#include <cstdint>

#include "text.h"

namespace py = pybind11;
using namespace native;

namespace {

bool is_letter(Py_UCS4 c) { return (c | 0x20) - 'a' < 26; }
bool is_blank(Py_UCS4 c) { return c == ' ' || c == '\t'; }

struct Counts {
    std::int64_t letters = 0, words = 0, marks = 0, wide = 0, astral = 0;
};

// Of a text of ASCII alone: no step waits for the one before.
Counts count_ascii(const Py_UCS1* units, std::size_t length) {
    std::uint32_t letters = 0, words = 0, blanks = 0;
    for (std::size_t i = 1; i < length; ++i) {
        letters += is_letter(units[i]);
        words += is_letter(units[i]) & !is_letter(units[i - 1]);
        blanks += is_blank(units[i]);
    }
    if (length > 0) letters += is_letter(units[0]), words += is_letter(units[0]), blanks += is_blank(units[0]);
    return {letters, words, static_cast<std::int64_t>(length) - letters - blanks, 0, 0};
}

// Of any other: what is not ASCII neither is in a word nor ends it.
template <typename Unit>
Counts count(const Unit* units, std::size_t length) {
    Counts found;
    bool inside = false;
    for (std::size_t i = 0; i < length; ++i) {
        const Py_UCS4 c = units[i];
        const bool ascii = c < 0x80, letter = is_letter(c);
        found.letters += letter;
        found.words += letter & !inside;
        found.marks += ascii & !letter & !is_blank(c);
        found.wide += !ascii;
        found.astral += c > 0xffff;
        inside = ascii ? letter : inside;
    }
    return found;
}

Counts count(const Text& text) {
    if (text.is_ascii()) return count_ascii(text.as<Py_UCS1>(), text.size());
    switch (text.kind()) {
        case PyUnicode_1BYTE_KIND: return count(text.as<Py_UCS1>(), text.size());
        case PyUnicode_2BYTE_KIND: return count(text.as<Py_UCS2>(), text.size());
        default: return count(text.as<Py_UCS4>(), text.size());
    }
}

class Scale {
   public:
    Scale(std::int64_t letter, std::int64_t word, std::int64_t mark, std::int64_t wide, std::int64_t astral)
        : letter_(letter), word_(word), mark_(mark), wide_(wide), astral_(astral) {}

    std::int64_t weight(py::handle text) const {
        const Counts of = count(Text(text));
        return of.letters * letter_ + of.words * word_ + of.marks * mark_ + (of.wide - of.astral) * wide_ +
               of.astral * astral_;
    }

   private:
    std::int64_t letter_, word_, mark_, wide_, astral_;
};

}  // namespace

PYBIND11_MODULE(characters, module) {
    using namespace py::literals;
    py::class_<Scale>(module, "Scale")
        .def(py::init<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>(), py::kw_only(), "letter"_a,
             "word"_a, "mark"_a, "wide"_a, "astral"_a)
        .def("weight", &Scale::weight);
}
