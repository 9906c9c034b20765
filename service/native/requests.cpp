// service.native.requests: requests.pyi says what it offers.
//
// Only what is right, and written as protobuf's own writers do, is read: all else is left to protobuf and to those who
// say what is wrong with it. So nothing here has to be told but that it is not so.

#include <pybind11/pybind11.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

enum Kind : int { ID, TEXT, IDS, TEXTS, VECTOR, MESSAGES };
constexpr int HIGHEST = 15;  // number of a field whose tag takes one byte
constexpr int LENGTH_BYTES = 4;
constexpr std::uint32_t DELIMITED = 2;
constexpr std::size_t LONGEST_ID = 128;

py::object owned(PyObject* made) {
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

// The fields of a message one by one, all of them delimited; what is otherwise ends it, and it is not `sound`.
class Fields {
  public:
    explicit Fields(std::string_view message) : left_(message) {}

    bool next(int& number, std::string_view& content) {
        if (left_.empty() || !sound_) return false;
        const auto tag = static_cast<unsigned char>(left_.front());
        std::size_t size = 0, at = 1;
        bool more = true;
        for (int byte = 0; more && byte < LENGTH_BYTES && at < left_.size(); ++byte, ++at) {
            const auto seven = static_cast<unsigned char>(left_[at]);
            size |= static_cast<std::size_t>(seven & 0x7F) << 7 * byte;
            more = seven >= 0x80;
        }
        sound_ = !more && tag < 0x80 && (tag & 7) == DELIMITED && size <= left_.size() - at;
        if (!sound_) return false;
        number = tag >> 3;
        content = left_.substr(at, size);
        left_.remove_prefix(at + size);
        return true;
    }

    bool sound() const { return sound_; }

  private:
    std::string_view left_;
    bool sound_ = true;
};

bool is_id(std::string_view text) {
    const auto plain = [](char sign) {
        return (sign >= '0' && sign <= '9') || (sign >= 'A' && sign <= 'Z') || (sign >= 'a' && sign <= 'z');
    };
    if (text.empty() || text.size() > LONGEST_ID || !plain(text.front())) return false;
    for (const char sign : text)
        if (!plain(sign) && sign != '.' && sign != '_' && sign != ':' && sign != '-') return false;
    return true;
}

bool is_blank(PyObject* text) {
    const int kind = PyUnicode_KIND(text);
    const void* data = PyUnicode_DATA(text);
    for (Py_ssize_t place = 0; place < PyUnicode_GET_LENGTH(text); ++place)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, place))) return false;
    return true;
}

// A text of at most so many code points and without NUL, or nothing.
py::object text_of(std::string_view content, std::size_t most) {
    if (content.size() / 4 > most || std::memchr(content.data(), 0, content.size()) != nullptr) return {};
    py::object text = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(content.data(), static_cast<Py_ssize_t>(content.size()), "strict"));
    if (!text) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError) == 0) throw py::error_already_set();
        PyErr_Clear();
        return {};
    }
    return static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.ptr())) <= most ? text : py::object();
}

py::object bytes_of(std::string_view content) {
    return owned(PyBytes_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size())));
}

bool are_a_vector(std::string_view packed, std::size_t most) {
    if (packed.empty() || packed.size() % sizeof(float) != 0 || packed.size() / sizeof(float) > most) return false;
    bool finite = true, zero = true;
    for (std::size_t at = 0; at < packed.size(); at += sizeof(float)) {
        float number;  // little-endian as the wire is, like every machine this runs on
        std::memcpy(&number, packed.data() + at, sizeof number);
        finite = finite && std::isfinite(number);
        zero = zero && number == 0.0f;
    }
    return finite && !zero;
}

py::object tuple_of(std::vector<py::object>& parts) {
    py::object made = owned(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    for (std::size_t place = 0; place < parts.size(); ++place)
        PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(place), parts[place].release().ptr());
    return made;
}

