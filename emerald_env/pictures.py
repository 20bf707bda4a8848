"""Files that pictures are drawn into."""

from pathlib import Path

KINDS = (".png", ".svg", ".pdf", ".jpg")


def check_picture(path: Path | None) -> None:
    """Says at once what would be wrong with a picture's file after an hour of work.

    Raises:
        ValueError: the path's ending is no kind of picture, or there is no folder to put it in.
    """
    if path is None:
        return
    if path.suffix.lower() not in KINDS:
        raise ValueError(f"{path} does not end in {', '.join(KINDS)}: that says how it is drawn")
    if path.is_dir() or not path.absolute().parent.is_dir():
        what = (
            "is a folder" if path.is_dir() else f"needs a folder {path.parent}, and there is none"
        )
        raise ValueError(f"{path} {what}: name a file in a folder that exists")
