"""What happens to elements: a c++ array, its kernels, threads and allocator."""
