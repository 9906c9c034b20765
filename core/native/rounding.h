// Products and sums rounded one by one, on every processor alike: replicas agree to the bit.

#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define ROUNDED_ALIKE __attribute__((optimize("fp-contract=off")))
#else
#define ROUNDED_ALIKE
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#endif
