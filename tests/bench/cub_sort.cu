// CUB's sorts and histograms for tests/bench/sort_device.py, as a shared library. KEY_TYPE and COUNT_TYPE, its type of counts, come as -D.
#include <cub/cub.cuh>
#include <vector>

struct less {
    __device__ bool operator()(const KEY_TYPE &a, const KEY_TYPE &b) const
    {
        return a < b;
    }
};

static KEY_TYPE *keys, *sorted;
static unsigned *values, *moved;
static void *room;
static size_t room_bytes;

static cudaError_t once(int what, size_t size)
{
    const COUNT_TYPE n = (COUNT_TYPE)size;
    if (what == 0)
        return cub::DeviceRadixSort::SortKeys(room, room_bytes, keys, sorted, n);
    if (what == 1)
        return cub::DeviceRadixSort::SortPairs(room, room_bytes, keys, sorted, values, moved, n);
    if (what == 2)
        return cub::DeviceMergeSort::SortKeysCopy(room, room_bytes, keys, sorted, n, less());
    return cub::DeviceHistogram::HistogramEven(room, room_bytes, keys, (int *)moved, 257, (KEY_TYPE)0, (KEY_TYPE)256, n);
}

// The keys on the device, and what CUB wants besides. Not 0: CUDA's error.
extern "C" int cub_open(const KEY_TYPE *host, int what, size_t n)
{
    cudaError_t error = cudaMalloc(&keys, n * sizeof *keys);
    if (error == cudaSuccess)
        error = cudaMalloc(&sorted, n * sizeof *sorted);
    if (error == cudaSuccess)
        error = cudaMalloc(&values, n * sizeof *values + 2048);
    if (error == cudaSuccess)
        error = cudaMalloc(&moved, n * sizeof *moved + 2048);
    if (error == cudaSuccess)
        error = cudaMemcpy(keys, host, n * sizeof *keys, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = once(what, n); // asks how much
    if (error == cudaSuccess)
        error = cudaMalloc(&room, room_bytes);
    return error;
}

extern "C" int cub_run(int what, size_t n, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = once(what, n);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

extern "C" int cub_close(void)
{
    cudaFree(keys);
    cudaFree(sorted);
    cudaFree(values);
    cudaFree(moved);
    cudaFree(room);
    keys = sorted = NULL;
    values = moved = NULL;
    room = NULL;
    room_bytes = 0;
    return cudaDeviceSynchronize();
}
