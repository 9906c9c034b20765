// core.native.vectors: see vectors.pyi.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "kernels.h"

namespace py = pybind11;

using Matrix = py::array_t<float, py::array::c_style>;
using Rows = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

static py::array_t<float> cosines(const Matrix& matrix, const Rows& rows, const Matrix& vector) {
    const auto n = static_cast<std::size_t>(matrix.shape(1));
    py::array_t<float> found(rows.size());
    for (py::ssize_t place = 0; place < rows.size(); ++place)
        found.mutable_at(place) = static_cast<float>(
            native::exact_product(matrix.data(rows.at(place), 0), vector.data(), n));
    return found;
}

PYBIND11_MODULE(vectors, module) { module.def("cosines", &cosines); }
