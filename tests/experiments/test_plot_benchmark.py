"""The picture of the benchmark's table."""

import pytest

from experiments.plot_benchmark import TABLE, Line, main, read_lines


def test_a_line_is_read_from_the_page():
    text = (
        "| a | b |\n|---|---|\n| `jade` | memory, states | 12,052 | 16 | 0.9 (0.8 to 1.0) | 1 % |"
    )
    assert read_lines(text) == [Line("jade", "memory, states", 16, 0.9, 0.8, 1.0)]


def test_every_score_of_the_page_lies_in_its_interval_and_is_drawn(tmp_path):
    lines = read_lines(TABLE.read_text(encoding="utf-8"))
    agents = {line.agent for line in lines}
    assert agents >= {"random", "jade", "PPO alone, a million steps, five seeds"}
    assert all(0 <= line.low <= line.score <= line.high <= 1 for line in lines)
    assert main([str(tmp_path / "table.png")]) == 0
    assert (tmp_path / "table.png").stat().st_size > 10_000


@pytest.mark.parametrize("text", ["", "| a | b |"])
def test_a_page_without_a_score_is_reported(text):
    with pytest.raises(ValueError, match="no line of a table has a score"):
        read_lines(text)
