"""Agents travel: shared to a Hub of our own, and loaded from there or from the web."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest
from helpers.checkpoints import manifest_with, rewrite
from helpers.file_servers import make_certificate, serving

from baselines.checkpoints import downloads
from baselines.checkpoints.downloads import DownloadError, download
from baselines.checkpoints.trained import TRAINED, find_checkpoint, lasting_name
from baselines.commands.check import share
from baselines.commands.play import checkpoint, play_game
from baselines.playing.benchmark.result_file import verify
from emerald_env.env.versions import JADE_V1

JADE = TRAINED / "jade.zip"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Downloads go into a folder of the test, and are forgotten between tests."""
    monkeypatch.setattr(downloads, "cache_folder", lambda: tmp_path / "cache")
    download.cache_clear()
    return tmp_path / "cache" / "downloads"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A server that speaks the Hub's API; yields its files."""
    constants = pytest.importorskip("huggingface_hub.constants")
    with serving() as (address, answers):
        template = address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setenv("HF_TOKEN", "hf_" + "x" * 20)
        yield answers.files


@pytest.fixture
def web(tmp_path, monkeypatch):
    """A server that speaks https; yields its address and its answers."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl for a certificate")
    certificate = tmp_path / "key.pem"
    make_certificate(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate) + ".crt")
    with serving(certificate) as (address, answers):
        yield address, answers


def test_an_agent_is_shared_with_card_film_and_a_score_that_anybody_verifies(
    hub, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(JADE_V1.settings, "episode_length", 50)
    helped = ["--assists", "memory", "states", "teacher", "--episodes", "2"]
    assert share.main(["jade", "--to", "hf://me/jade", *helped]) == 0
    names = {name.removeprefix("me/jade/") for name in hub}
    assert {"agent.zip", "README.md", "score.json", "film.mp4", "score_0001.recording"} == names - {
        "score_0000.recording"
    }
    for name, content in hub.items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(content)
    result = verify(tmp_path / "score.json")
    card = (tmp_path / "README.md").read_text()
    assert card.startswith("---\n") and f"{result['score'][0]:.3f}" in card
    assert b"ftyp" in (tmp_path / "film.mp4").read_bytes()[:16]
    with zipfile.ZipFile(tmp_path / "agent.zip") as agent:
        assert not [name for name in agent.namelist() if name.endswith((".pth", ".pkl", "data"))]
    capsys.readouterr()
    assert play_game.main(["hf://me/jade", "--episodes", "1", "--episode-length", "9"]) == 0
    assert hashlib.sha256(hub["me/jade/agent.zip"]).hexdigest() in capsys.readouterr().out


def test_a_folder_that_could_not_be_filled_is_not_in_the_way_of_the_next_try(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(JADE_V1.settings, "episode_length", 50)
    flags = ["jade", "--to", str(tmp_path / "new" / "shared"), "--episodes", "1", "--assists"]
    assert share.main([*flags, "none"]) == 1
    assert "give --assists memory\n" in capsys.readouterr().err
    assert not (tmp_path / "new" / "shared").exists()
    assert share.main([*flags, "memory"]) == 0
    assert verify(tmp_path / "new" / "shared" / "score.json")["assists"] == ["memory"]


def test_a_folder_that_another_makes_at_the_same_time_is_left_alone(tmp_path, monkeypatch, capsys):
    folder, really_make = tmp_path / "shared", Path.mkdir

    def make(self, *args, **options):
        if self == folder:
            really_make(self)  # another process, a moment before
            (self / "card.md").write_text("another's")
        really_make(self, *args, **options)

    monkeypatch.setattr(Path, "mkdir", make)
    assert share.main(["jade", "--to", str(folder), "--episodes", "1", "--assists", "memory"]) == 1
    assert "File exists" in capsys.readouterr().err
    assert (folder / "card.md").read_text() == "another's"


def test_the_hubs_refusal_is_one_line(hub, capsys):
    assert play_game.main(["hf://me/nobody"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: cannot download hf://me/nobody") and said.count("\n") == 1


def test_a_file_of_the_web_is_kept_by_its_hash_and_loaded_once(web, own_cache):
    address, answers = web
    answers.files["jade.zip"] = content = JADE.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    path = find_checkpoint(f"{address}/jade.zip")
    assert path == own_cache / f"{digest}.zip" and path.read_bytes() == content
    assert lasting_name(f"{address}/jade.zip") == str(path), "a resumed run loads nothing"
    answers.files.clear()
    assert find_checkpoint(f"{address}/jade.zip#sha256={digest}") == path
    assert find_checkpoint(f"{address}/jade.zip#SHA256={digest.upper()}") == path
    path.write_bytes(b"changed")
    with pytest.raises(DownloadError, match="404"):
        download.cache_clear()
        find_checkpoint(f"{address}/jade.zip#sha256={digest}")


def refused(web, name, **files):
    address, answers = web
    answers.files |= files
    with pytest.raises(DownloadError) as error:
        download(f"{address}/{name}")
    assert "\n" not in str(error.value)
    return str(error.value)


def test_large_files_other_hashes_and_redirects_away_from_https_are_refused(
    web, own_cache, monkeypatch, capsys
):
    address, answers = web
    monkeypatch.setattr(downloads, "MAX_BYTES", 100)
    assert "101 bytes" in refused(web, "large", large=b"x" * 101)
    assert "has the SHA-256" in refused(web, "small#sha256=" + "0" * 64, small=b"x")
    answers.redirects |= {"away": address.replace("https", "http"), "round": "/round"}
    assert "not https" in refused(web, "away")
    assert "redirect" in refused(web, "round")
    answers.redirects["near"] = address.replace("127.0.0.1", "127.1") + "/small"  # another name
    assert "certificate" in refused(web, "near") and "redirected to 127.1" in (
        capsys.readouterr().out
    )
    assert not own_cache.exists() or not list(own_cache.iterdir())


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1:9/a b",
        "https://127.0.0.1:x/a",
        "https://exa mple/a",
        "https://[#" + "0" * 64,
    ],
)
def test_what_is_no_address_of_the_web_is_refused_in_a_line(address, capsys):
    assert play_game.main([address, "--episodes", "1"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: cannot download https://") and said.count("\n") == 1


@pytest.mark.parametrize(
    "digest", ["sha256=", "sha256=" + "0" * 63, "sha512=" + "0" * 64, "main", ""]
)
def test_a_hash_that_is_none_is_refused_before_anything_is_loaded(monkeypatch, digest):
    monkeypatch.setattr(downloads, "_from_web", lambda address: pytest.fail("was loaded"))
    with pytest.raises(DownloadError, match="not sha256= and 64 hexadecimal digits"):
        download(f"https://127.0.0.1:9/a.zip#{digest}")


def test_a_server_that_does_not_speak_http_is_refused_in_a_line(web):
    address, answers = web
    answers.raw["nonsense"] = b"nonsense\r\n\r\n"
    answers.raw["half"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"
    answers.redirects["away"] = "https://127.0.0.1:x/a"
    for name in ("nonsense", "half", "away"):
        assert refused(web, name).startswith(f"cannot download {address}/{name}: ")


@pytest.mark.parametrize("drips", ["headers", "body"])
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(web, drips, monkeypatch):
    monkeypatch.setattr(downloads, "MAX_SECONDS", 0.3)
    assert "was not complete after 0.3 seconds" in refused(web, drips)


def test_what_was_downloaded_is_a_strangers_file(web, capsys):
    address, answers = web
    answers.files["evil.zip"] = b"\x80\x04cos\nsystem\n(S'echo hacked'\ntR."
    assert play_game.main([f"{address}/evil.zip", "--episodes", "1"]) == 1
    assert "hacked" not in capsys.readouterr().out
    assert checkpoint.main(["inspect", f"{address}/evil.zip"]) == 1


@pytest.mark.parametrize("to", ["hf://me", "https://x.org/a", "."])
def test_sharing_elsewhere_is_refused_before_anything_is_measured(to, capsys):
    try:
        assert share.main(["jade", "--to", to, "--assists", "none"]) == 1
    except SystemExit as end:
        assert end.code
    assert "give hf://user/name" in capsys.readouterr().err


def test_an_agent_with_a_network_of_ones_own_is_exported_instead(tmp_path, capsys):
    network = manifest_with(JADE, network="net.py:Net")
    agent = rewrite(JADE, tmp_path / "own.zip", **{"manifest.json": network})
    out = tmp_path / "shared"
    assert share.main([str(agent), "--to", str(out), "--assists", "memory"]) == 1
    said = capsys.readouterr().err
    assert "`emerald checkpoint export` --network net.py:Net" in said and not out.exists()
