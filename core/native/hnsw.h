// Hierarchical navigable small worlds (Malkov and Yashunin, 2016) over vectors of half a byte a dimension.
//
// Each vector is kept as its difference from the middle of all, scaled to sixteen numbers. Embeddings lie in a
// narrow cone: what they have in common is the middle, and so little tells them apart. A node's numbers and its links on
// the ground level lie side by side, in an eighth of the memory that floats would take, and a search reads little else.
// A question is of bytes. Which of those found are the nearest is for the caller to settle, by the vectors themselves.
//
// A graph is built by one thread, and searched by any number of them when it is built; `bury` is for one thread.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels.h"
#include "pool.h"

namespace native {

// The links of a graph, as they are written down.
struct Links {
    std::vector<std::uint8_t> levels;  // of each node
    std::vector<Node> ground;          // of each node: how many, then 2 m of them
    std::vector<Node> upper;           // of each node on each of its levels above the ground: how many, then m of them
    Node entry = 0;
};

class Graph {
  public:
    // `rows` point at vectors of `dimension` floats, one for each node; they are read here alone.
    Graph(std::size_t dimension, const std::vector<const float*>& rows, std::size_t m)
        : Graph(dimension, rows.size(), m) {
        centre(rows);
        encode_from(0, rows);
    }

    // The linked nodes of `base` with their links, none of them dead, and after them those of the other rows.
    Graph(const Graph& base, const std::vector<const float*>& rows) : Graph(base.dimension_, rows.size(), base.m_) {
        if (rows.size() < base.linked_) throw std::invalid_argument("fewer rows than there are nodes");
        linked_ = base.linked_;
        centre_ = base.centre_;
        entry_ = base.entry_;
        upper_ = base.upper_;
        std::copy_n(base.levels_.begin(), linked_, levels_.begin());
        std::copy_n(base.upper_at_.begin(), linked_, upper_at_.begin());
        std::memcpy(base_, base.base_, linked_ * stride_);
        encode_from(static_cast<Node>(linked_), rows);
    }

    Graph(const Graph&) = delete;  // `base_` points into itself
    Graph& operator=(const Graph&) = delete;

    std::size_t size() const { return nodes_; }
    std::size_t linked() const { return linked_; }

    // Link the next `count` nodes in.
    void link(std::size_t count, std::size_t ef_construction, std::uint64_t seed) {
        Scratch scratch;
        const std::size_t end = std::min(nodes_, linked_ + count);
        for (; linked_ < end; ++linked_) link_one(static_cast<Node>(linked_), ef_construction, seed, scratch);
    }

    // Some of the nearest living nodes into `scratch.found`, the seemingly nearest first.
    void search(const float* vector, std::size_t ef, std::size_t count, Scratch& scratch) const {
        scratch.found.clear();
        if (linked_ == 0) return;
        const Query query = asked(vector, scratch);
        Node at = entry_;
        for (std::size_t level = levels_[entry_]; level > 0; --level) at = descend(query, at, level);
        spread(query, at, 0, ef, scratch);
        scratch.pool.best(count, scratch.found);
    }

    bool bury(Node node) { return !std::exchange(dead_.at(node), 1); }

    Links links() const {
        Links written{levels_, {}, {}, entry_};
        written.ground.reserve(nodes_ * (1 + room(0)));
        for (Node node = 0; node < nodes_; ++node)
            for (std::size_t level = 0; level <= levels_[node]; ++level)
                write_down(node, level, level == 0 ? written.ground : written.upper);
        return written;
    }

    // Takes links that were written down; throws std::invalid_argument for such as no graph of these nodes can have.
    void relink(const Links& written) {
        const std::size_t lists = std::accumulate(written.levels.begin(), written.levels.end(), std::size_t{0});
        if (written.levels.size() != nodes_ || written.ground.size() != nodes_ * (1 + room(0)) ||
            written.upper.size() != lists * (1 + room(1)) || (nodes_ && written.entry >= nodes_))
            throw std::invalid_argument("links of another graph");
        linked_ = 0;
        levels_ = written.levels;
        upper_.clear();
        for (Node node = 0; node < nodes_; ++node) make_lists(node);
        const Node *ground = written.ground.data(), *upper = written.upper.data();
        for (Node node = 0; node < nodes_; ++node)
            for (std::size_t level = 0; level <= levels_[node]; ++level) take(node, level, level == 0 ? ground : upper);
        entry_ = written.entry;
        linked_ = nodes_;
    }

