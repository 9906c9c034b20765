// core.native.keys: see keys.pyi.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace py = pybind11;

namespace {

// Rows by their keys' hashes, in a table of four bytes a place. A place says a row, and with the bits that rows leave
// over a part of the key's hash: so another's key, which lies somewhere else in memory, is hardly ever looked at.
class RowTable {
   public:
    explicit RowTable(py::list keys) : keys_(std::move(keys)) {
        constexpr Py_ssize_t AT_ONCE = 2048;  // keys that hold up every other thread
        make_room(static_cast<std::size_t>(length()), length());
        for (Py_ssize_t row = 0; row < length(); ++row) {
            if (row % AT_ONCE == AT_ONCE - 1) py::gil_scoped_release others_may_run;
            if (!key_of(row).is_none()) add(row);
        }
    }

    std::size_t size() const { return size_; }
    bool contains(const py::object& key) const { return slots_[find(key, mixed(key))] != NOBODY; }
    Py_ssize_t get(const py::object& key) const { return row_in(find(key, mixed(key))); }

    py::list rows(const py::object& keys) const {
        const py::object asked = owned(PySequence_Fast(keys.ptr(), "keys are a sequence"));
        py::list found;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(asked.ptr()); ++i)
            found.append(get(py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(asked.ptr(), i))));
        return found;
    }

    void add(Py_ssize_t row) {
        const py::object key = key_of(row);
        if (key.is_none()) throw std::invalid_argument("a row without a key");
        if (5 * (size_ + 1) > 4 * slots_.size() || static_cast<std::uint64_t>(row) >= no_row(row_bits_))
            make_room(size_ + 1, row);
        const std::uint64_t hash = mixed(key);
        const std::size_t at = find(key, hash);
        if (slots_[at] != NOBODY) throw std::invalid_argument("a key that is there");
        slots_[at] = slot(row, hash, row_bits_);
        ++size_;
    }

    Py_ssize_t pop(const py::object& key) {
        std::size_t hole = find(key, mixed(key));
        const Py_ssize_t row = row_in(hole);
        if (row == ABSENT) return ABSENT;
        // Whoever stands behind the hole and would be looked for from before it moves up.
        for (std::size_t at = next(hole); slots_[at] != NOBODY; at = next(at)) {
            const std::size_t home = this->home(mixed(key_of(row_in(at))));
            if (((at - home) & mask()) < ((at - hole) & mask())) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = NOBODY;
        --size_;
        return row;
    }

   private:
    static constexpr std::uint32_t NOBODY = UINT32_MAX;
    static constexpr Py_ssize_t ABSENT = -1;

    static py::object owned(PyObject* made) {
        if (made == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(made);
    }

    Py_ssize_t length() const { return PyList_GET_SIZE(keys_.ptr()); }
    py::object key_of(Py_ssize_t row) const {
        if (row < 0 || row >= length()) throw std::invalid_argument("a row beyond the list of keys");
        return py::reinterpret_borrow<py::object>(PyList_GET_ITEM(keys_.ptr(), row));
    }

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    static std::uint64_t no_row(int row_bits) { return (std::uint64_t{1} << row_bits) - 1; }  // NOBODY's

    Py_ssize_t row_in(std::size_t at) const {
        return slots_[at] == NOBODY ? ABSENT : static_cast<Py_ssize_t>(slots_[at] & no_row(row_bits_));
    }
    // Python's hashes of numbers are these numbers: their bits are spread here.
    static std::uint64_t mixed(const py::object& key) {
        const std::uint64_t hash = static_cast<std::uint64_t>(py::hash(key)) * 0x9e3779b97f4a7c15u;
        return hash ^ hash >> 32;
    }
    std::size_t home(std::uint64_t hash) const { return hash >> 32 & mask(); }
    static std::uint32_t slot(Py_ssize_t row, std::uint64_t hash, int row_bits) {
        return static_cast<std::uint32_t>(hash << row_bits | static_cast<std::uint64_t>(row));
    }

    // Where the key stands, or the place that is free for it.
    std::size_t find(const py::object& key, std::uint64_t hash) const {
        std::size_t at = home(hash);
        for (; slots_[at] != NOBODY; at = next(at)) {
            if ((slots_[at] ^ slot(0, hash, row_bits_)) > no_row(row_bits_)) continue;  // another part of a hash
            const py::object known = key_of(row_in(at));
            if (known.is(key) || known.equal(key)) break;
        }
        return at;
    }

    // With room for so many keys, and for this row.
    void make_room(std::size_t keys, Py_ssize_t row) {
        int row_bits = row_bits_;
        while (static_cast<std::uint64_t>(row) >= no_row(row_bits)) ++row_bits;
        if (row_bits > 31) throw std::length_error("too many rows");
        std::size_t places = slots_.size();
        while (5 * keys > 4 * places) places *= 2;
        std::vector<std::uint32_t> fresh(places, NOBODY);
        for (const std::uint32_t each : slots_) {
            if (each == NOBODY) continue;
            const auto its_row = static_cast<Py_ssize_t>(each & no_row(row_bits_));
            const std::uint64_t hash = mixed(key_of(its_row));
            std::size_t at = hash >> 32 & (places - 1);
            while (fresh[at] != NOBODY) at = (at + 1) & (places - 1);
            fresh[at] = slot(its_row, hash, row_bits);
        }
        slots_.swap(fresh);
        row_bits_ = row_bits;
    }

    py::list keys_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(8, NOBODY);  // a power of two of them, a fifth free at the least
    std::size_t size_ = 0;
    int row_bits_ = 8;
};

}  // namespace

PYBIND11_MODULE(keys, module) {
    py::class_<RowTable>(module, "RowTable")
        .def(py::init<py::list>())
        .def("__len__", &RowTable::size)
        .def("__contains__", &RowTable::contains)
        .def("get", &RowTable::get)
        .def("rows", &RowTable::rows)
        .def("add", &RowTable::add)
        .def("pop", &RowTable::pop);
}
