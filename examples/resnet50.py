"""ResNet-50, which reads PyTorch's weights: `python examples/resnet50.py --weights FILE photo.png`.

The network is norchvision's, extras/norchvision/src/norchvision/models/resnet.py: a short text.
A file of torchvision's `resnet50` loads as it is, .pth or safetensors. Without an image the script
counts the parameters and times one pass.
"""

import argparse
import sys
import time
from pathlib import Path

import norch
from norchvision import models, transforms

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's photos


def read_image(path, size=224):
    """Read an image file as (1, 3, size, size): scaled, cut to its middle, normalized."""
    from PIL import Image

    prepare = transforms.Compose(
        [
            transforms.Resize(size * 8 // 7),  # as torchvision: 256 for a cut of 224
            transforms.CenterCrop(size),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, STD),
        ]
    )
    with Image.open(path) as image:
        return prepare(image.convert("RGB")).unsqueeze(0)


def main():
    """Load weights, name the image, or time a pass."""
    parser = argparse.ArgumentParser(description="Name what an image shows, with ResNet-50.")
    parser.add_argument("image", nargs="?", type=Path, help="a .png or .jpg file")
    parser.add_argument("--weights", type=Path, help="a .pth or safetensors file of torchvision's")
    args = parser.parse_args()
    try:
        model = models.resnet50(weights=args.weights).eval()
        image = norch.randn(1, 3, 224, 224) if args.image is None else read_image(args.image)
    except (RuntimeError, OSError) as error:
        sys.exit(f"resnet50.py: {error}")
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    start = time.perf_counter()
    with norch.no_grad():
        chances, classes = model(image).softmax(1).topk(5)
    print(f"one pass took {time.perf_counter() - start:.2f} s")
    if args.image:
        for number, chance in zip(classes[0].tolist(), chances[0].tolist(), strict=True):
            print(f"class {number}: {chance:.2%}")


if __name__ == "__main__":
    main()
