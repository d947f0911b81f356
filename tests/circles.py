"""The graph of csrc: which file calls which, the circles in it, and how many sources a header reaches.

A file calls another of its layer where it names a function or a table that the other defines, also without a call: a
function handed over as a pointer is called later. The graph is read from the text as clang-format lays it out: the brace
that opens a function, and the one that ends it, stand alone in the first column. Run as a script it prints the circles,
and the calls in those of one layer: `python tests/circles.py python`.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "csrc"
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
FUNCTION = re.compile(r"\b(\w+)\s*\(")
TABLE = re.compile(r"(?!extern|typedef|enum|return|struct \w+;)[A-Za-z_][\w\s*]*?\b(\w+)(?:\[[^\]]*\])*(?: =|;)")

Calls = dict[str, dict[str, set[str]]]  # file -> file of the same layer -> the names by which it calls it


def code_lines(path: Path) -> list[str]:
    """The lines of a file without comments, strings and directives."""
    text = path.read_text(encoding="utf-8")
    lines = COMMENT_OR_STRING.sub(lambda match: "\n" * match[0].count("\n"), text).split("\n")
    return ["" if line.startswith("#") else line for line in lines]


def defined(path: Path) -> tuple[set[str], set[str]]:
    """Names of functions and tables that a source defines: for other files, and for itself alone."""
    shared: set[str] = set()
    own: set[str] = set()
    head = ""  # the first line of a definition, and those by which it goes on
    inside = False
    for line in code_lines(path):
        if line == "{" and (match := FUNCTION.search(head)):
            (own if head.startswith("static") else shared).add(match[1])
        inside = line != "}" and (inside or line == "{")
        if inside or not line:
            continue
        head = head + line if line.startswith(" ") else line
        if not line.startswith(" ") and (match := TABLE.match(line)):
            (own if line.startswith("static") else shared).add(match[1])
    return shared, own


def all_calls(root: Path = ROOT) -> Calls:
    """Files are named without their ending: a source and its header are one."""
    names: dict[str, set[str]] = {}
    where: dict[str, str] = {}
    for path in sorted(root.rglob("*.c")):
        file = path.relative_to(root).with_suffix("").as_posix()
        shared, own = defined(path)
        where |= dict.fromkeys(shared, file)
        names[file] = {name for line in code_lines(path) for name in NAME.findall(line)} - own
    found: Calls = {file: defaultdict(set) for file in names}
    for file, named in names.items():
        for name in named:
            if (other := where.get(name, file)) != file:
                found[file][other].add(name)
    return found


def calls(root: Path = ROOT) -> Calls:
    """Those within a layer."""
    return {
        file: defaultdict(set, {to: names for to, names in others.items() if to.split("/")[0] == file.split("/")[0]})
        for file, others in all_calls(root).items()
    }


def reached(graph: Calls, start: str) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        for file in graph[todo.pop()]:
            if file not in seen:
                seen.add(file)
                todo.append(file)
    return seen


def circles(graph: Calls) -> list[frozenset[str]]:
    """The largest sets of files in which each reaches all others, largest first."""
    reach = {file: reached(graph, file) for file in graph}
    found = {frozenset(other for other in reach[file] if file in reach[other]) for file in graph}
    return sorted(found - {frozenset()}, key=lambda circle: (-len(circle), sorted(circle)))


def fan_out(root: Path = ROOT) -> Counter[str]:
    """How many sources include each header, directly or through others."""
    own = {
        path.relative_to(root).as_posix(): set(INCLUDE.findall(path.read_text(encoding="utf-8")))
        for path in root.rglob("*.[ch]")
    }
    count: Counter[str] = Counter()
    for source in own:
        if source.endswith(".c"):
            seen: set[str] = set()
            todo = [source]
            while todo:
                new = own.get(todo.pop(), set()) - seen
                seen |= new
                todo += new
            count.update(seen)
    return count


def show(layer: str = "") -> None:
    graph = calls()
    for circle in circles(graph):
        print(len(circle), *sorted(circle))
        if next(iter(circle)).startswith(layer + "/"):
            for file in sorted(circle):
                for other in sorted(circle & set(graph[file])):
                    print("   ", file, "->", other, *sorted(graph[file][other]))
    print(*(f"{header} {count}" for header, count in fan_out().most_common(40)), sep="\n")


if __name__ == "__main__":
    show(*sys.argv[1:])