class Shape {
  public:
    explicit Shape(const py::sequence& rules) {
        place_.fill(-1);
        for (const py::handle rule : rules) {
            const auto [number, kind, least, most, inner] =
                rule.cast<std::tuple<int, int, std::size_t, std::size_t, py::object>>();
            if (number < 1 || number > HIGHEST || place_[number] >= 0)
                throw py::value_error("a field has a number of its own, 1 to 15");
            if (kind < ID || kind > MESSAGES) throw py::value_error("no such kind of field");
            place_[number] = static_cast<int>(rules_.size());
            rules_.push_back({static_cast<Kind>(kind), least, most, 0, nullptr});
            if (kind == TEXTS || kind == VECTOR) rules_.back().other = inner.cast<std::size_t>();
            if (kind == MESSAGES) rules_.back().shape = inner.cast<std::shared_ptr<Shape>>();
        }
    }

    // The fields' values in the order of the rules, or nothing.
    py::object read(std::string_view message) const {
        std::vector<py::object> values(rules_.size());
        std::vector<std::vector<py::object>> several(rules_.size());
        std::vector<std::unordered_set<std::string_view>> ids(rules_.size());
        Fields fields(message);
        int number = 0;
        std::string_view content;
        while (fields.next(number, content)) {
            const int place = place_[number];
            if (place < 0) return {};
            const Rule& rule = rules_[place];
            const bool again = rule.kind == IDS || rule.kind == TEXTS || rule.kind == MESSAGES;
            if (again ? several[place].size() == rule.most : bool(values[place])) return {};
            if (rule.kind == IDS && !ids[place].insert(content).second) return {};
            py::object value = one(rule, content);
            if (!value) return {};
            if (again)
                several[place].push_back(std::move(value));
            else
                values[place] = std::move(value);
        }
        if (!fields.sound()) return {};
        for (std::size_t place = 0; place < rules_.size(); ++place) {
            const Rule& rule = rules_[place];
            if (rule.kind == IDS || rule.kind == TEXTS || rule.kind == MESSAGES) {
                if (several[place].size() < rule.least) return {};
                values[place] = tuple_of(several[place]);
            } else if (!values[place]) {
                if (rule.least > 0) return {};
                values[place] = rule.kind == TEXT ? py::object(py::str()) : py::object(py::none());
            }
        }
        return tuple_of(values);
    }

    py::object read_bytes(const py::bytes& message) const {
        const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(message.ptr()));
        py::object found = read({PyBytes_AS_STRING(message.ptr()), size});
        return found ? found : py::none();
    }

  private:
    struct Rule {
        Kind kind;
        std::size_t least, most, other;
        std::shared_ptr<Shape> shape;
    };

    // What a field holds, or nothing where it is not as the rule says.
    static py::object one(const Rule& rule, std::string_view content) {
        switch (rule.kind) {
            case ID:
            case IDS: return is_id(content) ? text_of(content, LONGEST_ID) : py::object();
            case TEXT: {
                py::object text = text_of(content, rule.most);
                return text && rule.least > 0 && is_blank(text.ptr()) ? py::object() : text;
            }
            case TEXTS: {
                py::object text = text_of(content, rule.other);
                return text && is_blank(text.ptr()) ? py::object() : text;
            }
            case VECTOR: {
                Fields fields(content);
                int number = 0, another = 0;
                std::string_view packed, rest;
                const bool only = fields.next(number, packed) && !fields.next(another, rest) && fields.sound();
                const bool right = only && number == static_cast<int>(rule.other) && are_a_vector(packed, rule.most);
                return right ? bytes_of(packed) : py::object();
            }
            case MESSAGES: return rule.shape->read(content);
        }
        return {};
    }

    std::vector<Rule> rules_;
    std::array<int, HIGHEST + 1> place_;  // by number, -1 where there is no such field
};

}  // namespace

PYBIND11_MODULE(requests, module) {
    module.attr("ID") = static_cast<int>(ID);
    module.attr("TEXT") = static_cast<int>(TEXT);
    module.attr("IDS") = static_cast<int>(IDS);
    module.attr("TEXTS") = static_cast<int>(TEXTS);
    module.attr("VECTOR") = static_cast<int>(VECTOR);
    module.attr("MESSAGES") = static_cast<int>(MESSAGES);
    py::class_<Shape, std::shared_ptr<Shape>>(module, "Shape")
        .def(py::init<const py::sequence&>(), "rules"_a)
        .def("read", &Shape::read_bytes, "message"_a);
}
