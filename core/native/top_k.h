// The k best of many scored rows, and all that tie with the last of them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "posting_list.h"

namespace native {

class TopK {
   public:
    struct Hit {
        double score;
        Row row;
    };

    explicit TopK(std::size_t k) : k_(k), room_(2 * k + 64) {}

    // A score below it is not among the best. Scores of 0 never are.
    double threshold() const { return threshold_; }

    void offer(double score, Row row) {
        if (k_ == 0 || !(score >= threshold_)) return;
        hits_.push_back({score, row});
        if (hits_.size() < room_) return;
        prune();
        room_ = 2 * hits_.size() + 64;
    }

    // Best first, ties by row. Empties this.
    std::vector<Hit> take() {
        prune();
        std::sort(hits_.begin(), hits_.end(),
                  [](const Hit& a, const Hit& b) { return a.score > b.score || (a.score == b.score && a.row < b.row); });
        return std::move(hits_);
    }

   private:
    void prune() {
        if (hits_.size() <= k_) return;
        const auto last = hits_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(hits_.begin(), last, hits_.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
        threshold_ = last->score;
        const auto is_out = [this](const Hit& hit) { return hit.score < threshold_; };
        hits_.erase(std::remove_if(hits_.begin(), hits_.end(), is_out), hits_.end());
    }

    std::size_t k_, room_;  // room_: hits at which it is time to prune
    double threshold_ = std::numeric_limits<double>::denorm_min();
    std::vector<Hit> hits_;
};

}  // namespace native
