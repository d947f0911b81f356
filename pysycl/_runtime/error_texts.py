"""Docstrings of the error classes that the core makes: when each is raised, and an example."""

TEXTS = {
    "SyclRuntimeError": """\
The runtime failed, or a host task did: code "runtime".

Examples
--------
>>> event = queue.host_task(lambda: 1 // 0)
>>> try:
...     event.wait_and_throw()
... except sycl.SyclRuntimeError as error:
...     print(type(error.__cause__).__name__)
ZeroDivisionError
""",
    "KernelError": """\
A kernel is not what was asked for, or there is none of that name: code "kernel".

Examples
--------
>>> issubclass(sycl.KernelError, (sycl.SyclError, RuntimeError))
True
""",
    "AccessorError": """\
Memory is accessed in a way that it was not made for: code "accessor". It is a ValueError, too.

Examples
--------
>>> part = sycl.local(8, np.float32)
>>> try:
...     np.asarray(part)
... except sycl.AccessorError as error:
...     print(error.code)
Errc.accessor
""",
    "BoundsError": """\
An access is outside of its memory: code "accessor". It is an IndexError, too.

Examples
--------
>>> try:
...     _ = queue.parallel_for(5, "x[i] = 1;", x=np.zeros(4))
... except sycl.BoundsError as error:
...     print("x[i] reaches element 4" in str(error))
True
""",
    "NdRangeError": """\
A range and its work-groups do not fit each other or the device: code "nd_range". It is a ValueError, too.

Examples
--------
>>> try:
...     _ = queue.parallel_for(sycl.NdRange(10, 4), "x[i] = 1;", x=np.zeros(10))
... except sycl.NdRangeError as error:
...     print(error.code)
Errc.nd_range
""",
    "EventError": """\
An event cannot be waited for or asked: code "event".

Examples
--------
>>> issubclass(sycl.EventError, sycl.SyclError)
True
""",
    "KernelArgumentError": """\
An argument is not what the kernel's signature or the body's text says: code "kernel_argument". It is a TypeError, too.

Examples
--------
>>> try:
...     _ = queue.parallel_for(4, "x[i] = a;", x=np.zeros(4), a="text")
... except sycl.KernelArgumentError as error:
...     print(error.code)
Errc.kernel_argument
""",
    "BuildError": """\
A text does not build: code "build". What the compiler says has the user's line and a caret; `build_log` has all of it.

Examples
--------
>>> try:
...     _ = queue.parallel_for(4, "x[i] = nobody(i);", x=np.zeros(4))
... except sycl.BuildError as error:
...     print("nobody" in str(error), "^" in str(error))
True True
""",
    "CompileProgramError": """\
A program does not compile: code "build".

Examples
--------
>>> bundle = sycl.KernelBundle("kernel void f(global int *x) { x[0] = nobody; }", queue.context)
>>> try:
...     _ = sycl.compile(bundle)
... except sycl.BuildError as error:
...     print("nobody" in str(error))
True
""",
    "LinkProgramError": """\
Programs do not link with each other: code "build".

Examples
--------
>>> issubclass(sycl.LinkProgramError, sycl.BuildError)
True
""",
    "InvalidError": """\
Something is not valid: code "invalid". It is a ValueError, too, and the class above those that say which.

Examples
--------
>>> sycl.InvalidError.__subclasses__() == [sycl.InvalidParameterError, sycl.InvalidObjectError]
True
""",
    "InvalidParameterError": """\
A parameter has a value that it cannot have: code "invalid".

Examples
--------
>>> try:
...     sycl.sum(np.zeros(4), accuracy="perfect")
... except sycl.InvalidParameterError as error:
...     print(str(error).startswith("accuracy: "))
True
""",
    "InvalidObjectError": """\
An object is not in the state for what is asked of it, as a closed buffer: code "invalid".

Examples
--------
>>> b = sycl.Buffer(4, np.int32)
>>> b.close()
>>> try:
...     b.host_access("read")
... except sycl.InvalidObjectError as error:
...     print(error.code)
Errc.invalid
""",
    "MemoryAllocationError": """\
There is no memory left: code "memory_allocation". It is a MemoryError, too.

Examples
--------
>>> try:
...     sycl.malloc_device(1 << 50, np.uint8, queue)
... except MemoryError as error:
...     print(type(error).__name__)
MemoryAllocationError
""",
    "PlatformError": """\
A platform or its driver failed: code "platform".

Examples
--------
>>> issubclass(sycl.PlatformError, sycl.SyclError)
True
""",
    "ProfilingError": """\
There are no times of an event: code "profiling".

Examples
--------
>>> issubclass(sycl.ProfilingError, sycl.SyclError)
True
""",
    "FeatureNotSupportedError": """\
A device lacks a feature: code "feature_not_supported".

Examples
--------
>>> try:
...     sycl.Queue(queue.device).device.create_sub_devices(sycl.PartitionProperty.partition_equally, 1 << 20)
... except (sycl.FeatureNotSupportedError, sycl.InvalidError) as error:
...     print(isinstance(error, sycl.SyclError))
True
""",
    "KernelNotSupportedError": """\
A device cannot run a kernel, because of a feature that the kernel needs: code "kernel_not_supported".

Examples
--------
>>> issubclass(sycl.KernelNotSupportedError, sycl.FeatureNotSupportedError)
True
""",
    "BackendMismatchError": """\
An object belongs to another backend: code "backend_mismatch".

Examples
--------
>>> sycl.make_error_code("backend_mismatch").value.value
'backend_mismatch'
""",
    "ForkedProcessError": """\
This process was forked after a driver was loaded, and drivers do not survive that: code "runtime". Start processes with
the method "spawn".

Examples
--------
>>> issubclass(sycl.ForkedProcessError, sycl.SyclRuntimeError)
True
""",
    "ClosedError": """\
The interpreter is ending, and pysycl with it: code "runtime".

Examples
--------
>>> issubclass(sycl.ClosedError, sycl.SyclRuntimeError)
True
""",
}
