// Python's texts, character by character.

#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace native {

namespace py = pybind11;

// UTF-8 of one character; of what is no Unicode (half a pair of surrogates), too.
inline void spell(Py_UCS4 c, std::string& out) {
    const auto more = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | (c >> 6));
        more(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | (c >> 12));
        more(6), more(0);
    } else {
        out += static_cast<char>(0xf0 | (c >> 18));
        more(12), more(6), more(0);
    }
}

// A Python str, character by character.
class Text {
   public:
    explicit Text(py::handle text) : text_(text.ptr()) {
        if (!PyUnicode_Check(text_)) throw py::type_error("a text is a str");
        length_ = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text_));
    }

    std::size_t size() const { return length_; }

    // From one character to another, in UTF-8; `room` holds it where Python does not.
    std::string_view utf8(std::size_t start, std::size_t end, std::string& room) const {
        const auto kind = PyUnicode_KIND(text_);
        const void* units = PyUnicode_DATA(text_);
        if (PyUnicode_IS_COMPACT_ASCII(text_)) return {static_cast<const char*>(units) + start, end - start};
        room.clear();
        for (std::size_t i = start; i < end; ++i) spell(PyUnicode_READ(kind, units, i), room);
        return room;
    }
    std::string_view utf8(std::string& room) const { return utf8(0, length_, room); }

    // As it lies in memory: the same for equal texts.
    std::string_view units() const {
        return {static_cast<const char*>(PyUnicode_DATA(text_)), length_ * PyUnicode_KIND(text_)};
    }

   private:
    PyObject* text_;
    std::size_t length_;
};

}  // namespace native
