// The best of many scores, and all that tie with the last of them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace native {

constexpr double MORE_THAN_NOTHING = std::numeric_limits<double>::denorm_min();

class Best {
   public:
    struct Hit {
        double score;
        std::int32_t row;
    };

    explicit Best(std::size_t k) : k_(k) {}

    // What any of the best scores at least, once there are k; until then more than nothing.
    double bar() const { return leading_.empty() ? MORE_THAN_NOTHING : leading_.top(); }

    void offer(double score, std::int32_t row) {
        if (k_ == 0 || !(score >= bar())) return;
        hits_.push_back({score, row});
        if (hits_.size() < k_) return;
        if (leading_.empty()) {
            for (const Hit& hit : hits_) leading_.push(hit.score);
            return;
        }
        leading_.push(score);
        leading_.pop();
        if (hits_.size() >= next_look_) {
            drop();
            next_look_ = 2 * hits_.size() + 64;
        }
    }

    // The best k and all that tie with the last of them, best first, then by row.
    std::vector<Hit> taken() {
        drop();
        std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
            return a.score > b.score || (a.score == b.score && a.row < b.row);
        });
        return std::move(hits_);
    }

   private:
    void drop() {
        const double low = bar();
        hits_.erase(std::remove_if(hits_.begin(), hits_.end(), [low](const Hit& h) { return h.score < low; }),
                    hits_.end());
    }

    std::size_t k_;
    std::size_t next_look_ = 256;
    std::vector<Hit> hits_;
    std::priority_queue<double, std::vector<double>, std::greater<double>> leading_;
};

}  // namespace native
