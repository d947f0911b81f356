"""Rooms: the folders inside layers. How large one may be, which may include which, and which headers others may include."""

import re
from collections import Counter
from pathlib import Path

from test_layout import ROOT, code_files, includes, layer_of, name

LARGEST = 40

# A room includes those before it in its layer; "" is the layer's own folder, whose headers all rooms may include.
ORDER = {
    "algo": ("lower", "selftest"),
    "body": ("operator", "hierarchy", "reach", "write", "read", "reduce", "scan", "whole"),
    "cl": ("cures",),
    "library": ("checks", "cures"),
    "memory": ("usm",),
    "program": ("cures", "cache", "log"),
    "python": ("memory", "launch", "body", "kept", "functions", "types"),
    "schedule": ("cures", "transfer", "lanes", "replay"),
    "source": ("preprocessor", "declarations"),
}

# Rooms that nothing in their layer may include but the layer's own folder, and that include no other room.
APART = {("algo", "host"), ("algo", "keys"), ("memory", "usm"), ("schedule", "cures")}

# Includes against the order, by file: the list may only shrink.
AGAINST = {
    "body/read/read.c": {"body/reduce/reduce.h"},
    "body/write/checked.c": {"body/read/pointers.h"},
    "body/write/hidden_parameters.c": {"body/reduce/reduce.h"},
    "body/write/item.c": {"body/reduce/reduce.h"},
    "body/write/pack.c": {"body/reduce/reduce.h"},
    "body/write/pack.h": {"body/reduce/reduce.h"},
    "body/write/text.c": {"body/reduce/reduce.h"},
    "python/body/arguments.c": {"python/types/stream.h"},
    "python/launch/argument.c": {"python/types/stream.h"},
    "python/launch/argument_memory.c": {"python/types/handler.h"},
    "python/launch/conversion.h": {"python/body/classes.h"},
    "python/launch/explain.c": {"python/types/prepared.h"},
    "python/launch/group.c": {"python/types/host_task.h"},
    "python/launch/group.h": {"python/types/handler.h"},
    "python/memory/operand.c": {"python/types/handler.h"},
    "python/memory/operand.h": {"python/launch/argument.h"},
    "source/preprocessor/preprocess.c": {"source/declarations/keywords.h"},
}

# The headers in rooms that other layers include.
DOORS = {
    "algo/host/axis.h",
    "algo/host/reduce.h",
    "algo/host/scan_axis.h",
    "algo/keys/bins.h",
    "algo/keys/merge.h",
    "algo/keys/runs.h",
    "algo/keys/search.h",
    "algo/keys/sort.h",
    "algo/keys/top.h",
    "algo/lower/lower.h",
    "algo/lower/room.h",
    "algo/lower/reduce_rows.h",
    "algo/lower/scan_rows.h",
    "algo/lower/tuned.h",
    "algo/selftest/selftest.h",
    "body/whole/checked_kernel.h",
    "body/whole/program.h",
    "library/checks/group_calls.h",
    "library/checks/sites.h",
    "library/cures/pocl_built_ins.h",
    "library/cures/pocl_per_item.h",
    "memory/usm/usm.h",
    "program/cache/cache.h",
    "program/cache/mark.h",
    "program/cache/use.h",
    "program/cures/machine_code.h",
    "program/cures/pocl_short_builtins.h",
    "program/log/build_log.h",
    "schedule/replay/record.h",
    "source/declarations/keywords.h",
    "source/declarations/parser.h",
    "source/declarations/signature.h",
    "source/declarations/types.h",
    "source/preprocessor/condition.h",
    "source/preprocessor/preprocess.h",
}


def room_of(header: str) -> str:
    parts = header.split("/")
    return parts[1] if len(parts) > 2 else ""


def own_includes() -> list[tuple[str, str]]:
    """Each file below csrc, and each of the project's headers that it includes."""
    files = [path for path in code_files("csrc")]
    return [(name(path).removeprefix("csrc/"), header) for path in files for header, own in includes(path) if own]


def test_a_folder_is_read_at_a_glance() -> None:
    folders = Counter(name(path.parent) for path in code_files() if path.suffix != ".pyi")
    assert not {folder: count for folder, count in folders.items() if count > LARGEST}


def test_a_name_is_one_file_of_its_layer() -> None:
    """But for the host's reductions beside their lowering."""
    files = Counter((layer_of(path), path.name) for path in code_files("csrc"))
    assert {file for file, count in files.items() if count > 1} == {("algo", "reduce.c")}


def test_a_room_includes_only_rooms_before_it() -> None:
    against: dict[str, set[str]] = {}
    for path, header in own_includes():
        layer, room, other = path.split("/")[0], room_of(path), room_of(header)
        if header.split("/")[0] != layer or "" in (room, other) or room == other:
            continue
        order = ORDER[layer]
        apart = {(layer, room), (layer, other)} & APART
        if apart or room not in order or other not in order or order.index(other) > order.index(room):
            against.setdefault(path, set()).add(header)
    assert against == AGAINST


def test_other_layers_come_in_by_the_doors() -> None:
    entered = {
        header for path, header in own_includes() if path.split("/")[0] != header.split("/")[0] and room_of(header)
    }
    assert entered == DOORS


def test_every_room_is_in_the_order() -> None:
    rooms = {
        (path.parent.parent.name, path.parent.name) for path in code_files("csrc") if path.parents[2] == ROOT / "csrc"
    }
    assert rooms == {(layer, room) for layer, order in ORDER.items() for room in order} | APART
    assert all(Path(ROOT / "csrc" / layer / room).is_dir() for layer, room in rooms)


def test_chapters_name_only_files_that_exist() -> None:
    """csrc/DESIGN.md and the README of each large folder: by a path from the top, from csrc, or from the chapter."""
    chapters = [ROOT / "csrc/DESIGN.md", *ROOT.glob("csrc/**/README.md")]
    assert len(chapters) > 8
    wrong = []
    for chapter in chapters:
        for said in re.findall(r"`([\w/]+\.(?:c|h|clh|py))`", chapter.read_text(encoding="utf-8")):
            if said != "Python.h" and not any(
                (base / said).is_file() for base in (ROOT, ROOT / "csrc", chapter.parent)
            ):
                wrong.append(f"{name(chapter)}: {said}")
    assert not wrong


# Texts with more values than that are device code in C strings: it belongs into kernels/forms/.
MOST_PLACEHOLDERS = 4


def placeholders(call: str) -> int:
    return len(re.findall(r"%[-0-9.*]*(?:zu|l*u|l*d|s|c)", call.replace("%%", "")))


def calls_of(text: str, function: str) -> list[str]:
    """The calls with all their strings, up to the ';' behind them."""
    found = []
    for match in re.finditer(rf"\b{function}\(", text):
        rest = text[match.end() :]
        strings = re.match(r"(?:[^\";]|\"(?:\\.|[^\"\\])*\")*", rest)
        found.append(strings[0] if strings else "")
    return found


def test_device_code_is_no_format_string() -> None:
    crowded = Counter(
        path.relative_to(ROOT / "csrc/body").as_posix()
        for path in (ROOT / "csrc/body").rglob("*.c")
        for function in ("syc_text_add", "syc__add_step")
        for call in calls_of(path.read_text(encoding="utf-8"), function)
        if placeholders(call) > MOST_PLACEHOLDERS
    )
    assert not crowded
