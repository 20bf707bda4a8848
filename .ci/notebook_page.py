"""Makes a page of the notebook docs/first_steps.ipynb, which is kept without outputs."""

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

NOTEBOOK = Path(__file__).parents[1] / "docs" / "first_steps.ipynb"
PAGE = "FIRST_STEPS.md"


def on_files(files: Files, config: Any) -> Files:
    """Adds the page."""
    parts = []
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    files.append(File.generated(config, PAGE, content="\n\n".join(parts)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lets links to the notebook lead to its page."""
    return markdown.replace(f"({NOTEBOOK.name})", f"({PAGE})")
