// hnswlib's HNSW graph (Malkov and Yashunin, 2016) over rows of a matrix, with the distances of space.h.
//
// hnswlib links, searches and marks deletions. This adds what it lacks: links that are saved without vectors and
// validated when they are loaded, and a graph that is extended with more rows while the old one is still searched.
// hnswlib's labels are the rows. Its tables for concurrent updates are emptied, to save memory: a graph is built by one
// thread, and searched by others once it is built.

#pragma once

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels.h"
#include "space.h"

namespace native {

using Row = std::int32_t;

struct Candidate {
    float near;  // the greater the nearer; comparable within one search
    Row row;
};

// A view of a matrix, which outlives it.
struct Matrix {
    const float* data;
    std::size_t rows, width;

    const float* row(Row number) const { return data + static_cast<std::size_t>(number) * width; }
};

// The links of a graph as they are saved.
struct Links {
    std::vector<std::uint8_t> levels;   // of each node
    std::vector<std::uint32_t> ground;  // of each node: how many, then room for 2 m of them
    std::vector<std::uint32_t> upper;   // of each node on each of its levels above the ground: how many, room for m
    std::uint32_t entry = 0;
};

class Graph {
   public:
    // Still without links. `rows` in the order in which they are to be linked. Throws std::invalid_argument for m below
    // 2 and for a row that is not finite: NaN would be near to everything.
    Graph(const Matrix& matrix, std::vector<Row> rows, std::size_t m)
        : Graph(matrix, std::move(rows), m, nullptr) {}

    // Copies the nodes and links of `base`, none of them deleted, and adds `more` rows without links. `matrix` has all.
    Graph(const Graph& base, const Matrix& matrix, const std::vector<Row>& more)
        : Graph(matrix, joined(base.rows_, more), base.hnsw_->M_, &base) {
        for (std::size_t node = 0; node < base.linked(); ++node) copy(*base.hnsw_, static_cast<Node>(node));
        hnsw_->enterpoint_node_ = base.hnsw_->enterpoint_node_;
        hnsw_->maxlevel_ = base.hnsw_->maxlevel_;
    }

    std::size_t size() const { return rows_.size(); }
    std::size_t linked() const { return hnsw_->cur_element_count; }
    const std::vector<Row>& rows() const { return rows_; }

    // Links the next `count` nodes in. The same seed makes the same graph.
    void link(std::size_t count, std::size_t ef_construction, std::uint64_t seed) {
        hnsw_->ef_construction_ = std::max(ef_construction, hnsw_->M_);
        if (linked() == known_) hnsw_->level_generator_.seed(static_cast<std::uint_fast32_t>(seed + known_));
        std::vector<char> code;
        for (const std::size_t end = std::min(size(), linked() + count); linked() < end;) {
            const Row row = rows_[linked()];
            space_.encode(matrix_.row(row), code);
            hnsw_->addPoint(code.data(), static_cast<hnswlib::labeltype>(row), -1);
            hnsw_->label_lookup_.clear();  // serves updates by label: there are none
        }
    }

    // Finds the `ef` nearest rows by their codes, best first. `code` is scratch space.
    void search(const float* vector, std::size_t ef, std::vector<char>& code, std::vector<Candidate>& found) const {
        space_.encode(vector, code);
        auto nearest = hnsw_->searchKnn(code.data(), ef);
        found.resize(nearest.size());
        for (std::size_t place = found.size(); place-- > 0; nearest.pop())
            found[place] = {-nearest.top().first, static_cast<Row>(nearest.top().second)};
    }

    // Leaves a tombstone; false if there was one.
    bool mark_deleted(std::size_t node) {
        if (hnsw_->isMarkedDeleted(static_cast<Node>(node))) return false;
        hnsw_->markDeletedInternal(static_cast<Node>(node));
        return true;
    }

    Links links() const {
        Links written;
        written.entry = linked() == 0 ? 0 : hnsw_->enterpoint_node_;
        for (std::size_t node = 0; node < linked(); ++node) {
            const int levels = hnsw_->element_levels_[node];
            written.levels.push_back(static_cast<std::uint8_t>(levels));
            for (int level = 0; level <= levels; ++level) {
                std::uint32_t* list = hnsw_->get_linklist_at_level(static_cast<Node>(node), level);
                std::vector<std::uint32_t>& into = level == 0 ? written.ground : written.upper;
                into.push_back(hnsw_->getListCount(list));
                into.insert(into.end(), list + 1, list + 1 + room(level));
            }
        }
        return written;
    }

