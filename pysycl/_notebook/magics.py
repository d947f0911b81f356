"""Magics of IPython: `%load_ext pysycl` brings %%sycl, %%sycl_for, %%sycl_profile and %sycl_ledger."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from pysycl import _core
from pysycl._notebook.cells import cell_that_runs, shows_all_frames
from pysycl.errors import SyclError

if TYPE_CHECKING:
    from pysycl.queue import Queue

# Not the program's own: comments, strings and characters.
_ASIDE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_TYPE = r"(?:bool|(?:unsigned\s+)?(?:char|short|int|long)|u(?:char|short|int|long)|half|float|double|size_t)\d*"
_DECLARED = re.compile(rf"\b(?:{_TYPE}|\w+_t)\s+\**\s*([A-Za-z_]\w*)((?:[^;(){{}}]|\([^()]*\))*)")
_NEXT = re.compile(r",\s*\**\s*([A-Za-z_]\w*)\s*(?=[,=\[;]|$)")
_WORDS = re.compile(r"i[0-2]?|n[0-2]")  # of a body's own
_FILE = re.compile(r"^(?:body|kernel\.cl)(?=:)", re.MULTILINE)


def words_of(line: str) -> list[str]:
    """The words of a magic's line; blanks in brackets and in quotes part nothing."""
    words, word, depth, quote = [], "", 0, ""
    for letter in line:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if letter.isspace() and not depth and not quote:
            words.append(word)
            word = ""
        else:
            word += letter
    return [word for word in [*words, word] if word]


def names_of(text: str) -> set[str]:
    """The names that a body says and does not declare."""
    own = _ASIDE.sub(" ", text)
    declared = set()
    for match in _DECLARED.finditer(own):
        declared |= {match[1], *_NEXT.findall(match[2])}
    return {name for name in _NAME.findall(own) if not _WORDS.fullmatch(name)} - declared


def is_argument(value: object) -> bool:
    """What a body may be given by its name alone."""
    import numpy as np

    from pysycl._data.usm_array import UsmArray
    from pysycl._kernels.scanner import Scanner
    from pysycl._vectors.marray import Marray
    from pysycl._vectors.vec import Vec
    from pysycl.binary_op import BinaryOp
    from pysycl.buffer import Buffer
    from pysycl.local import LocalAccessor
    from pysycl.operators import FunctionObject
    from pysycl.reductions import Reduction
    from pysycl.spec_constant import SpecConstant

    data = (np.ndarray, np.generic, int, float, complex, Buffer, UsmArray, Vec, Marray, LocalAccessor)
    return isinstance(value, (*data, Scanner, BinaryOp, FunctionObject, Reduction, SpecConstant))


