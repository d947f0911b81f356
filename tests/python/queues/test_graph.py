"""queue.graph(): the commands, the reasons for their order, and the words and pictures made of them."""

import itertools
import textwrap
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import pysycl as sycl
from pysycl.graph import Command, Edge, Graph, Reason, Use, _Memory

PROGRAM = sycl.Program("""
__kernel void one(__global int *x) { x[get_global_id(0)] += 1; }
__kernel void move(__global int *to, __global const int *from) { to[get_global_id(0)] = from[get_global_id(0)]; }
""")


def run(queue: sycl.Queue, *buffers: sycl.Buffer, mode: str = "read_write") -> sycl.Event:
    """A command that uses the buffers and does nothing."""
    with queue.submit() as h:
        for buffer in buffers:
            sycl.Accessor(buffer, h, mode, target="host_task")
        h.host_task(lambda: None)
    return h.event


def edges(graph: Graph) -> dict[tuple[int, int], set[str]]:
    """Reasons by the positions of the two commands."""
    place = {command.id: i for i, command in enumerate(graph.commands)}
    return {(place[e.earlier], place[e.later]): {reason.kind for reason in e.reasons} for e in graph.edges}


def test_a_new_queue_has_an_empty_graph(device: sycl.Device) -> None:
    graph = sycl.Queue(device).graph()
    assert (graph.commands, graph.edges) == ((), ())
    assert "0 commands, 0 edges" in repr(graph)


