// What one search through a graph keeps: the candidates it leads along, and the nodes it has seen.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace native {

using Node = std::uint32_t;

struct Candidate {
    float near;  // the greater the nearer; comparable within one search
    Node node;
};

// What a search leads along: candidates, best first, with a mark at those it has been to.
class Pool {
  public:
    void reset(std::size_t ef) {
        items_.clear();
        ef_ = ef;
        living_ = next_ = 0;
    }

    bool takes(float near) const { return living_ < ef_ || near > items_.back().near; }

    // The dead lead on, and take nobody's place.
    void put(Candidate candidate, bool dead) {
        const auto place = std::upper_bound(
            items_.begin(), items_.end(), candidate.near, [](float near, const Item& other) { return near > other.near; });
        next_ = std::min(next_, static_cast<std::size_t>(place - items_.begin()));
        items_.insert(place, Item{candidate.near, candidate.node, dead, false});
        living_ += !dead;
        while (living_ > ef_) {
            living_ -= !items_.back().dead;
            items_.pop_back();
        }
    }

    // The best one not yet been to; false when there is none.
    bool next(Node& node) {
        while (next_ < items_.size() && items_[next_].visited) ++next_;
        if (next_ >= items_.size()) return false;
        items_[next_].visited = true;
        node = items_[next_].node;
        return true;
    }

    // The best `count` living ones.
    void best(std::size_t count, std::vector<Candidate>& into) const {
        into.clear();
        for (const Item& item : items_) {
            if (into.size() == count) break;
            if (!item.dead) into.push_back({item.near, item.node});
        }
    }

  private:
    struct Item {
        float near;
        Node node;
        bool dead, visited;
    };
    std::vector<Item> items_;
    std::size_t ef_ = 0, living_ = 0, next_ = 0;
};

// Which nodes a search has seen. A bit each: of 100,000 they fit into the nearest cache, and are all cleared sooner than
// one by one.
class Seen {
  public:
    void reset(std::size_t nodes) { bits_.assign(nodes / 64 + 1, 0); }

    bool mark(Node node) {  // whether it was not yet
        std::uint64_t& word = bits_[node / 64];
        const bool fresh = ~word >> node % 64 & 1;
        word |= std::uint64_t{1} << node % 64;
        return fresh;
    }

  private:
    std::vector<std::uint64_t> bits_;
};

// What a search needs for itself; one for each thread, kept for the next search.
struct Scratch {
    Pool pool;
    Seen seen;
    std::vector<float> difference;
    std::vector<std::int8_t> bytes;
    std::vector<Candidate> found;
    std::vector<Node> fresh;
};

}  // namespace native