  private:
    struct Head {
        float scale;  // of the odd numbers
        float bias;   // the middle's product with the difference from it
    };
    struct Query {
        const std::int8_t* bytes;
        float scale, bias;  // as a node's
        std::int32_t sum;   // of the bytes
    };

    Graph(std::size_t dimension, std::size_t nodes, std::size_t m)
        : dimension_(dimension), width_((dimension + SPAN - 1) / SPAN * SPAN), m_(m),
          stride_((width_ / 2 + sizeof(Head) + 2 * m * LINK + 63) / 64 * 64), nodes_(nodes),
          product_(best_packed_product()), blocks_(nodes_ * stride_ + 63, FREE), dead_(nodes_, 0), levels_(nodes_, 0),
          upper_at_(nodes_, 0) {
        if (m < 2) throw std::invalid_argument("m is at least 2");
        if (nodes_ >= NOBODY) throw std::invalid_argument("too many rows");
        base_ = blocks_.data() + (64 - reinterpret_cast<std::uintptr_t>(blocks_.data()) % 64) % 64;
    }

    // ---- where things lie ----

    std::uint8_t* block(Node node) const { return base_ + node * stride_; }
    Head* head(Node node) const { return reinterpret_cast<Head*>(block(node) + width_ / 2); }

    // ---- links: three bytes each, as many as there is room for, or until one to NOBODY ----

    std::size_t room(std::size_t level) const { return level == 0 ? 2 * m_ : m_; }

    std::uint8_t* list(Node node, std::size_t level) {
        return level == 0 ? block(node) + width_ / 2 + sizeof(Head)
                          : upper_.data() + upper_at_[node] + (level - 1) * m_ * LINK;
    }
    const std::uint8_t* list(Node node, std::size_t level) const { return const_cast<Graph*>(this)->list(node, level); }

    template <typename Act>
    void each_link(Node node, std::size_t level, Act act) const {
        const std::uint8_t* at = list(node, level);
        for (const std::uint8_t* end = at + room(level) * LINK; at < end; at += LINK) {
            const Node other = at[0] | at[1] << 8 | at[2] << 16;
            if (other == NOBODY) return;
            act(other);
        }
    }

    void set_link(Node node, std::size_t level, std::size_t place, Node other) {
        std::uint8_t* at = list(node, level) + place * LINK;
        for (std::size_t byte = 0; byte < LINK; ++byte) at[byte] = static_cast<std::uint8_t>(other >> 8 * byte);
    }

    // Above the ground, as many as the node has levels there.
    void make_lists(Node node) {
        upper_at_[node] = static_cast<std::uint32_t>(upper_.size());
        upper_.resize(upper_.size() + levels_[node] * m_ * LINK, FREE);
    }

    // How many, then room for all there can be.
    void write_down(Node node, std::size_t level, std::vector<Node>& into) const {
        const std::size_t start = into.size();
        into.push_back(0);
        each_link(node, level, [&](Node other) { into.push_back(other); });
        into[start] = static_cast<Node>(into.size() - start - 1);
        into.resize(start + 1 + room(level), 0);
    }

    // The same read; `from` moves on behind it.
    void take(Node node, std::size_t level, const Node*& from) {
        if (from[0] > room(level)) throw std::invalid_argument("more links than a node can have");
        for (std::size_t place = 0; place < room(level); ++place) {
            const bool is_link = place < from[0];
            const Node other = is_link ? from[1 + place] : NOBODY;
            if (is_link && other >= nodes_) throw std::invalid_argument("a link to no node");
            if (is_link && levels_[other] < level) throw std::invalid_argument("a link to a level that is not there");
            set_link(node, level, place, other);
        }
        from += 1 + room(level);
    }

    // ---- vectors as small numbers ----

