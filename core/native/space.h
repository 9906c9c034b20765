// hnswlib's distance function: inner products of vectors that are scalar-quantised to signed bytes.
//
// Embeddings lie in a narrow cone. So what is quantised is a vector's difference from the centre of all vectors:
// v ~ centre + scale * bytes. With bias = centre . (v - centre), the inner product of a and b is about
//
//     |centre|^2 + bias(a) + bias(b) + scale(a) * scale(b) * (bytes(a) . bytes(b))
//
// whose first term is the same for every pair, and left out. Nodes and queries have the same code.

#pragma once

#include <hnswlib/hnswlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels.h"

namespace native {

class Space : public hnswlib::SpaceInterface<float> {
   public:
    explicit Space(std::vector<float> centre)
        : centre_(std::move(centre)), width_((centre_.size() + BLOCK - 1) / BLOCK * BLOCK) {}

    std::size_t get_data_size() override { return sizeof(Head) + width_; }
    hnswlib::DISTFUNC<float> get_dist_func() override {
#ifdef HAS_VNNI
        if (knows_vnni()) return vnni_distance;
#endif
        return distance;
    }
    void* get_dist_func_param() override { return &width_; }

    const std::vector<float>& centre() const { return centre_; }

    // Writes the code of a vector, get_data_size() bytes.
    void encode(const float* vector, std::vector<char>& code) const {
        const std::size_t dimension = centre_.size();
        std::vector<float> difference(dimension);
        Head head{};
        float most;
        differ(vector, centre_.data(), difference.data(), dimension, most, head.bias);
        code.assign(sizeof(Head) + width_, 0);
        auto* bytes = reinterpret_cast<std::int8_t*>(code.data() + sizeof(Head));
        head.sum = to_bytes(difference.data(), most > 0.0f ? 127.0f / most : 0.0f, bytes, dimension);
        head.scale = most / 127.0f;
        std::memcpy(code.data(), &head, sizeof head);
    }

   private:
    static constexpr std::size_t BLOCK = 64;  // bytes that a product takes at a time

    struct Head {
        float scale, bias;
        std::int32_t sum;  // of the bytes
    };

    // hnswlib's order: the nearer, the less. `param` is the width.
    static float distance(const void* one, const void* other, const void* param) {
        return -nearness(one, other, shifted_product(bytes_of(one), bytes_of(other), *static_cast<const std::size_t*>(param)));
    }
#ifdef HAS_VNNI
    VNNI static float vnni_distance(const void* one, const void* other, const void* param) {
        return -nearness(one, other, vnni_product(bytes_of(one), bytes_of(other), *static_cast<const std::size_t*>(param)));
    }
#endif
    static const std::int8_t* bytes_of(const void* code) { return static_cast<const std::int8_t*>(code) + sizeof(Head); }
    static float nearness(const void* one, const void* other, std::int32_t shifted) {
        Head a, b;
        std::memcpy(&a, one, sizeof a);
        std::memcpy(&b, other, sizeof b);
        return a.bias + b.bias + a.scale * b.scale * static_cast<float>(shifted - 128 * b.sum);
    }

    std::vector<float> centre_;
    std::size_t width_;  // the dimension, rounded up to BLOCK: the bytes beyond it are 0
};

}  // namespace native
