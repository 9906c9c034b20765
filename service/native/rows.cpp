// service.native.rows: rows.pyi says what it offers.

#include <pybind11/pybind11.h>

#include <array>
#include <vector>

namespace py = pybind11;

namespace {

constexpr Py_ssize_t SHORT = 32;  // code points: names, roles; longer texts are hardly said twice

// A new reference, owned. Whatever failed has said so by an exception of Python's.
py::object owned(PyObject* made) {
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

py::object borrowed(PyObject* known) {
    if (known == nullptr) throw py::error_already_set();
    return py::reinterpret_borrow<py::object>(known);
}

py::object shared(const py::dict& texts, PyObject* text) { return borrowed(PyDict_SetDefault(texts.ptr(), text, text)); }

// Reads what our own writer makes of lists: texts without escapes, whole numbers, lists of these, and no spaces.
class Lists {
public:
    Lists(PyObject* text, const py::dict& texts)
        : text_(text), texts_(texts), kind_(PyUnicode_KIND(text)), data_(PyUnicode_DATA(text)),
          length_(PyUnicode_GET_LENGTH(text)) {}

    // Nothing where the text is of another kind.
    py::object whole() {
        if (find('\\', 0) >= 0) return {};
        py::object value = list(0);
        return value && at_ == length_ ? value : py::object();
    }

private:
    static constexpr int DEEPEST = 8;
    static constexpr int DIGITS = 18;  // whatever has no more fits

    Py_UCS4 next() const { return at_ < length_ ? PyUnicode_READ(kind_, data_, at_) : 0; }

    Py_ssize_t find(Py_UCS4 sign, Py_ssize_t from) const { return PyUnicode_FindChar(text_, sign, from, length_, 1); }

    bool takes(Py_UCS4 sign) {
        if (next() != sign) return false;
        ++at_;
        return true;
    }

    py::object value(int depth) {
        const Py_UCS4 sign = next();
        if (sign == '"') return text();
        return sign == '[' ? list(depth) : number();
    }

    py::object list(int depth) {
        if (depth == DEEPEST || !takes('[')) return {};
        std::vector<py::object> parts;
        if (!takes(']')) {
            do {
                parts.push_back(value(depth + 1));
                if (!parts.back()) return {};
            } while (takes(','));
            if (!takes(']')) return {};
        }
        py::object found = owned(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
        for (std::size_t part = 0; part < parts.size(); ++part)
            PyTuple_SET_ITEM(found.ptr(), static_cast<Py_ssize_t>(part), parts[part].release().ptr());
        return found;
    }

    py::object text() {
        const Py_ssize_t start = at_ + 1, end = find('"', start);
        if (end < 0) return {};
        at_ = end + 1;
        return shared(texts_, owned(PyUnicode_Substring(text_, start, end)).ptr());
    }

    py::object number() {
        const bool negative = takes('-');
        const Py_ssize_t start = at_;
        long long found = 0;
        for (; next() >= '0' && next() <= '9'; ++at_) found = at_ - start < DIGITS ? 10 * found + (next() - '0') : 0;
        if (at_ == start || at_ - start > DIGITS) return {};
        return owned(PyLong_FromLongLong(negative ? -found : found));
    }

    PyObject* text_;
    const py::dict& texts_;
    int kind_;
    const void* data_;
    Py_ssize_t length_;
    Py_ssize_t at_ = 0;
};

// The value of a list's text, or nothing where it is no such list.
py::object list_of(PyObject* text, const py::dict& texts) {
    return PyUnicode_Check(text) ? Lists(text, texts).whole() : py::object();
}

py::list lists(const py::list& cells, const py::dict& texts, const py::function& otherwise) {
    py::list found(cells.size());
    for (std::size_t place = 0; place < cells.size(); ++place) {
        py::object value = list_of(PyList_GET_ITEM(cells.ptr(), place), texts);
        found[place] = value ? std::move(value) : otherwise(cells[place]);
    }
    return found;
}

bool equal(PyObject* one, PyObject* other) {
    if (one == other) return true;
    if (Py_TYPE(one) != Py_TYPE(other)) return false;
    const int found = PyObject_RichCompareBool(one, other, Py_EQ);
    if (found < 0) throw py::error_already_set();
    return found != 0;
}

// One column: into which slot its values go, how they are read, and which column before it is of the same kind.
struct Column {
    enum Way { AS_IT_IS, SHARED, LIST, TOGETHER };

    PyObject* member;
    descrsetfunc set;
    Way way;
    py::object read;
    py::dict known;  // of its kind, in these rows: what was read together or comes again
    int before;
};

std::vector<Column> columns_of(const py::tuple& described) {
    std::vector<Column> columns;
    std::vector<long> kinds;
    for (const py::handle each : described) {
        const auto [member, kind, way, read] = each.cast<std::tuple<py::object, long, int, py::object>>();
        const descrsetfunc set = Py_TYPE(member.ptr())->tp_descr_set;
        if (set == nullptr) throw py::type_error("members are what a class has for its slots");
        if (way < Column::AS_IT_IS || way > Column::TOGETHER) throw py::value_error("no such way to read a column");
        int before = -1;
        for (std::size_t place = 0; place < kinds.size(); ++place)
            if (kinds[place] == kind) before = static_cast<int>(place);
        columns.push_back({member.ptr(), set, static_cast<Column::Way>(way), read,
                           before < 0 ? py::dict() : columns[before].known, before});
        kinds.push_back(kind);
    }
    return columns;
}

// Read, all in one call, what stands in a column and is not known yet.
void read_together(Column& column, const std::vector<PyObject*>& rows, Py_ssize_t place, const py::dict& texts) {
    py::dict unknown;
    for (PyObject* row : rows) {
        PyObject* cell = PyTuple_GET_ITEM(row, place);
        if (cell == Py_None || PyDict_GetItemWithError(column.known.ptr(), cell) != nullptr) continue;
        if (PyErr_Occurred() != nullptr || PyDict_SetItem(unknown.ptr(), cell, Py_None) != 0)
            throw py::error_already_set();
    }
    if (unknown.empty()) return;
    const py::list cells = owned(PyDict_Keys(unknown.ptr()));
    const py::list values = column.read(cells, texts);
    if (values.size() != cells.size()) throw py::value_error("a value for each of them");
    for (std::size_t each = 0; each < cells.size(); ++each)
        if (PyDict_SetItem(column.known.ptr(), PyList_GET_ITEM(cells.ptr(), each),
                           PyList_GET_ITEM(values.ptr(), each)) != 0)
            throw py::error_already_set();
}

py::object value_of(const Column& column, PyObject* cell, const py::dict& texts) {
    if (cell == Py_None) return py::none();
    if (column.way == Column::TOGETHER) {
        PyObject* known = PyDict_GetItemWithError(column.known.ptr(), cell);
        if (known == nullptr && PyErr_Occurred() == nullptr) throw py::value_error("what is read does not stay equal");
        return borrowed(known);
    }
    if (column.way == Column::LIST) {
        py::object value = list_of(cell, texts);
        return value ? value : column.read(py::handle(cell));
    }
    const bool again = PyUnicode_CheckExact(cell) ? PyUnicode_GET_LENGTH(cell) <= SHORT : PyLong_CheckExact(cell);
    return again && column.way == Column::SHARED ? shared(column.known, cell) : borrowed(cell);
}

py::list made(const py::type& class_, const py::tuple& described, const py::dict& texts, const py::list& rows) {
    std::vector<Column> columns = columns_of(described);
    std::vector<PyObject*> tuples;
    for (const py::handle row : rows) {
        if (!PyTuple_Check(row.ptr()) || PyTuple_GET_SIZE(row.ptr()) < static_cast<Py_ssize_t>(columns.size()))
            throw py::value_error("a row is a tuple with a column for each member");
        tuples.push_back(row.ptr());
    }
    for (std::size_t place = 0; place < columns.size(); ++place)
        if (columns[place].way == Column::TOGETHER)
            read_together(columns[place], tuples, static_cast<Py_ssize_t>(place), texts);
    auto* const type = reinterpret_cast<PyTypeObject*>(class_.ptr());
    const py::tuple nothing;
    std::vector<py::object> values(columns.size());  // of one row
    py::object found = owned(PyList_New(static_cast<Py_ssize_t>(tuples.size())));
    for (std::size_t row = 0; row < tuples.size(); ++row) {
        PyObject* value = type->tp_new(type, nothing.ptr(), nullptr);
        if (value == nullptr) throw py::error_already_set();
        PyList_SET_ITEM(found.ptr(), static_cast<Py_ssize_t>(row), value);
        for (std::size_t place = 0; place < columns.size(); ++place) {
            const Column& column = columns[place];
            PyObject* cell = PyTuple_GET_ITEM(tuples[row], static_cast<Py_ssize_t>(place));
            int before = column.way == Column::TOGETHER ? -1 : column.before;  // what stands twice in a row is one value
            while (before >= 0 && !equal(PyTuple_GET_ITEM(tuples[row], before), cell)) before = columns[before].before;
            values[place] = before >= 0 ? values[before] : value_of(column, cell, texts);
            if (column.set(column.member, value, values[place].ptr()) != 0) throw py::error_already_set();
        }
    }
    return py::reinterpret_steal<py::list>(found.release());
}

}  // namespace

PYBIND11_MODULE(rows, module) {
    module.attr("AS_IT_IS") = static_cast<int>(Column::AS_IT_IS);
    module.attr("SHARED") = static_cast<int>(Column::SHARED);
    module.attr("LIST") = static_cast<int>(Column::LIST);
    module.attr("TOGETHER") = static_cast<int>(Column::TOGETHER);
    module.def("lists", &lists, py::arg("cells"), py::arg("texts"), py::arg("otherwise"));
    module.def("made", &made, py::arg("class_"), py::arg("columns"), py::arg("texts"), py::arg("rows"));
}
