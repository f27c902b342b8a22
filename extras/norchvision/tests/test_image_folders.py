"""Folders of images, hostile ones too; images of noise; grids and files of images."""

import os
import pickle
from pathlib import Path

import pytest

import norch_autograd as norch
from norch_nn.data import DataLoader
from norchvision import transforms as T
from norchvision.datasets import DatasetFolder, FakeData, ImageFolder
from norchvision.datasets.folder import default_loader
from norchvision.utils import make_grid, save_image

Image = pytest.importorskip("PIL.Image", reason="images need Pillow")
COLOURS = {"cat/a.png": (10, 20, 30), "cat/b.PNG": (1, 2, 3), "dog/deep/er/c.bmp": (7, 8, 9)}


@pytest.fixture
def folder(tmp_path):
    """Two cats, a dog, and what is no image."""
    for name, colour in COLOURS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (5, 4), colour).save(path)
    (tmp_path / "cat" / "notes.txt").write_text("no image")
    (tmp_path / "readme.md").write_text("no class")
    return tmp_path


def test_a_folder_a_class(folder):
    data = ImageFolder(folder)
    assert data.classes == ["cat", "dog"] and data.class_to_idx == {"cat": 0, "dog": 1}
    assert [os.path.relpath(path, folder) for path, _ in data.samples] == list(COLOURS)
    assert data.targets == [0, 0, 1] and data.imgs is data.samples and len(data) == 3
    for (image, target), (name, colour) in zip(data, COLOURS.items(), strict=True):
        assert image.mode == "RGB" and image.size == (5, 4) and image.getpixel((0, 0)) == colour
        assert data.classes[target] == name.split("/")[0]
    assert repr(data) == (
        f"Dataset ImageFolder\n    Number of datapoints: 3\n    Root location: {folder}"
    )


def test_images_of_every_mode_come_as_three_colours(tmp_path):
    (tmp_path / "a").mkdir()
    for mode in ("1", "L", "LA", "P", "RGBA", "I;16"):
        Image.new(mode, (3, 2), 1).save(tmp_path / "a" / f"{mode.replace(';', '')}.png")
    data = ImageFolder(str(tmp_path), transform=T.ToTensor())
    assert len(data) == 6 and {tuple(image.shape) for image, _ in data} == {(3, 2, 3)}


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_a_folder(folder, workers):
    transform = T.Compose([T.RandomResizedCrop(4), T.RandomHorizontalFlip(), T.ToTensor()])
    data = ImageFolder(folder, transform, target_transform=float)
    images, targets = next(iter(DataLoader(data, batch_size=3, num_workers=workers)))
    assert images.shape == (3, 3, 4, 4) and targets.tolist() == [0.0, 0.0, 1.0]
    assert (images[1, :, 0, 0] * 255).tolist() == pytest.approx([1, 2, 3])


def test_other_files_and_loaders(folder):
    texts = DatasetFolder(folder, lambda path: Path(path).read_text(), (".txt",), allow_empty=True)
    assert texts[0] == ("no image", 0) and texts.extensions == (".txt",)
    only_a = ImageFolder(folder, is_valid_file=lambda p: p.endswith(("a.png", "c.bmp")))
    assert len(only_a) == 2 and ImageFolder(folder, loader=len)[1][0] == len(only_a.samples[0][0])
    assert pickle.loads(pickle.dumps(ImageFolder(folder))).samples == ImageFolder(folder).samples


def test_a_class_without_images(folder):
    (folder / "ant").mkdir()
    (folder / "bee").mkdir()
    message = r"no file with an ending of .jpg, .* in these folders of .*: ant, bee \(allow_empty"
    with pytest.raises(FileNotFoundError, match=message):
        ImageFolder(folder)
    data = ImageFolder(folder, allow_empty=True)
    assert data.classes == ["ant", "bee", "cat", "dog"] and data.targets == [2, 2, 3]


def test_folders_that_hold_no_classes(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no folders: one for each class"):
        ImageFolder(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ImageFolder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="either extensions or is_valid_file"):
        (tmp_path / "a").mkdir()
        DatasetFolder(tmp_path, len)


PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:40],
        lambda whole: whole[:-30],
        lambda whole: b"",
        lambda whole: b"<html>not found</html>",
        lambda whole: PNG + b"\0" * 60,
        lambda whole: whole[:30] + bytes(b ^ 0x55 for b in whole[30:]),
        # 65,000 x 65,000 pixels, which Pillow takes for an attack
        lambda whole: whole[:16] + b"\0\0\xfd\xe8" * 2 + whole[24:],
    ],
)
def test_a_broken_image_is_named(folder, damage):
    path = folder / "cat" / "a.png"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(OSError, match=r"\[ImageFolder\] .*a\.png is no whole image: "):
        ImageFolder(folder)[0]
    assert ImageFolder(folder)[1][1] == 0


