// core.native.vectors: exact cosines and scans, and hnswlib's graph (graph.h). vectors.pyi says what it offers.
//
// The graph finds candidates by quantised codes; they are reranked by the vectors themselves.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limits>
#include <memory>

#include "aside.h"
#include "graph.h"
#include "kernels.h"

namespace py = pybind11;
using namespace pybind11::literals;

template <typename T>
using Array = py::array_t<T, py::array::c_style>;
template <typename T>
using AnyArray = py::array_t<T, py::array::c_style | py::array::forcecast>;

namespace {

std::size_t columns(const Array<float>& matrix) {
    if (matrix.ndim() != 2) throw py::value_error("a matrix has two axes");
    return static_cast<std::size_t>(matrix.shape(1));
}

const float* row(const Array<float>& matrix, std::int64_t number) {
    if (number < 0 || number >= matrix.shape(0)) throw py::index_error("no such row");
    return matrix.data(number, 0);
}

void check_width(const Array<float>& vectors, std::size_t width) {
    if (vectors.ndim() == 0 || static_cast<std::size_t>(vectors.shape(vectors.ndim() - 1)) != width)
        throw py::value_error("vectors of another dimension");
}

template <typename T>
Array<T> as_array(const std::vector<T>& values) {
    return Array<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

Array<float> cosines(const Array<float>& matrix, const AnyArray<std::int64_t>& rows, const Array<float>& vector) {
    const std::size_t width = columns(matrix);
    check_width(vector, width);
    Array<float> found(rows.size());
    float* into = found.mutable_data();
    const std::int64_t* number = rows.data();
    const py::ssize_t count = rows.size(), ahead = native::AHEAD;
    for (py::ssize_t place = -ahead; place < count; ++place) {
        if (place + ahead < count) native::fetch(row(matrix, number[place + ahead]), width);
        if (place >= 0)
            into[place] = static_cast<float>(native::exact_product(row(matrix, number[place]), vector.data(), width));
    }
    return found;
}

Array<std::uint64_t> fingerprints(const Array<float>& matrix, const Array<std::uint64_t>& factors) {
    const std::size_t width = columns(matrix);
    if (static_cast<std::size_t>(factors.size()) != width) throw py::value_error("a factor for each column");
    Array<std::uint64_t> found(matrix.shape(0));
    std::uint64_t* into = found.mutable_data();
    const auto* bits = reinterpret_cast<const std::uint32_t*>(matrix.data());
    const py::ssize_t rows = matrix.shape(0);
    const std::uint64_t* by = factors.data();
    py::gil_scoped_release released;
    for (py::ssize_t number = 0; number < rows; ++number) into[number] = native::row_hash(bits + number * width, by, width);
    return found;
}

// Selects in single precision, then computes cosines of those that may be among the k nearest.
py::tuple scan(const Array<float>& matrix, const Array<bool>& living, const Array<float>& vector, std::size_t k, float rounding) {
    const std::size_t width = columns(matrix), count = static_cast<std::size_t>(living.size());
    check_width(vector, width);
    if (count > static_cast<std::size_t>(matrix.shape(0))) throw py::value_error("more marks than rows");
    static thread_local std::vector<native::Candidate> near;
    near.clear();
    for (std::size_t number = 0; number < count; ++number)
        if (living.data()[number])
            near.push_back({native::product(matrix.data() + number * width, vector.data(), width),
                            static_cast<native::Row>(number)});
    const auto nearer = [](const native::Candidate& a, const native::Candidate& b) { return a.near > b.near; };
    if (k > 0 && near.size() > k) {
        const auto last = near.begin() + static_cast<std::ptrdiff_t>(k - 1);
        std::nth_element(near.begin(), last, near.end(), nearer);
        const float bar = last->near - rounding;
        near.erase(std::partition(last, near.end(), [bar](const native::Candidate& c) { return c.near >= bar; }), near.end());
    }
    py::list rows, found;
    for (const native::Candidate& candidate : near) {
        rows.append(candidate.row);
        found.append(static_cast<float>(
            native::exact_product(matrix.data() + static_cast<std::size_t>(candidate.row) * width, vector.data(), width)));
    }
    return py::make_tuple(rows, found);
}

// A graph over some rows of a matrix, which it keeps alive.
class Graph {
  public:
    Graph(Array<float> matrix, const AnyArray<std::int64_t>& rows, std::size_t m) : Graph(std::move(matrix), rows) {
        py::gil_scoped_release released;
        native::aside([&] { graph_ = std::make_unique<native::Graph>(whole(), added_, m); });
        note_nodes();
    }

    std::unique_ptr<Graph> extended(Array<float> matrix, const AnyArray<std::int64_t>& rows) const {
        if (columns(matrix) != width_) throw py::value_error("vectors of another dimension");
        for (const Row number : graph_->rows()) row(matrix, number);  // throws where there is none
        std::unique_ptr<Graph> made(new Graph(std::move(matrix), rows));
        py::gil_scoped_release released;
        made->graph_ = std::make_unique<native::Graph>(*graph_, made->whole(), made->added_);
        made->note_nodes();
        return made;
    }

    std::size_t size() const { return graph_->size(); }

    std::size_t link(std::size_t count, std::size_t ef_construction, std::uint64_t seed) {
        if (ef_construction == 0) throw py::value_error("ef_construction is at least 1");
        py::gil_scoped_release released;
        native::aside([&] { graph_->link(count, ef_construction, seed); });
        return graph_->linked();
    }

    // Keeps the GIL: by the time it came back, the search would be done.
    py::tuple near(const Array<float>& vector, std::size_t k, std::size_t ef) {
        check_width(vector, width_);
        check_ef(k, ef);
        ranked(vector.data(), k, ef, scratch_);
        const Ranking& best = scratch_.best;
        py::list rows(best.size()), found(best.size());
        for (std::size_t place = 0; place < best.size(); ++place) {
            rows[place] = best[place].row;
            found[place] = best[place].near;
        }
        return py::make_tuple(rows, found);
    }

    Array<float> found(const Array<float>& questions, std::size_t k, std::size_t ef) const {
        check_ef(k, ef);
        return by_question(questions, k, [&](const float* some, std::size_t count, Ranking* best) {
            Scratch scratch;
            for (std::size_t at = 0; at < count; ++at) {
                ranked(some + at * width_, k, ef, scratch);
                best[at] = scratch.best;
            }
        });
    }

    Array<float> nearest(const Array<float>& questions, std::size_t k) const {
        return by_question(questions, k, [&](const float* some, std::size_t count, Ranking* best) {
            for (const Row row : graph_->rows())
                for (std::size_t at = 0; at < count; ++at) {
                    best[at].push_back({exact(some + at * width_, row), row});
                    if (best[at].size() == CROWD * k) cut(best[at], k);
                }
            for (std::size_t at = 0; at < count; ++at) cut(best[at], k);
        });
    }

    bool mark_deleted(std::int64_t number) {
        if (graph_->linked() < graph_->size()) throw py::value_error("the graph is not linked yet");
        if (number < 0 || number >= static_cast<std::int64_t>(node_of_.size()) || node_of_[number] == NO_NODE)
            throw py::index_error("no such node");
        return graph_->mark_deleted(static_cast<std::size_t>(node_of_[number]));
    }

    py::dict links() const {
        const native::Links written = graph_->links();
        const std::vector<std::int64_t> rows(graph_->rows().begin(), graph_->rows().end()), entry{written.entry};
        return py::dict("rows"_a = as_array(rows), "levels"_a = as_array(written.levels),
                        "ground"_a = as_array(written.ground), "upper"_a = as_array(written.upper),
                        "entry"_a = as_array(entry));
    }

    void relink(const AnyArray<std::uint8_t>& levels, const AnyArray<std::uint32_t>& ground,
                const AnyArray<std::uint32_t>& upper, std::uint32_t entry) {
        const native::Links written{{levels.data(), levels.data() + levels.size()},
                                    {ground.data(), ground.data() + ground.size()},
                                    {upper.data(), upper.data() + upper.size()},
                                    entry};
        py::gil_scoped_release released;
        native::aside([&] { graph_->relink(written); });
    }

  private:
    using Row = native::Row;
    using Ranking = std::vector<native::Candidate>;

    struct Scratch {
        std::vector<char> code;
        Ranking candidates, best;
    };

    static constexpr Row NO_NODE = -1;

    Graph(Array<float> matrix, const AnyArray<std::int64_t>& rows) : matrix_(std::move(matrix)), width_(columns(matrix_)) {
        if (matrix_.shape(0) > std::numeric_limits<Row>::max()) throw py::value_error("too many rows");
        added_.reserve(static_cast<std::size_t>(rows.size()));
        std::for_each(rows.data(), rows.data() + rows.size(), [this](std::int64_t number) {
            row(matrix_, number);  // throws where there is none
            added_.push_back(static_cast<Row>(number));
        });
    }

    void note_nodes() {
        std::vector<Row>().swap(added_);
        node_of_.assign(static_cast<std::size_t>(matrix_.shape(0)), NO_NODE);
        for (std::size_t node = 0; node < graph_->size(); ++node) node_of_[graph_->rows()[node]] = static_cast<Row>(node);
    }

    native::Matrix whole() const { return {matrix_.data(), static_cast<std::size_t>(matrix_.shape(0)), width_}; }

    static void check_ef(std::size_t k, std::size_t ef) {
        if (k == 0 || ef < k) throw py::value_error("k is at least 1, and ef no less");
    }

    float exact(const float* question, Row row) const {
        return static_cast<float>(native::exact_product(whole().row(row), question, width_));
    }

    static void cut(Ranking& best, std::size_t k) {
        const auto nearer = [](const native::Candidate& a, const native::Candidate& b) {
            return a.near != b.near ? a.near > b.near : a.row < b.row;
        };
        const std::size_t kept = std::min(k, best.size());
        std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(), nearer);
        best.resize(kept);
    }

    // Reranks the graph's candidates by exact cosines; leaves the k best in `scratch.best`. The errors of the codes seen
    // so far bound those to come: a candidate too far off even so, and all behind it, are not read.
    void ranked(const float* question, std::size_t k, std::size_t ef, Scratch& scratch) const {
        graph_->search(question, ef, scratch.code, scratch.candidates);
        const Ranking& candidates = scratch.candidates;
        Ranking& best = scratch.best;
        best.clear();
        float low = MOST, high = -MOST, bar = MOST;
        for (std::size_t place = 0; place < candidates.size(); ++place) {
            if (place + native::AHEAD < candidates.size())
                native::fetch(whole().row(candidates[place + native::AHEAD].row), width_);
            const native::Candidate& candidate = candidates[place];
            if (best.size() >= k && candidate.near + high + (high - low) < bar) break;
            const float near = exact(question, candidate.row), error = near - candidate.near;
            low = std::min(low, error), high = std::max(high, error);
            if (best.size() < k) bar = std::min(bar, near);
            best.push_back({near, candidate.row});
        }
        cut(best, k);
    }

    // Takes some questions at a time, so that a vector that was fetched serves them all.
    template <typename Ask>
    Array<float> by_question(const Array<float>& questions, std::size_t k, Ask ask) const {
        if (columns(questions) != width_) throw py::value_error("vectors of another dimension");
        const auto count = static_cast<std::size_t>(questions.shape(0));
        Array<float> found({count, k});
        float* into = found.mutable_data();
        std::fill(into, into + count * k, NONE);
        const float* from = questions.data();
        py::gil_scoped_release released;
        native::aside([&] {
            for (std::size_t start = 0; start < count; start += TOGETHER) {
                Ranking best[TOGETHER];
                const std::size_t some = std::min(TOGETHER, count - start);
                ask(from + start * width_, some, best);
                for (std::size_t at = 0; at < some; ++at)
                    for (std::size_t place = 0; place < best[at].size(); ++place)
                        into[(start + at) * k + place] = best[at][place].near;
            }
        });
        return found;
    }

    static constexpr float MOST = std::numeric_limits<float>::max();
    static constexpr std::size_t TOGETHER = 16;
    static constexpr std::size_t CROWD = 32;
    static constexpr float NONE = -2.0f;  // no cosine is as low

    Array<float> matrix_;
    std::size_t width_;
    std::vector<Row> added_;    // until there is a graph over them
    std::vector<Row> node_of_;  // by row
    std::unique_ptr<native::Graph> graph_;
    Scratch scratch_;  // of `near`, which the GIL keeps to one thread
};

}  // namespace

