"""Hierarchical kernels that are none: what is refused, with the place in the user's own text. SYCL 2020, 4.9.4.2.3."""

import numpy as np
import pytest

import pysycl as sycl


def run(queue, groups, size, text, **arguments):
    with queue.submit() as h:
        h.parallel_for_work_group(groups, size, text, **arguments)
    queue.wait_and_throw()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[0] = 1;\n  parallel_for_work_item { parallel_for_work_item { } }",
         "body:2:28: parallel_for_work_item stands inside another, or is no statement"),
        ("parallel_for_work_item { x[0] = 1;", "body:1:24: this bracket is not closed"),
        ("parallel_for_work_item x[0] = 1;", "body:1:24: expected '{' here"),
        ("x[0] = 1", "body:1:1: this statement has no ';' at its end"),
        ("x[0] = local_id(0);", "body:1:8: 'local_id' is of use inside parallel_for_work_item only"),
        ("private_memory(int, a);\na = 1; x[0] = 1;",
         "body:2:1: 'a' is private memory: it is of use inside parallel_for_work_item only"),
        ("private_memory(int); x[0] = 1;", "body:1:16: expected private_memory(type, name)"),
        ("x[0] = 1; group_barrier(work_group);",
         "body:1:11: 'group_barrier' has no place here: the items of a work-group meet before and after each "
         "parallel_for_work_item"),
        ("x[0] = 1;\nparallel_for_work_item { x[0] = group_reduce(work_group, 1.0f, plus); }",
         "body:2:46: 'work_group' has no place here: the items of a work-group meet before and after each "
         "parallel_for_work_item"),
        ("x[0] = group_any_of(sub_group, 1);",
         "body:1:21: 'sub_group' has no place here: the items of a work-group meet before and after each "
         "parallel_for_work_item"),
        ("int a;\n{ float a; parallel_for_work_item { x[0] = a; } }",
         "body:2:9: 'a' is declared at group scope before, and differently or around this; choose another name"),
        ("parallel_for_work_item { x[0] = get_local_id(0); }",
         "body:1:33: 'get_local_id' tells nothing here: use local_id, global_id, local_range and the like"),
        ("parallel_for_work_item { x[0] = 1; return; }\nprivate_memory(int, a[local_range(0)]) = 3;",
         "body:2:1: expected private_memory(type, name);"),
        ("while (1) parallel_for_work_item { goto out; } out: x[0] = 1;",
         "body:1:36: an item cannot leave its parallel_for_work_item by goto"),
        ("int x = 1;", "body:1:5: 'x' is an argument; choose another name for the variable"),
        ("int a[] = {1}; x[0] = a[0];", "body:1:6: an array at group scope says its size"),
        ("parallel_for_work_item { return 1; } x[0] = 1;", "body:1:26: an item returns nothing"),
        ("switch (1) { case 1: parallel_for_work_item { x[0] = 1; } }",
         "body:1:1: parallel_for_work_item, return and goto have no place in this statement"),
        ("parallel_for_work_item(2) { x[0] = 1; }\nparallel_for_work_item(2, 2) { }",
         "body:2:1: parallel_for_work_item has another number of sizes than the one before it"),
        ("parallel_for_work_item { for (;;) { break; } if (x[0]) break; }",
         "body:1:56: this stands in no loop of the item's"),
        ("while (x[0]) parallel_for_work_item { switch (1) { case 1: continue; } }",
         "body:1:60: this stands in no loop of the item's"),
        ("x[0] = 1; continue;", "body:1:11: this stands in no loop"),
        ("parallel_for_work_item(2, 3) { x[0] = 1; }",
         "body:1:1: parallel_for_work_item has 2 sizes, and the range of work-groups has 1 dimension"),
    ],
)  # fmt: skip
@pytest.mark.spec("D016", "D419")
def test_a_text_that_is_none_is_refused_with_its_place(queue, text, message):
    with pytest.raises(sycl.BuildError) as caught:
        run(queue, 2, 2, text, x=np.zeros(4, np.float32))
    assert str(caught.value).splitlines()[0] == message
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    ("preamble", "message"),
    [
        ("int f(int n) { return n; }\n#define ME local_id(0)",
         "preamble:2:12: 'local_id' is of use in the text of a work-group itself: give helpers what they need"),
        ("int f(void) { return get_global_id(0); }",
         "preamble:1:22: 'get_global_id' is of use in the text of a work-group itself: give helpers what they need"),
        ("void f(void) { barrier(CLK_LOCAL_MEM_FENCE); }",
         "preamble:1:16: 'barrier' is of use in the text of a work-group itself: give helpers what they need"),
    ],
)  # fmt: skip
def test_helpers_do_not_know_the_item(queue, preamble, message):
    with pytest.raises(sycl.BuildError) as caught:
        run(queue, 2, 2, "parallel_for_work_item { x[0] = 1; }", x=np.zeros(4, np.float32), preamble=preamble)
    assert str(caught.value).splitlines()[0] == message