    void centre(const std::vector<const float*>& rows) {
        std::vector<double> sums(dimension_, 0.0);
        for (const float* row : rows) add_row(sums.data(), row, dimension_);
        centre_.assign(dimension_, 0.0f);
        for (std::size_t at = 0; at < dimension_ && !rows.empty(); ++at)
            centre_[at] = static_cast<float>(sums[at] / static_cast<double>(rows.size()));
    }

    void encode_from(Node node, const std::vector<const float*>& rows) {
        std::vector<float> difference(dimension_);
        std::vector<std::int8_t> odd(width_, ZERO);
        for (; node < nodes_; ++node) {
            Head& into = *head(node);
            float most;
            differ(rows[node], centre_.data(), difference.data(), dimension_, most, into.bias);
            to_odd(difference.data(), most > 0.0f ? 16.0f / most : 0.0f, odd.data(), dimension_);
            pack(odd.data(), block(node), width_);
            into.scale = scale_of(difference, odd);
        }
    }

    // What makes the numbers' product with the difference as long as its own (RaBitQ; Gao and Long, 2024).
    float scale_of(const std::vector<float>& difference, const std::vector<std::int8_t>& odd) const {
        const float square = product(difference.data(), difference.data(), dimension_);
        float along = 0.0f;
        for (std::size_t at = 0; at < dimension_; ++at) along += difference[at] * static_cast<float>(odd[at]);
        return along > 0.0f ? square / along : 0.0f;
    }

    Query asked(const float* vector, Scratch& scratch) const {
        float most, bias;
        scratch.bytes.assign(width_, 0);
        scratch.difference.resize(dimension_);
        differ(vector, centre_.data(), scratch.difference.data(), dimension_, most, bias);
        to_bytes(scratch.difference.data(), most > 0.0f ? 127.0f / most : 0.0f, scratch.bytes.data(), dimension_);
        return query_of(scratch.bytes, most / 127.0f, bias);
    }

    Query asked(Node node, std::vector<std::int8_t>& bytes) const {
        bytes.resize(width_);
        unpack(block(node), bytes.data(), width_);
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(dimension_), bytes.end(), 0);
        return query_of(bytes, head(node)->scale, head(node)->bias);
    }

    static Query query_of(const std::vector<std::int8_t>& bytes, float scale, float bias) {
        std::int32_t sum = 0;
        for (std::int8_t byte : bytes) sum += byte;
        return {bytes.data(), scale, bias, sum};
    }

    // The product of query and node, less what all nodes have in common.
    float nearness(const Query& query, Node node) const {
        const Head* of = head(node);
        const std::int32_t whole = 2 * product_(block(node), query.bytes, width_) - 15 * query.sum;
        return of->bias + query.scale * of->scale * static_cast<float>(whole);
    }

    void fetch(Node node) const {
#if defined(__GNUC__)
        for (std::size_t at = 0; at <= width_ / 2; at += 64) __builtin_prefetch(block(node) + at);
#endif
    }

    // ---- searching ----

    Node descend(const Query& query, Node at, std::size_t level) const {
        float best = nearness(query, at);
        for (bool nearer = true; nearer;) {
            nearer = false;
            const Node from = at;
            each_link(from, level, [&](Node other) { fetch(other); });
            each_link(from, level, [&](Node other) {
                const float found = nearness(query, other);
                if (found > best) best = found, at = other, nearer = true;
            });
        }
        return at;
    }

    void spread(const Query& query, Node from, std::size_t level, std::size_t ef, Scratch& scratch) const {
        Pool& pool = scratch.pool;
        Seen& seen = scratch.seen;
        pool.reset(ef);
        seen.reset(nodes_);
        seen.mark(from);
        pool.put({nearness(query, from), from}, dead_[from]);
        std::vector<Node>& fresh = scratch.fresh;
        fresh.resize(room(level));
        for (Node node; pool.next(node);) {
            std::size_t count = 0;
            each_link(node, level, [&](Node other) {
                fetch(other);  // seen or not: that would be a branch which nobody could foretell
                fresh[count] = other;
                count += seen.mark(other);
            });
            for (std::size_t at = 0; at < count; ++at) {
                const Node other = fresh[at];
                const float found = nearness(query, other);
                if (pool.takes(found)) pool.put({found, other}, dead_[other]);
            }
        }
    }

