"""What JupyterLab shows of a notebook that has run elsewhere, in Chromium: pictures are drawn, trusted or not, light and dark.

For those who want to see for themselves PYSYCL_SCREENSHOTS names a folder, which gets a picture of each.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)
pytest.importorskip("jupyterlab")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
websocket = pytest.importorskip("websocket")

PICTURES = 3  # of the cells below: a profile, a graph, a graph that folds
CELLS = (
    "%load_ext pysycl\nimport numpy as np\nimport pysycl as sycl\nqueue = sycl.Queue()",
    "x, y = np.ones(100_000), np.ones(100_000)",
    "%%sycl_profile\nsycl.var(sycl.Buffer(x), queue=queue)\n"
    "for _ in range(5):\n    queue.parallel_for(x.size, 'y[i] += 2 * x[i];', x=x, y=y)",
    "queue.graph()",
    "for _ in range(200):\n    queue.parallel_for(8, 'x[i] += 1;', x=x)\nqueue.graph()",
    "sycl.devices()",
    "sycl.make_reduce(sycl.plus, 'f4', queue=queue).plan(10**6)",
    "sycl.cache.stats()",
    "%sycl_ledger on",
    "queue.parallel_for(8, 'x[i] += 1;', x=x)\nx",
    "%%sycl_for 8\ny[i] = x[i];\ny[i] += sqr(x[i]);",
)
SEEN = """(() => {
  const images = [...document.querySelectorAll('.jp-OutputArea img')];
  return JSON.stringify({
    widths: images.map(i => i.naturalWidth), shown: images.map(i => i.clientWidth),
    tables: document.querySelectorAll('.jp-OutputArea table').length,
    words: [...document.querySelectorAll('.jp-OutputArea')].map(o => o.innerText).join('\\n'),
    light: document.body?.dataset.jpThemeLight, height: document.querySelector('.jp-WindowedPanel-inner')?.scrollHeight,
    trusted: document.querySelector('.jp-NotebookTrustedStatus')?.className ?? ''})
})()"""


class Page:
    """A page of a browser without a window, by its debugger's protocol."""

    def __init__(self, folder: Path) -> None:
        size = ("--window-size=1280,4200", "--force-device-scale-factor=1")
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            "--remote-allow-origins=*",
        )
        assert CHROMIUM is not None
        self.child = subprocess.Popen(
            [CHROMIUM, *flags, *size, f"--user-data-dir={folder}", "about:blank"], stderr=subprocess.DEVNULL
        )
        port = folder / "DevToolsActivePort"
        until(lambda: port.exists() and len(port.read_text().split()) == 2, "Chromium does not begin")
        pages = json.load(urlopen(f"http://127.0.0.1:{port.read_text().split()[0]}/json"))
        self.socket = websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=60)
        self.number = 0

    def __call__(self, method: str, **values: Any) -> Any:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": values}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                return answer["result"]

    def seen(self) -> dict[str, Any]:
        found = json.loads(self("Runtime.evaluate", expression=SEEN)["result"]["value"])
        assert isinstance(found, dict)
        return found

    def close(self) -> None:
        self.socket.close()
        end(self.child)


def end(child: subprocess.Popen[bytes]) -> None:
    """JupyterLab's own threads may keep it, when it is asked while they are busy."""
    child.terminate()
    try:
        child.wait(30)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(30)


def until(what: Any, why: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.2)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """JupyterLab with settings of its own, over a folder with the notebook, run and unsigned, and a signed copy."""
    root = tmp_path_factory.mktemp("lab")
    folders = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython",
        "PYSYCL_CACHE_DIR": "kernels",
    }  # fmt: skip
    env = dict(os.environ) | {name: str(root / folder) for name, folder in folders.items()}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    (root / "work").mkdir()
    client = nbclient.NotebookClient(notebook, timeout=200, allow_errors=True, kernel_name="python3")
    client.execute(cwd=str(root), env=env)
    for name in ("unsigned", "signed"):
        nbformat.write(notebook, root / "work" / f"{name}.ipynb")
    trust = [sys.executable, "-m", "jupyter", "trust", str(root / "work" / "signed.ipynb")]
    subprocess.run(trust, env=env, check=True, capture_output=True, timeout=100)
    options = (
        "--no-browser",
        "--allow-root",
        "--IdentityProvider.token=",
        "--ServerApp.port=0",
        "--ServerApp.ip=127.0.0.1",
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={root / 'work'}"],
        env=env, cwd=root, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    runtime = root / "runtime"
    until(lambda: list(runtime.glob("jpserver-*.json")), "JupyterLab does not begin")
    time.sleep(0.5)  # the file is being written
    url = json.loads(next(runtime.glob("jpserver-*.json")).read_text())["url"]
    yield url, root, env
    end(child)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("name", ["unsigned", "signed"])
def test_pictures_are_drawn(server: Any, tmp_path: Path, name: str, theme: str) -> None:
    url, root, _ = server
    settings = {
        "apputils-extension/themes": {"theme": theme},
        "apputils-extension/notification": {"fetchNews": "false"},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for file, values in settings.items():
        to = root / "settings" / "@jupyterlab" / f"{file}.jupyterlab-settings"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(values))
    page = Page(tmp_path / "browser")
    try:
        page("Page.navigate", url=f"{url}lab/tree/{name}.ipynb?reset")
        light = "true" if theme.endswith("Light") else "false"
        until(lambda: len(page.seen()["widths"]) >= PICTURES and page.seen()["light"] == light, "no pictures are shown")
        until(lambda: all(width > 0 for width in page.seen()["widths"]), "a picture cannot be drawn")
        seen = page.seen()
        if folder := os.environ.get("PYSYCL_SCREENSHOTS"):
            picture = page("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            Path(folder, f"{name}-{theme.split()[1].lower()}.png").write_bytes(b64decode(picture))
    finally:
        page.close()
    assert len(seen["widths"]) == PICTURES and all(shown > 100 for shown in seen["shown"])
    assert seen["tables"] == 4, "a profile, devices, a plan, the cache"
    for words in ("kernel var()", "median us", "pysycl: 1 command", "cell [11]:3:9: ", "    3 | y[i] += sqr(x[i]);"):
        assert words in seen["words"], words
    assert "pysycl: building" not in seen["words"], "the line is gone when the build has ended"
