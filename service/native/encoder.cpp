// service.native.encoder: encoder.pyi says what it offers.

#include "encoder.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using native::Dense;
using native::FOUR;
using native::HEAD;
using native::Layer;
using native::Model;
using native::Norm;
using native::PANEL;

using Floats = py::array_t<float, py::array::c_style>;
using Bytes = py::array_t<std::int8_t, py::array::c_style>;

constexpr std::size_t LINE = 64;       // bytes of a register, and of a line of the caches
constexpr std::size_t MOST = 1 << 14;  // of anything: no product of sizes runs over

std::vector<float> floats(const py::dict& given, const std::string& name, std::size_t size) {
    const Floats array = given[py::str(name)].cast<Floats>();
    if (static_cast<std::size_t>(array.size()) != size) throw py::value_error(name + " has another size");
    return {array.data(), array.data() + size};
}

Norm norm(const py::dict& given, const std::string& name, std::size_t size) {
    return {floats(given, name + ".w", size), floats(given, name + ".b", size)};
}

// All weights in one block, of whole lines as its matrices are of whole panels.
class Weights {
  public:
    explicit Weights(std::size_t size)
        : block_(static_cast<std::int8_t*>(std::aligned_alloc(LINE, size)), std::free) {
        if (!block_) throw std::bad_alloc();
    }

    Dense take(const py::dict& given, const std::string& name, std::size_t inputs, std::size_t outputs) {
        const Bytes matrix = given[py::str(name + ".w")].cast<Bytes>();
        if (matrix.ndim() != 2 || matrix.shape(0) != static_cast<py::ssize_t>(inputs) ||
            matrix.shape(1) != static_cast<py::ssize_t>(outputs))
            throw py::value_error(name + ".w has another shape");
        Dense dense{inputs,
                    outputs,
                    block_.get() + taken_,
                    floats(given, name + ".calm", inputs),
                    floats(given, name + ".scale", outputs),
                    floats(given, name + ".b", outputs),
                    std::vector<std::int32_t>(outputs)};
        std::int8_t* to = block_.get() + taken_;
        for (std::size_t panel = 0; panel < outputs; panel += PANEL)
            for (std::size_t start = 0; start < inputs; start += FOUR)
                for (std::size_t column = panel; column < panel + PANEL; ++column)
                    for (std::size_t input = start; input < start + FOUR; ++input) {
                        *to = matrix.data()[input * outputs + column];
                        dense.sums[column] += *to++;
                    }
        taken_ += inputs * outputs;
        return dense;
    }

  private:
    std::size_t taken_ = 0;
    std::unique_ptr<std::int8_t, void (*)(void*)> block_;
};

class Encoder {
  public:
    Encoder(const py::dict& constants, std::size_t layers, std::size_t heads, std::size_t inner, float epsilon)
        : weights_(sizes(layers, heads, inner)) {
        if (!native::is_able()) throw std::runtime_error("this processor lacks the instructions");
        const std::size_t hidden = heads * HEAD;
        model_ = {hidden, heads, inner, epsilon, norm(constants, "emb.ln", hidden), {}};
        for (std::size_t layer = 0; layer < layers; ++layer) {
            const std::string at = "l" + std::to_string(layer);
            model_.layers.push_back({weights_.take(constants, at + ".qkv", hidden, 3 * hidden),
                                     weights_.take(constants, at + ".ao", hidden, hidden),
                                     weights_.take(constants, at + ".fi", hidden, inner),
                                     weights_.take(constants, at + ".fo", inner, hidden),
                                     norm(constants, at + ".aln", hidden), norm(constants, at + ".oln", hidden)});
        }
    }

    Floats pooled(const Floats& embedded) const {
        if (embedded.ndim() != 2 || embedded.shape(0) < 1 ||
            embedded.shape(1) != static_cast<py::ssize_t>(model_.hidden))
            throw py::value_error("embedded tokens are a matrix of at least one row, as wide as the model");
        Floats made(static_cast<py::ssize_t>(model_.hidden));
        const float* from = embedded.data();
        float* to = made.mutable_data();
        const auto rows = static_cast<std::size_t>(embedded.shape(0));
#if HAS_VNNI_FORM
        const py::gil_scoped_release released;
        native::encode(model_, from, rows, to);
#endif
        return made;
    }

  private:
    static std::size_t sizes(std::size_t layers, std::size_t heads, std::size_t inner) {
        if (layers < 1 || layers > MOST || heads < 1 || heads > MOST || inner < 1 || inner > MOST || inner % PANEL)
            throw py::value_error("layers, heads and inner are whole numbers from 1, inner a multiple of 32");
        return layers * heads * HEAD * (4 * heads * HEAD + 2 * inner);
    }

    Weights weights_;
    Model model_;
};

}  // namespace

PYBIND11_MODULE(encoder, module) {
    module.def("is_able", &native::is_able);
    py::class_<Encoder>(module, "Encoder")
        .def(py::init<const py::dict&, std::size_t, std::size_t, std::size_t, float>(), "constants"_a, py::kw_only(),
             "layers"_a, "heads"_a, "inner"_a, "epsilon"_a)
        .def("pooled", &Encoder::pooled, "embedded"_a);
}
