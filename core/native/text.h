// Python's str as bytes.

#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace native {

namespace py = pybind11;

// Appends a character as UTF-8; lone surrogates too, which Python refuses to encode.
inline void append_utf8(Py_UCS4 c, std::string& out) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | (c >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xf0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

// A view of a Python str, which must outlive it.
class Text {
   public:
    explicit Text(py::handle text) : text_(text.ptr()) {
        if (!PyUnicode_Check(text_)) throw py::type_error("a text is a str");
        length_ = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text_));
    }

    std::size_t size() const { return length_; }  // in characters

    // Characters [start, end) as UTF-8, in `buffer` unless the str holds them as such.
    std::string_view utf8(std::size_t start, std::size_t end, std::string& buffer) const {
        const auto kind = PyUnicode_KIND(text_);
        const void* units = PyUnicode_DATA(text_);
        if (PyUnicode_IS_COMPACT_ASCII(text_)) return {static_cast<const char*>(units) + start, end - start};
        buffer.clear();
        for (std::size_t i = start; i < end; ++i)
            append_utf8(PyUnicode_READ(kind, units, static_cast<Py_ssize_t>(i)), buffer);
        return buffer;
    }
    std::string_view utf8(std::string& buffer) const { return utf8(0, length_, buffer); }

    // The str's own representation: equal for equal texts.
    std::string_view units() const {
        return {static_cast<const char*>(PyUnicode_DATA(text_)), length_ * PyUnicode_KIND(text_)};
    }

   private:
    PyObject* text_;
    std::size_t length_;
};

}  // namespace native