def test_reasons_by_buffer(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    b = sycl.Buffer((100,), np.int32)
    run(queue, b, mode="write")
    run(queue, b, mode="read")
    run(queue, b, mode="read")
    run(queue, b, mode="write")
    queue.wait_and_throw()
    graph = queue.graph()
    assert edges(graph) == {
        (0, 1): {"read after write"},
        (0, 2): {"read after write"},
        (0, 3): {"read after write", "write after write"},
        (1, 3): {"write after read"},
        (2, 3): {"write after read"},
    }
    reason = graph.edges[0].reasons[0]
    assert (reason.low, reason.high) == (0, 400) and reason.buffer > 0


@pytest.mark.spec("H051", "H053")
def test_parts_have_edges_where_they_overlap(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    b = sycl.Buffer((100,), np.int32)
    left, middle, right = b.sub_buffer(0, 50), b.sub_buffer(25, 50), b.sub_buffer(50, 50)
    run(queue, left)
    run(queue, right)
    run(queue, middle)
    queue.wait_and_throw()
    graph = queue.graph()
    assert set(edges(graph)) == {(0, 2), (1, 2)}
    assert {(e.reasons[0].low, e.reasons[0].high) for e in graph.edges} == {(100, 200), (200, 300)}


def test_explicit_edges_and_the_queue_s_order(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    first = queue.host_task(lambda: None)
    first.wait()
    queue.host_task(lambda: None, depends_on=first).wait()
    queue.host_task(lambda: None).wait()
    graph = queue.graph()
    assert edges(graph) == {(0, 1): {"explicit"}}
    assert not graph.edges[0].waited

    in_order = sycl.Queue(device, in_order=True)
    go = threading.Event()
    in_order.host_task(lambda: go.wait(30))
    in_order.host_task(lambda: None)
    go.set()
    in_order.wait()
    in_order.host_task(lambda: None).wait()
    graph = in_order.graph()
    assert edges(graph) == {(0, 1): {"order of the queue"}, (1, 2): {"order of the queue"}}
    assert [edge.waited for edge in graph.edges] == [True, False]


def test_whether_it_was_waited_for(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    b = sycl.Buffer((4,), np.int32)
    go = threading.Event()
    queue.submit(lambda h: (h.read_write(b, target="host_task"), h.host_task(lambda: go.wait(30)))[0])
    run(queue, b)
    go.set()
    queue.wait_and_throw()
    run(queue, b).wait()
    assert [edge.waited for edge in queue.graph().edges] == [True, False]


def test_other_queues_and_the_host_are_shown(device: sycl.Device) -> None:
    first, second = sycl.Queue(device), sycl.Queue(device)
    b = sycl.Buffer((4,), np.int32)
    run(first, b)
    run(first)  # concerns nobody
    with b.host_access("read_write"):
        pass
    run(second, b)
    second.wait_and_throw()
    graph = second.graph()
    assert [command.kind for command in graph.commands][-2:] == ["host access", "host task"]
    assert graph.commands[-2].queue == 0 and graph.commands[-1].queue > 0
    assert edges(graph)[len(graph.commands) - 2, len(graph.commands) - 1] == {"read after write", "write after write"}
    assert [command.kind for command in first.graph().commands] == ["host task", "host task"]


def test_kernels_have_names_and_places(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    b, c = sycl.Buffer((16,), np.int32), sycl.Buffer((16,), np.int32)
    with queue.submit() as h:
        h.parallel_for(16, PROGRAM.one, h.read_write(b))
    with queue.submit() as h:
        h.parallel_for(16, PROGRAM.move, h.write(c), h.read(b))
    queue.wait_and_throw()
    graph = queue.graph()
    kernels = [command for command in graph.commands if command.kind == "kernel"]
    assert [command.name for command in kernels] == ["one", "move"]
    assert all("test_graph.py:" in command.site for command in kernels)
    assert [use.mode for use in kernels[1].uses] == ["read_write", "read"]
    between = [edge for edge in graph.edges if (edge.earlier, edge.later) == (kernels[0].id, kernels[1].id)]
    assert [reason.kind for reason in between[0].reasons] == ["read after write"]
    assert graph.command(kernels[0].id) is kernels[0]
    with pytest.raises(KeyError):
        graph.command(-1)


@pytest.mark.spec("H053", "H054")
def test_independent_commands_have_no_edges(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    shared = sycl.Buffer(np.zeros(4, np.int32))
    for _ in range(1000):
        with queue.submit() as h:
            h.parallel_for(4, PROGRAM.move, h.write(sycl.Buffer((4,), np.int32)), h.read(shared))
    queue.wait_and_throw()
    graph = queue.graph()
    kernels = {command.id for command in graph.commands if command.kind == "kernel"}
    assert len(kernels) == 1000
    assert [edge for edge in graph.edges if edge.earlier in kernels and edge.later in kernels] == []


def test_dependent_commands_are_a_chain(device: sycl.Device) -> None:
    queue = sycl.Queue(device)
    b = sycl.Buffer(np.zeros(4, np.int32))
    for _ in range(100):
        with queue.submit() as h:
            h.parallel_for(4, PROGRAM.one, h.read_write(b))
    queue.wait_and_throw()
    graph = queue.graph()
    kernels = [command.id for command in graph.commands if command.kind == "kernel"]
    between = {(e.earlier, e.later) for e in graph.edges if e.earlier in kernels and e.later in kernels}
    assert between == set(itertools.pairwise(kernels))


def test_transfers_are_told(run_fake) -> None:
    run_fake(
        textwrap.dedent(
            """
            queue = sycl.Queue()
            b = sycl.Buffer(np.zeros(4, np.uint32))
            queue.submit(lambda h: h.parallel_for(4, program.fill_ids, h.read_write(b)))
            queue.wait_and_throw()
            with b.host_access("read"):
                pass
            queue.submit(lambda h: h.parallel_for(4, program.fill_ids, h.read_write(b)))
            queue.wait_and_throw()
            graph = queue.graph()
            assert [c.label for c in graph.commands if c.kind == "transfer"], graph
            first, kernel = graph.commands[:2]
            assert (first.kind, first.name, kernel.kind) == ("transfer", "host to device", "kernel"), str(graph)
            edge, = [e for e in graph.edges if (e.earlier, e.later) == (first.id, kernel.id)]
            assert [r.kind for r in edge.reasons] == ["waits for the transfer"], str(graph)
            """
        ),
        {"FAKE_PLATFORM_NAME": "NVIDIA CUDA", "FAKE_TYPE": "gpu"},
    )


def test_the_graph_keeps_nothing(device: sycl.Device, no_leaks: None) -> None:
    queue = sycl.Queue(device)
    run(queue, sycl.Buffer((4,), np.int32))
    queue.wait_and_throw()
    graph = queue.graph()
    del queue
    assert len(graph.commands) == 1
    assert len(sycl.Queue(device).graph().commands) == 0, "another queue at the same address is another queue"


# -- words and pictures --

SAMPLE = Graph(
    "the queue on 'X & <Y>'",
    [
        Command(1, "kernel", "scale", "demo.py:12", 1, (Use(3, 0, 4096, "read_write"),)),
        Command(2, "transfer", "device to host", "demo.py:14", 1, (Use(3, 0, 4096, "read"),)),
        Command(5, "host access", "", "", 0, ()),
    ],
    [
        Edge(1, 2, (Reason("read after write", 3, 0, 4096),), True),
        Edge(2, 5, (Reason("explicit"), Reason("read after write", 0, 16, 32)), False),
    ],
)


def test_the_text() -> None:
    assert str(SAMPLE).splitlines() == [
        "pysycl.Graph of the queue on 'X & <Y>': 3 commands, 2 edges",
        "  1 kernel 'scale' at demo.py:12: buffer 3 bytes 0..4096 read_write",
        "  2 transfer 'device to host' at demo.py:14: buffer 3 bytes 0..4096 read",
        "      after 1: buffer 3 bytes 0..4096, read after write",
        "  5 host access",
        "      after 2: explicit; host memory, read after write (had ended)",
    ]
    many = Graph("g", [Command(i, "kernel", "k", "", 1, ()) for i in range(1000)], [])
    assert len(str(many).splitlines()) < 250 and str(many).endswith("more commands")


def test_dot() -> None:
    dot = SAMPLE.to_dot()
    assert dot.startswith("digraph commands {") and dot.rstrip().endswith("}")
    assert 'c1 -> c2 [label="buffer 3 bytes 0..4096, read after write", style=solid];' in dot
    assert "style=dashed" in dot


def test_the_picture() -> None:
    bundle = SAMPLE._repr_mimebundle_()
    assert bundle["text/plain"] == str(SAMPLE)
    svg = ElementTree.fromstring(SAMPLE.to_svg())
    names = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert {"svg", "rect", "line", "title", "text"} <= names
    assert set(bundle) == {"text/plain", "text/html"}


# -- the replay, against a map of single bytes --


def test_the_replay_is_that_of_single_bytes() -> None:
    random = np.random.default_rng(20240611)
    for _ in range(200):
        memory = _Memory()
        writer: list[int] = [0] * 24
        readers: list[set[int]] = [set() for _ in range(24)]
        for command in range(1, 20):
            low, high = sorted(random.choice(25, 2, replace=False).tolist())
            use = Use(1, low, high, str(random.choice(["read", "read_write", "discard_write"])))
            found: dict[int, set[str]] = {}
            for earlier, reason in memory.reasons(use):
                found.setdefault(earlier, set()).add(reason.kind)
            expected: dict[int, set[str]] = {}
            for byte in range(low, high):
                if writer[byte] and use.mode != "discard_write":
                    expected.setdefault(writer[byte], set()).add("read after write")
                if writer[byte] and use.mode != "read":
                    expected.setdefault(writer[byte], set()).add("write after write")
                for reader in readers[byte] if use.mode != "read" else ():
                    expected.setdefault(reader, set()).add("write after read")
                if use.mode == "read":
                    readers[byte].add(command)
                else:
                    writer[byte], readers[byte] = command, set()
            assert found == expected
            memory.add(use, command)