@magics_class
class SyclMagics(Magics):
    """The magics. Each finds its queue by `-q`, else as the notebook's `queue` or `q`, else makes one."""

    def _options(self, magic: str, line: str) -> tuple[list[str], Queue, list[str]]:
        """The words that are none of -q QUEUE and -o OPTION, the queue, and the options."""
        from pysycl.queue import Queue

        words, rest, options, queue = words_of(line), [], [], None
        while words:
            word = words.pop(0)
            if word in ("-q", "-o") and not words:
                raise UsageError(f"{magic}: {word} wants a word behind it")
            if word == "-q":
                queue = self.shell.user_ns.get(words[0])
                if not isinstance(queue, Queue):
                    raise UsageError(f"{magic}: no queue is called {words[0]!r} in this notebook")
                words.pop(0)
            elif word == "-o":
                options.append(words.pop(0))
            else:
                rest.append(word)
        return rest, queue or self._queue(), options

    def _queue(self) -> Queue:
        from pysycl.queue import Queue

        for name in ("queue", "q"):
            if isinstance(self.shell.user_ns.get(name), Queue):
                found: Queue = self.shell.user_ns[name]
                return found
        return Queue()

    @staticmethod
    def _launch(queue: Queue, range: Any, text: str, options: Any, arguments: dict[str, Any]) -> None:
        """From a line of the cell's own, so that it is the place of the command."""
        launch = partial(queue.parallel_for, range, text, options=options, wait=True, **arguments)
        eval(compile("launch()", cell_that_runs()[0], "eval"), {"launch": launch})

    def _told(self, error: SyclError) -> SyclError:
        """The error in the words of the cell, whose first line is the magic's."""
        text = _FILE.sub(f"cell [{cell_that_runs()[1]}]", str(error)).replace(" of the body)", " of the cell)")
        error.args = (text, *error.args[1:])
        return error if shows_all_frames() else error.with_traceback(None)

    @cell_magic
    @_core.entry
    def sycl(self, line: str, cell: str) -> None:
        """%%sycl [NAME] [-q QUEUE] [-o OPTION]...: a program in OpenCL C.

        It is built at once; its kernels become variables, and so does the Program where it is given a NAME.
        """
        from pysycl.program import Program

        names, queue, options = self._options("%%sycl", line)
        if len(names) > 1 or any(not name.isidentifier() for name in names):
            raise UsageError(f"%%sycl: expected one name for the program, got {' '.join(names)!r}")
        try:
            program = Program("\n" + cell, options=options)
            log = program.build(queue.context)
        except SyclError as error:
            raise self._told(error) from None
        if log.strip():
            print(_FILE.sub(f"cell [{cell_that_runs()[1]}]", log.strip()))
        self.shell.push({name: getattr(program, name) for name in program.kernel_names} | dict.fromkeys(names, program))

    @cell_magic
    @_core.entry
    def sycl_for(self, line: str, cell: str) -> None:
        """%%sycl_for RANGE [-q QUEUE] [-o OPTION]... [name=expr]...: the body of one work-item.

        It runs, is waited for, and raises what went wrong. What it names of the notebook's arrays, numbers, buffers,
        reductions and operators are its arguments; name=expr gives others.
        """
        space = self.shell.user_ns
        words, queue, options = self._options("%%sycl_for", line)
        if not words:
            raise UsageError("%%sycl_for: expected a range, such as x.size or (n, m)")
        arguments = {name: space[name] for name in sorted(names_of(cell)) if name in space and is_argument(space[name])}
        for word in words[1:]:
            name, equals, expression = word.partition("=")
            if not equals or not name.isidentifier():
                raise UsageError(f"%%sycl_for: expected name=expression, got {word!r}")
            arguments[name] = self.shell.ev(expression)
        try:
            self._launch(queue, self.shell.ev(words[0]), "\n" + cell, options or None, arguments)
        except SyclError as error:
            raise self._told(error) from None

    @cell_magic
    @_core.entry
    def sycl_profile(self, line: str, cell: str) -> None:
        """%%sycl_profile [FILE]: Python, and what its commands took. FILE gets the trace for Perfetto."""
        from IPython.display import display

        from pysycl._profile.profile import Profile

        files = words_of(line)
        if len(files) > 1:
            raise UsageError(f"%%sycl_profile: expected one file, got {line!r}")
        count = self.shell.execution_count
        try:
            self.shell.execution_count = cell_that_runs()[1]  # what the cell inside is called by
            with Profile(None) as found:
                # so that lines are the editor's; the magic of a cell wants to be its first line
                self.shell.run_cell(cell if cell.startswith("%%") else f"# {line}\n{cell}")
        finally:
            self.shell.execution_count = count
        if files:
            found.save_trace(files[0])
        display(found)

    @line_magic
    def sycl_ledger(self, line: str) -> None:
        """%sycl_ledger on, or off: a line behind each cell, of its commands, their time, bytes moved and builds."""
        from pysycl._notebook.ledger import switch

        if line.strip() not in ("on", "off"):
            raise UsageError("%sycl_ledger: expected on or off")
        switch(self.shell, line.strip() == "on")


def register(shell: Any) -> None:
    """What `%load_ext pysycl` calls."""
    shell.register_magics(SyclMagics)
