// core.native.scores: scores.pyi says what it offers.
//
// Lists and tuples are read and made as CPython's own: for so few numbers, converting them would cost more than the
// reckoning.

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rounding.h"

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

struct Candidate {
    PyObject* key;
    Py_hash_t hash;
    double score, attribute, embedding;
};

// Both sides on their scales, and mixed.
struct Formula {
    double best, floor, height, alpha, rest;

    ROUNDED_ALIKE void score(Candidate& candidate, double bm25, double cosine) const {
        const double scaled = (cosine - floor) / height;
        candidate.attribute = best > 0.0 ? bm25 / best : 0.0;
        candidate.embedding = scaled < 0.0 ? 0.0 : scaled > 1.0 ? 1.0 : scaled;
        const double by_words = alpha * candidate.attribute, by_meaning = rest * candidate.embedding;
        candidate.score = by_words + by_meaning;
    }
};

double number_in(const py::list& numbers, std::size_t place) {
    const double number = PyFloat_AsDouble(PyList_GET_ITEM(numbers.ptr(), static_cast<Py_ssize_t>(place)));
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return number;
}

// Keys that were met, by their hashes: open addressing, half of it free.
class Met {
  public:
    explicit Met(std::size_t keys) {
        std::size_t size = 8;
        while (size < 2 * keys) size *= 2;
        slots_.assign(size, FREE);
    }

    // Whether the last of the candidates is new among them.
    bool is_new(const std::vector<Candidate>& candidates) {
        const Candidate& last = candidates.back();
        for (std::size_t at = static_cast<std::size_t>(last.hash);; ++at) {
            std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
            if (slot == FREE) {
                slot = static_cast<std::uint32_t>(candidates.size() - 1);
                return true;
            }
            if (candidates[slot].hash == last.hash && is_equal(candidates[slot].key, last.key)) return false;
        }
    }

  private:
    static constexpr std::uint32_t FREE = UINT32_MAX;

    static bool is_equal(PyObject* one, PyObject* other) {
        const int equal = PyObject_RichCompareBool(one, other, Py_EQ);
        if (equal < 0) throw py::error_already_set();
        return equal == 1;
    }

    std::vector<std::uint32_t> slots_;
};

py::list mixed(const py::list& keys, const py::list& bm25, const py::list& cosines, double best, double floor,
               double ceiling, double alpha, std::size_t k) {
    if (bm25.size() != keys.size() || cosines.size() != keys.size()) throw py::value_error("two numbers for each key");
    if (!(floor < ceiling)) throw py::value_error("a scale goes up");
    const Formula formula{best, floor, ceiling - floor, alpha, 1.0 - alpha};
    std::vector<Candidate> candidates;
    candidates.reserve(keys.size());
    Met met(keys.size());
    for (std::size_t place = 0; place < keys.size(); ++place) {
        PyObject* key = PyList_GET_ITEM(keys.ptr(), static_cast<Py_ssize_t>(place));
        candidates.push_back({key, PyObject_Hash(key), 0.0, 0.0, 0.0});
        if (PyErr_Occurred() != nullptr) throw py::error_already_set();
        if (met.is_new(candidates))
            formula.score(candidates.back(), number_in(bm25, place), number_in(cosines, place));
        else
            candidates.pop_back();
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    std::size_t kept = std::min(k, candidates.size());
    while (kept > 0 && kept < candidates.size() && candidates[kept].score == candidates[kept - 1].score) ++kept;
    py::list found(kept);
    for (std::size_t place = 0; place < kept; ++place) {
        const Candidate& each = candidates[place];
        found[place] = py::make_tuple(py::handle(each.key), each.score, each.attribute, each.embedding);
    }
    return found;
}

}  // namespace

PYBIND11_MODULE(scores, module) {
    module.def("mixed", &mixed, "keys"_a, "bm25"_a, "cosines"_a, "best"_a, "floor"_a, "ceiling"_a, "alpha"_a, "k"_a);
}