    // Takes saved links, in place of none. Throws std::invalid_argument, still without links, for what no graph of these
    // nodes can have.
    void relink(const Links& written) {
        check(written);
        std::vector<char> code;
        const std::uint32_t *ground = written.ground.data(), *upper = written.upper.data();
        for (std::size_t node = 0; node < size(); ++node) {
            space_.encode(matrix_.row(rows_[node]), code);
            append(rows_[node], code.data(), written.levels[node]);
            for (int level = 0; level <= written.levels[node]; ++level) {
                const std::uint32_t*& from = level == 0 ? ground : upper;
                std::uint32_t* list = hnsw_->get_linklist_at_level(static_cast<Node>(node), level);
                hnsw_->setListCount(list, static_cast<unsigned short>(from[0]));
                std::copy_n(from + 1, from[0], list + 1);
                from += 1 + room(level);
            }
        }
        hnsw_->enterpoint_node_ = written.entry;
        hnsw_->maxlevel_ = size() == 0 ? -1 : written.levels[written.entry];
    }

   private:
    using Node = hnswlib::tableint;
    using Hnsw = hnswlib::HierarchicalNSW<float>;

    Graph(const Matrix& matrix, std::vector<Row> rows, std::size_t m, const Graph* base)
        : matrix_(matrix), rows_(std::move(rows)), known_(base == nullptr ? 0 : base->linked()),
          space_(base == nullptr ? centre() : base->space_.centre()) {
        if (m < 2) throw std::invalid_argument("m is at least 2");
        if (base != nullptr) centre();  // of no use but for its check
        hnsw_ = std::make_unique<Hnsw>(&space_, std::max<std::size_t>(size(), 1), m);
        std::vector<std::mutex>().swap(hnsw_->label_op_locks_);
    }

    static std::vector<Row> joined(std::vector<Row> rows, const std::vector<Row>& more) {
        rows.insert(rows.end(), more.begin(), more.end());
        return rows;
    }

    std::size_t room(int level) const { return level == 0 ? hnsw_->maxM0_ : hnsw_->maxM_; }

    // The middle of all rows.
    std::vector<float> centre() const {
        std::vector<double> sums(matrix_.width, 0.0);
        for (const Row number : rows_) {
            const float* row = matrix_.row(number);
            if (!std::isfinite(product(row, row, matrix_.width))) throw std::invalid_argument("a row that is not finite");
            add_row(sums.data(), row, matrix_.width);
        }
        const auto count = static_cast<double>(std::max<std::size_t>(size(), 1));
        std::vector<float> middle;
        for (const double sum : sums) middle.push_back(static_cast<float>(sum / count));
        return middle;
    }

    // Adds a node with room for links on so many levels above the ground.
    void append(Row row, const void* code, int levels) {
        const auto node = static_cast<Node>(linked());
        char* memory = hnsw_->data_level0_memory_ + node * hnsw_->size_data_per_element_;
        std::memset(memory, 0, hnsw_->size_data_per_element_);
        std::memcpy(hnsw_->getDataByInternalId(node), code, hnsw_->data_size_);
        hnsw_->setExternalLabel(node, static_cast<hnswlib::labeltype>(row));
        hnsw_->element_levels_[node] = levels;
        if (levels > 0) {
            void* lists = std::calloc(static_cast<std::size_t>(levels) + 1, hnsw_->size_links_per_element_);
            if (lists == nullptr) throw std::bad_alloc();
            hnsw_->linkLists_[node] = static_cast<char*>(lists);
        }
        ++hnsw_->cur_element_count;
    }

    void copy(const Hnsw& base, Node node) {
        append(static_cast<Row>(base.getExternalLabel(node)), base.getDataByInternalId(node), base.element_levels_[node]);
        for (int level = 0; level <= base.element_levels_[node]; ++level)
            std::memcpy(hnsw_->get_linklist_at_level(node, level), base.get_linklist_at_level(node, level),
                        (1 + room(level)) * sizeof(std::uint32_t));
        if (hnsw_->isMarkedDeleted(node)) reinterpret_cast<unsigned char*>(hnsw_->get_linklist0(node))[2] = 0;
    }

    void check(const Links& written) const {
        const std::size_t lists = std::accumulate(written.levels.begin(), written.levels.end(), std::size_t{0});
        if (linked() > 0 || written.levels.size() != size() || written.ground.size() != size() * (1 + room(0)) ||
            written.upper.size() != lists * (1 + room(1)) || (size() > 0 && written.entry >= size()))
            throw std::invalid_argument("links of another graph");
        const std::uint32_t *ground = written.ground.data(), *upper = written.upper.data();
        for (const std::uint8_t levels : written.levels)
            for (int level = 0; level <= levels; ++level) {
                const std::uint32_t*& from = level == 0 ? ground : upper;
                if (from[0] > room(level)) throw std::invalid_argument("more links than a node can have");
                for (std::size_t place = 1; place <= from[0]; ++place) {
                    if (from[place] >= size()) throw std::invalid_argument("a link to no node");
                    if (written.levels[from[place]] < level)
                        throw std::invalid_argument("a link to a level that is not there");
                }
                from += 1 + room(level);
            }
    }

    Matrix matrix_;
    std::vector<Row> rows_;  // by node
    std::size_t known_;      // nodes that another graph had linked
    Space space_;
    std::unique_ptr<Hnsw> hnsw_;
};

}  // namespace native