PYBIND11_MODULE(vectors, module) {
    module.def("cosines", &cosines, "matrix"_a.noconvert(), "rows"_a, "vector"_a);
    module.def("scan", &scan, "matrix"_a.noconvert(), "living"_a.noconvert(), "vector"_a, "k"_a, "rounding"_a);
    module.def("fingerprints", &fingerprints, "matrix"_a.noconvert(), "factors"_a.noconvert());
    py::class_<Graph>(module, "Graph")
        .def(py::init<Array<float>, const AnyArray<std::int64_t>&, std::size_t>(), "matrix"_a.noconvert(), "rows"_a, "m"_a)
        .def("extended", &Graph::extended, "matrix"_a.noconvert(), "rows"_a)
        .def("__len__", &Graph::size)
        .def("link", &Graph::link, "count"_a, "ef_construction"_a, "seed"_a)
        .def("near", &Graph::near, "vector"_a, "k"_a, "ef"_a)
        .def("found", &Graph::found, "questions"_a, "k"_a, "ef"_a)
        .def("nearest", &Graph::nearest, "questions"_a, "k"_a)
        .def("mark_deleted", &Graph::mark_deleted, "row"_a)
        .def("links", &Graph::links)
        .def("relink", &Graph::relink, "levels"_a, "ground"_a, "upper"_a, "entry"_a);
}
