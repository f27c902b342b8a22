"""Where a convolutional network looked: `python examples/class_activation_map.py`.

Where a net ends with a mean over the image and a linear layer, the score of a class is itself a
mean over places: each place's features times the weights of the class (Zhou et al., 2016). Drawn
are these shares for test images of CIFAR-10, with the weights that cifar10.py has saved; or for
one image, with ResNet-50 and PyTorch's weights:

    python examples/class_activation_map.py --weights resnet50.pth --image photo.png
"""

import argparse
import sys
from pathlib import Path

import cifar10
import mnist
import resnet50

import norch
from norch import nn
from norchvision import datasets, models

NAMES = ["plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


@norch.no_grad()
def activation_map(features, head, images):
    """Return the guessed classes (N) and each place's share of their scores (N, h, w).

    `features` maps images to (N, C, h, w); `head` is the linear layer behind the mean. The shares
    of an image and the bias add up to its score.
    """
    found = features(images)  # (N, C, h, w)
    classes = head(found.mean((2, 3))).argmax(1)
    weights = head.weight[classes]  # (N, C)
    return classes, (found * weights[:, :, None, None]).sum(1) / found[0, 0].numel()


def small_features(model):
    """Return what cifar10.py's ResNet does before the mean."""
    return lambda x: model.relu(model.norm(model.stages(model.stem(x))))


def draw(images, shares, titles, path):
    """Draw each image beside the places that spoke for its class, in red."""
    figure, axes = mnist.new_figure(2 * len(images), 4.4, rows=2, columns=len(images))
    shares = nn.functional.interpolate(shares.unsqueeze(1), images.shape[2:], mode="bilinear")
    columns = axes.T if len(images) > 1 else [axes]
    for (above, below), image, share, title in zip(columns, images, shares, titles, strict=True):
        for axis in (above, below):
            axis.imshow(image.permute(1, 2, 0).clamp(0, 1).tolist())
            axis.axis("off")
        below.imshow(share[0].clamp(min=0).tolist(), cmap="Reds", alpha=0.6)
        above.set_title(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    mnist.save_figure(figure, path)


def one_image(args):
    """Look at one image with ResNet-50."""
    model = models.resnet50(weights=args.weights).eval()
    image = resnet50.read_image(args.image)
    features = nn.Sequential(*list(model.children())[:-2])  # all but the mean and the last layer
    classes, shares = activation_map(features, model.fc, image)
    mean, std = (norch.tensor(v).reshape(3, 1, 1) for v in (resnet50.MEAN, resnet50.STD))
    draw(image * std + mean, shares, [f"class {classes.item()}"], args.out)


def test_images(args):
    """Look at the first test images of CIFAR-10 with the net that cifar10.py trained."""
    model = cifar10.ResNet().eval()
    model.load_state_dict(norch.load(args.weights))
    dataset = datasets.CIFAR10(args.data, train=False, download=True)
    images = cifar10.to_tensors(dataset).tensors[0][: args.count]
    classes, shares = activation_map(small_features(model), model.head, images)
    pairs = list(zip(classes.tolist(), dataset.targets[: args.count].tolist(), strict=True))
    titles = [NAMES[g] if g == t else f"{NAMES[g]}, is {NAMES[t]}" for g, t in pairs]
    draw(images * cifar10.STD + cifar10.MEAN, shares, titles, args.out)
    print(f"{sum(g == t for g, t in pairs)} of {len(pairs)} images named correctly")


def main():
    """Draw the map."""
    parser = argparse.ArgumentParser(description="Draw where a convolutional network looked.")
    saved = Path("runs/cifar10/resnet.safetensors")
    parser.add_argument("--weights", type=Path, default=saved, help=f"default: {saved}")
    parser.add_argument("--image", type=Path, help="a .png or .jpg file, for ResNet-50")
    parser.add_argument("--data", help="folder with CIFAR-10 (default: find or download)")
    parser.add_argument(
        "--count", type=mnist.above_zero(int), default=6, help="how many test images"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/cam.svg"))
    args = parser.parse_args()
    try:
        (one_image if args.image else test_images)(args)
    except (RuntimeError, OSError) as error:
        sys.exit(f"class_activation_map.py: {error}")
    print(f"drew {args.out}")


if __name__ == "__main__":
    main()