def test_helpers_may_have_names_of_items(queue):
    x = np.zeros(4, np.int32)
    preamble = "int twice(int local_id) { return 2 * local_id; }"
    run(queue, 2, 2, "parallel_for_work_item { x[global_id(0)] = twice(local_id(0)); }", x=x, preamble=preamble)
    assert x.tolist() == [0, 2, 0, 2]


def test_the_id_of_a_range_is_unknown(queue):
    """`i` would be the group in one form and the item in the other."""
    with pytest.raises(sycl.BuildError) as caught:
        run(queue, 2, 2, "int a = 0;\nparallel_for_work_item { x[i] = a; }", x=np.zeros(4, np.float32))
    assert str(caught.value).startswith("body:2")
    assert "'i'" in str(caught.value) or '"i"' in str(caught.value)


@pytest.mark.spec("D138")
def test_items_belong_into_the_text_of_a_group(queue):
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(4, "x[i] = 0;\nparallel_for_work_item { x[i] = 1; }", x=np.zeros(4, np.float32))
    assert str(caught.value).splitlines()[0] == (
        "body:2:1: this belongs in the text of a work-group: parallel_for_work_group"
    )


def test_wrong_sizes_and_kernels_are_refused(queue):
    text, x = "parallel_for_work_item { x[global_id(0)] = 1; }", np.zeros(4, np.float32)
    with pytest.raises(sycl.NdRangeError, match=r"^group_size has 2 dimensions, but groups has 1$"):
        run(queue, 2, (2, 2), text, x=x)
    with pytest.raises(sycl.NdRangeError, match=r"^group_size: a work-group has at least one item$"):
        run(queue, 2, 0, text, x=x)
    with pytest.raises(sycl.NdRangeError, match=r"^group_size: more items than a work-group can have on device "):
        run(queue, 2, 2**40, text, x=x)
    with pytest.raises(sycl.NdRangeError, match=r"^groups: expected whole numbers, got 'a'$"):
        run(queue, "a", 2, text, x=x)
    program = sycl.Program("__kernel void f(__global float *x) { }")
    with pytest.raises(
        sycl.InvalidParameterError, match=r"^body: expected the text of a work-group, got <pysycl.Kernel"
    ):
        run(queue, 2, 2, program.f)
    with pytest.raises(TypeError, match="unexpected keyword argument 'offset': work-groups have none$"):
        run(queue, 2, 2, text, x=x, offset=1)
    with pytest.raises(TypeError, match="needs a range and a kernel"), queue.submit() as h:
        h.parallel_for_work_group(2, 3)


def test_an_error_of_the_compiler_names_the_line(queue):
    with pytest.raises(sycl.BuildError) as caught:
        run(
            queue,
            2,
            2,
            "int a = 0;\nparallel_for_work_item {\n    x[global_id(0)] = nothing;\n}",
            x=np.zeros(4, np.float32),
        )
    assert str(caught.value).startswith("body:3")
    assert "    3 |     x[global_id(0)] = nothing;\n" in str(caught.value)
