// service.native.wire: wire.pyi says what it offers.
//
// An answer is measured first, and then written into the one object that is sent: nothing is copied twice. The parts
// are read as CPython's own objects: a conversion of each would cost more than the joining.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// Numbers of SearchHit's fields (types.proto), and the wire types.
enum : std::uint32_t { SCORE = 3, ATTRIBUTE_SCORE = 4, EMBEDDING_SCORE = 5, NEIGHBOR_IDS = 6 };
enum : std::uint32_t { FIXED64 = 1, DELIMITED = 2 };
constexpr long HIGHEST_FIELD = (1L << 29) - 1;

struct Bytes {
    const char* start;
    std::size_t size;
};

struct Hit {
    std::uint32_t tag;
    Bytes content;
    double scores[3];
    bool shown[3];
    std::size_t first_id, last_id;  // places in a list of all hits' neighbours
    Bytes rest;
    std::size_t size;  // of the hit, its length not counted
};

std::uint32_t tag_of(long number) {
    if (number < 1 || number > HIGHEST_FIELD) throw py::value_error("no field has this number");
    return static_cast<std::uint32_t>(number) << 3 | DELIMITED;
}

std::size_t varint_size(std::uint64_t value) {
    std::size_t size = 1;
    while (value >= 0x80) value >>= 7, ++size;
    return size;
}

Bytes bytes_of(PyObject* object) {
    if (!PyBytes_Check(object)) throw py::type_error("encoded parts are bytes");
    return {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
}

Bytes text_of(PyObject* object) {
    Py_ssize_t size = 0;
    const char* start = PyUnicode_AsUTF8AndSize(object, &size);
    if (start == nullptr) throw py::error_already_set();
    return {start, static_cast<std::size_t>(size)};
}

double number_of(PyObject* object) {
    const double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number;
}

// A score that is 0 is left out, as protobuf does; an optional one only where it is None.
bool is_zero(double number) {
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits == 0;
}

Hit hit_of(PyObject* parts, std::vector<Bytes>& ids) {
    if (!PyTuple_Check(parts) || PyTuple_GET_SIZE(parts) != 7) throw py::type_error("a hit is a tuple of seven parts");
    PyObject* const* part = &PyTuple_GET_ITEM(parts, 0);
    Hit hit{};
    if (!PyLong_Check(part[0])) throw py::type_error("a field has a number");
    hit.tag = tag_of(PyLong_AsLong(part[0]));
    hit.content = bytes_of(part[1]);
    hit.rest = bytes_of(part[6]);
    hit.size = varint_size(hit.tag) + hit.content.size + hit.rest.size;
    for (int place = 0; place < 3; ++place) {
        hit.shown[place] = part[2 + place] != Py_None;
        if (hit.shown[place]) hit.scores[place] = number_of(part[2 + place]);
        if (place == 0 && is_zero(hit.scores[0])) hit.shown[0] = false;
        if (hit.shown[place]) hit.size += 1 + sizeof(double);
    }
    if (!PyTuple_Check(part[5])) throw py::type_error("neighbor_ids are a tuple");  // which keeps them until they are written
    hit.first_id = ids.size();
    for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(part[5]); ++place) {
        ids.push_back(text_of(PyTuple_GET_ITEM(part[5], place)));
        hit.size += 1 + varint_size(ids.back().size) + ids.back().size;
    }
    hit.last_id = ids.size();
    return hit;
}

class Writer {
  public:
    explicit Writer(std::size_t size)
        : made_(py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)))) {
        if (!made_) throw py::error_already_set();
        at_ = PyBytes_AS_STRING(made_.ptr());
    }

    void varint(std::uint64_t value) {
        while (value >= 0x80) *at_++ = static_cast<char>(value | 0x80), value >>= 7;
        *at_++ = static_cast<char>(value);
    }

    void bytes(const Bytes& some) {
        std::memcpy(at_, some.start, some.size);
        at_ += some.size;
    }

    void fixed64(std::uint32_t number, double value) {
        varint(number << 3 | FIXED64);
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        for (int byte = 0; byte < 8; ++byte) *at_++ = static_cast<char>(bits >> 8 * byte);  // little-endian on any machine
    }

    void hit(const Hit& hit, const std::vector<Bytes>& ids) {
        varint(hit.size);
        varint(hit.tag);
        bytes(hit.content);
        for (std::uint32_t place = 0; place < 3; ++place)
            if (hit.shown[place]) fixed64(SCORE + place, hit.scores[place]);
        for (std::size_t place = hit.first_id; place < hit.last_id; ++place) {
            varint(NEIGHBOR_IDS << 3 | DELIMITED);
            varint(ids[place].size);
            bytes(ids[place]);
        }
        bytes(hit.rest);
    }

    py::bytes made() const { return made_; }

  private:
    py::bytes made_;
    char* at_ = nullptr;
};

// Asks the memory for an encoding that is copied later, up to the length of most: it lies where its node was made, in
// no cache, and thirty waited for at once take little longer than one.
void fetch(const PyObject* encoding) {
    for (int line = 0; line < 10; ++line) __builtin_prefetch(reinterpret_cast<const char*>(encoding) + 64 * line);
}

py::bytes joined(const py::list& hits, long hit_number, const py::list& messages, long message_number, const py::bytes& rest) {
    const std::uint32_t hit_tag = tag_of(hit_number), message_tag = tag_of(message_number);
    const Bytes last = bytes_of(rest.ptr());
    std::vector<Bytes> ids, others;
    std::vector<Hit> found;
    found.reserve(hits.size());
    others.reserve(messages.size());
    for (const py::handle message : messages) fetch(message.ptr());
    for (const py::handle parts : hits)
        if (PyTuple_Check(parts.ptr()) && PyTuple_GET_SIZE(parts.ptr()) == 7) fetch(PyTuple_GET_ITEM(parts.ptr(), 1));
    std::size_t size = last.size;
    for (const py::handle parts : hits) {
        found.push_back(hit_of(parts.ptr(), ids));
        size += varint_size(hit_tag) + varint_size(found.back().size) + found.back().size;
    }
    for (const py::handle message : messages) {
        others.push_back(bytes_of(message.ptr()));
        size += varint_size(message_tag) + others.back().size;
    }
    Writer writer(size);
    for (const Hit& hit : found) {
        writer.varint(hit_tag);
        writer.hit(hit, ids);
    }
    for (const Bytes& message : others) {
        writer.varint(message_tag);
        writer.bytes(message);
    }
    writer.bytes(last);
    return writer.made();
}

}  // namespace

PYBIND11_MODULE(wire, module) {
    module.def("joined", &joined, "hits"_a, "hit"_a, "messages"_a, "message"_a, "rest"_a);
}
