"""A profile as a trace in Chrome's format, which Perfetto reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pysycl._profile.commands import ProfiledCommand, lanes_of


def _span(command: ProfiledCommand, lane: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": 1,
        "tid": lane,
        "name": command.title or command.kind,
        "cat": command.kind,
        "ts": command.start * 1e6,
        "dur": command.seconds * 1e6,
        "args": {
            "text": command.label,
            "where": command.site,
            "device": command.device,
            "bytes": command.bytes,
            "waited_us": (command.start - command.submit) * 1e6,
        },
    }


def trace_of(commands: Iterable[ProfiledCommand], edges: Mapping[int, Iterable[int]]) -> str:
    """Names of lanes, a span for each command, and an arrow for each edge between two of them. Times are in us."""
    events: list[dict[str, Any]] = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "pysycl"}}]
    where: dict[int, tuple[int, ProfiledCommand]] = {}
    for number, (name, lane) in enumerate(lanes_of(commands).items()):
        events.append({"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": name}})
        for command in lane:
            events.append(_span(command, number))
            where[command.id] = (number, command)
    arrow = 0
    for later, before in edges.items():
        for earlier in before:
            if later not in where or earlier not in where:
                continue
            arrow += 1
            for phase, (number, command) in (("s", where[earlier]), ("f", where[later])):
                moment = command.end if phase == "s" else command.start
                arrowhead = {"bp": "e"} if phase == "f" else {}
                events.append(
                    {
                        "ph": phase,
                        "pid": 1,
                        "tid": number,
                        "id": arrow,
                        "name": "after",
                        "cat": "edge",
                        "ts": moment * 1e6,
                    }
                    | arrowhead
                )
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
