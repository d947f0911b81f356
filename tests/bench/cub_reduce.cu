// CUB's device-wide reduce for tests/bench/reduce.py, as a shared library. TYPE and MAXIMUM come as -D.
#include <cub/cub.cuh>

static TYPE *values, *result;
static void *room;
static size_t room_bytes;

static cudaError_t reduce(size_t n)
{
#if MAXIMUM
    return cub::DeviceReduce::Max(room, room_bytes, values, result, n);
#else
    return cub::DeviceReduce::Sum(room, room_bytes, values, result, n);
#endif
}

// The values on the device, and what CUB wants besides. Not 0: CUDA's error.
extern "C" int cub_open(const TYPE *host, size_t n)
{
    cudaError_t error = cudaMalloc(&values, n * sizeof *values);
    if (error == cudaSuccess)
        error = cudaMalloc(&result, sizeof *result);
    if (error == cudaSuccess)
        error = cudaMemcpy(values, host, n * sizeof *values, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = reduce(n); // asks how much
    if (error == cudaSuccess)
        error = cudaMalloc(&room, room_bytes);
    return error;
}

extern "C" int cub_run(size_t n, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = reduce(n);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

extern "C" int cub_close(void)
{
    cudaFree(values);
    cudaFree(result);
    cudaFree(room);
    values = result = NULL;
    room = NULL;
    room_bytes = 0;
    return cudaDeviceSynchronize();
}
