"""Published weights by their address: a file that is there, and what is said of others."""

import pytest

import norch_autograd as norch
from norch_extras.torch_files import hub
from norch_nn import save


def test_weights_of_an_address_are_those_on_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder, url = tmp_path / "hub" / "checkpoints", "https://host/models/a-1f.pth?raw=1"
    assert hub.get_dir() == str(tmp_path / "hub")
    with pytest.raises(FileNotFoundError, match=r"downloads no weights: put https.*as a-1f\.pth, "):
        hub.load_state_dict_from_url(url)
    folder.mkdir(parents=True)
    save({"w": norch.ones(2)}, folder / "a-1f.pth")
    save({"w": norch.zeros(2)}, tmp_path / "b")
    assert hub.load_state_dict_from_url(url, progress=False)["w"].tolist() == [1, 1]
    given = hub.load_state_dict_from_url(url, str(tmp_path), file_name="b", map_location="cpu")
    assert given["w"].tolist() == [0, 0]
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert hub.get_dir() == "/cache/torch/hub"