    // ---- building ----

    void link_one(Node node, std::size_t ef_construction, std::uint64_t seed, Scratch& scratch) {
        const std::size_t level = level_of(node, seed);
        levels_[node] = static_cast<std::uint8_t>(level);
        make_lists(node);
        if (linked_ == 0) {
            entry_ = node;
            return;
        }
        std::vector<std::int8_t> own;
        const Query query = asked(node, own);
        const std::size_t top = levels_[entry_];
        Node at = entry_;
        for (std::size_t above = top; above > level; --above) at = descend(query, at, above);
        for (std::size_t here = std::min(level, top) + 1; here-- > 0;) {
            spread(query, at, here, ef_construction, scratch);
            scratch.pool.best(ef_construction, scratch.found);
            at = scratch.found.front().node;
            const std::vector<Candidate> chosen = diverse(scratch.found, query.bias, m_);
            write(node, here, chosen);
            for (const Candidate& other : chosen) link_back(other.node, here, node);
        }
        if (level > top) entry_ = node;
    }

    // Levels thin out by m each (the paper's mL = 1 / ln m); of a node the same in every build with this seed.
    std::size_t level_of(Node node, std::uint64_t seed) const {
        std::uint64_t mixed = seed + 0x9e3779b97f4a7c15u * (std::uint64_t{node} + 1);  // splitmix64
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        mixed ^= mixed >> 31;
        const double chance = (static_cast<double>(mixed >> 11) + 1.0) * 0x1p-53;
        return static_cast<std::size_t>(-std::log(chance) / std::log(static_cast<double>(m_)));
    }

    // The paper's heuristic: of candidates, best first, those nearer to the node than to any chosen before.
    std::vector<Candidate> diverse(const std::vector<Candidate>& candidates, float bias, std::size_t most) const {
        std::vector<Candidate> chosen;
        std::vector<std::int8_t> odd;
        for (const Candidate& candidate : candidates) {
            if (chosen.size() == most) break;
            const Query query = asked(candidate.node, odd);
            bool apart = true;
            for (const Candidate& other : chosen)
                if (nearness(query, other.node) + query.bias > candidate.near + bias) {
                    apart = false;
                    break;
                }
            if (apart) chosen.push_back(candidate);
        }
        return chosen;
    }

    void link_back(Node node, std::size_t level, Node other) {
        std::vector<Node> links;
        each_link(node, level, [&](Node known) { links.push_back(known); });
        if (links.size() < room(level)) {
            set_link(node, level, links.size(), other);
            return;
        }
        links.push_back(other);
        std::vector<std::int8_t> own;
        const Query query = asked(node, own);
        std::vector<Candidate> candidates;
        for (Node candidate : links) candidates.push_back({nearness(query, candidate), candidate});
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return a.near != b.near ? a.near > b.near : a.node < b.node;
        });
        write(node, level, diverse(candidates, query.bias, room(level)));
    }

    void write(Node node, std::size_t level, const std::vector<Candidate>& chosen) {
        for (std::size_t place = 0; place < room(level); ++place)
            set_link(node, level, place, place < chosen.size() ? chosen[place].node : NOBODY);
    }

    static constexpr std::size_t LINK = 3;      // bytes: with them, 40 links of a node in 320 bytes instead of 384
    static constexpr Node NOBODY = 0xffffff;
    static constexpr std::uint8_t FREE = 0xff;  // what NOBODY is made of
    static constexpr std::int8_t ZERO = 1;      // beyond the dimension, where a query has nothing

    std::size_t dimension_, width_, m_, stride_, nodes_, linked_ = 0;
    PackedProduct product_;
    std::vector<std::uint8_t> blocks_;
    std::uint8_t* base_ = nullptr;  // of the first block, where a cache line begins
    std::vector<std::uint8_t> dead_, levels_;
    std::vector<float> centre_;
    std::vector<std::uint32_t> upper_at_;
    std::vector<std::uint8_t> upper_;
    Node entry_ = 0;
};

}  // namespace native