def test_links_that_lead_in_circles_and_nowhere(folder):
    (folder / "dog" / "up").symlink_to(folder / "dog", target_is_directory=True)
    (folder / "dog" / "gone.png").symlink_to(folder / "nothing.png")
    data = ImageFolder(folder)
    assert len(data) == 4 and data.targets == [0, 0, 1, 1]
    with pytest.raises(FileNotFoundError, match=r"gone\.png"):
        default_loader(data.samples[3 if "gone" in data.samples[3][0] else 2][0])


def test_fake_data_is_the_same_every_time():
    norch.manual_seed(0)
    data = FakeData(5, (3, 4, 6), num_classes=3, transform=T.ToTensor())
    assert norch.equal(data[2][0], data[2][0]) and data[2][1] == data[2][1]
    moved = FakeData(5, (3, 4, 6), num_classes=3, transform=T.ToTensor(), random_offset=1)
    assert norch.equal(moved[1][0], data[2][0])
    assert not norch.equal(data[1][0], data[2][0]) and data[0][0].shape == (3, 4, 6)
    assert {label for _, label in FakeData(40, (1, 2, 2), 3)} == {0, 1, 2}
    drawn = norch.rand(1).item()
    norch.manual_seed(0)
    assert norch.rand(1).item() == drawn  # the default generator was left alone
    with pytest.raises(IndexError, match="index 5 is out of range for 5"):
        data[5]


# ---- grids and files -----------------------------------------------------------------------------


def test_a_grid_has_margins_and_rows():
    images = norch.stack([norch.full((3, 2, 2), float(i + 1)) for i in range(3)])
    grid = make_grid(images, nrow=2, padding=1, pad_value=9.0)
    assert grid.shape == (3, 7, 7)
    assert grid[0].tolist() == [
        [9, 9, 9, 9, 9, 9, 9],
        [9, 1, 1, 9, 2, 2, 9],
        [9, 1, 1, 9, 2, 2, 9],
        [9, 9, 9, 9, 9, 9, 9],
        [9, 3, 3, 9, 9, 9, 9],
        [9, 3, 3, 9, 9, 9, 9],
        [9, 9, 9, 9, 9, 9, 9],
    ]
    assert norch.equal(make_grid(list(images), nrow=2, padding=1, pad_value=9.0), grid)


def test_a_grid_of_one_grey_flat_or_tracked_image():
    assert make_grid(norch.zeros(4, 5)).shape == (3, 4, 5)
    assert make_grid(norch.zeros(1, 4, 5)).shape == (3, 4, 5)
    assert make_grid(norch.zeros(2, 1, 4, 5), padding=0).shape == (3, 4, 10)
    assert not make_grid(norch.zeros(2, 1, 4, 5, requires_grad=True)).requires_grad


def test_a_grid_stretches_values():
    images = norch.tensor([[-1.0, 1.0], [0.0, 4.0]]).reshape(2, 1, 1, 2)
    row = lambda **options: make_grid(images, padding=0, normalize=True, **options)[0, 0].tolist()  # noqa: E731
    assert row() == pytest.approx([0, 0.4, 0.2, 1])
    assert row(scale_each=True) == pytest.approx([0, 1, 0, 1])
    assert row(value_range=(0, 2)) == pytest.approx([0, 0.5, 0, 1])
    assert images[0, 0, 0, 0].item() == -1


def test_save_image_writes_what_can_be_read(tmp_path):
    image = norch.tensor([[0.0, 0.5, 1.0, 2.0, -1.0]]).expand(3, 2, 5)
    save_image(image, tmp_path / "a.png")
    made = default_loader(tmp_path / "a.png")
    assert [made.getpixel((x, 0))[0] for x in range(5)] == [0, 128, 255, 255, 0]
    with open(tmp_path / "b", "wb") as file:
        save_image([image, image], file, "bmp", nrow=1, padding=1)
    assert default_loader(tmp_path / "b").size == (7, 7)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: make_grid("x"), TypeError, "a tensor or a list of tensors is expected, not str"),
        (lambda: make_grid([]), TypeError, "not list"),
        (lambda: make_grid(norch.zeros(1, 1, 1, 1, 1)), ValueError, r"\(N, C, H, W\) are expected"),
        (
            lambda: make_grid(norch.zeros(2, 1, 1, 1), normalize=True, value_range=3),
            TypeError,
            "(l",
        ),
        (lambda: save_image(norch.zeros(3, 2, 2), "a.unknown"), ValueError, "unknown"),
    ],
)
def test_bad_grids(action, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message.replace("(l", r"\(l")):
        action()
