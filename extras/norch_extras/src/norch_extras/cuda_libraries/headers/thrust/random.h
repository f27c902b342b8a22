// Random numbers of thrust for programs: its default engine, number for number; the distributions
// are those of C++, and give others than a GPU.
#pragma once
#include <random>

namespace thrust {
using std::minstd_rand, std::normal_distribution, std::uniform_int_distribution,
    std::uniform_real_distribution;
using default_random_engine = std::minstd_rand;
}  // namespace thrust
