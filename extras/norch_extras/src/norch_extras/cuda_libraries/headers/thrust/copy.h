#include <thrust/algorithms.h>
