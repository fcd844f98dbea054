"""Miniatures of the seven sets in their published forms, a list of them for `paco study`, and random weights of a ViT-B/16 in
DINO's format. Needs Python, and torch or numpy for the weights.

    recipes/miniature.py FOLDER
"""

import json
import os
import pathlib
import random
import struct
import sys
import zlib

SIDE = 48


def png(label, sample, side=SIDE):
    """A picture of few colours that its class has in common, with noise of its own."""
    colours = random.Random(label)
    own = random.Random(1000003 * label + sample)
    base = [[colours.randrange(256) for _ in range(3)] for _ in range(4)]
    rows = b""
    for y in range(side):
        rows += b"\0"
        for x in range(side):
            colour = base[(2 * y // side) * 2 + 2 * x // side]
            rows += bytes(max(0, min(255, c + own.randrange(-40, 41))) for c in colour)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def cub(root, classes=20, each=8):
    images, split, labels = [], [], []
    for c in range(classes):
        for i in range(each):
            number = c * each + i + 1
            name = f"{c + 1:03}.Bird_{c}/Bird_{c}_{i}.jpg"  # decoders look at the content, which is PNG
            images.append(f"{number} {name}")
            split.append(f"{number} {int(i > 0)}")
            labels.append(f"{number} {c + 1}")
            put(root / "images" / name, png(c, i))
    put(root / "images.txt", "\n".join(images) + "\n")
    put(root / "train_test_split.txt", "\n".join(split) + "\n")
    put(root / "image_class_labels.txt", "\n".join(labels) + "\n")
    put(root / "classes.txt", "".join(f"{c + 1} {c + 1:03}.Bird_{c}\n" for c in range(classes)))


def mat_element(kind, data):
    return struct.pack("<2I", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def mat_array(code, columns, name, rest):
    return mat_element(14, mat_element(6, struct.pack("<2I", code, 0)) + mat_element(5, struct.pack("<2i", 1, columns))
                       + mat_element(1, name.encode()) + rest)


def cars(root, classes=20, each=8):
    fields = b"".join(name.ljust(8, b"\0") for name in (b"class", b"fname"))
    inside = struct.pack("<2HI", 5, 4, 8) + mat_element(1, fields)
    order = [(c, i) for c in range(classes) for i in range(each)]
    random.Random(7).shuffle(order)
    for number, (c, i) in enumerate(order, 1):
        name = f"{number:05}.jpg"
        inside += mat_array(9, 1, "", mat_element(2, bytes([c + 1])))
        inside += mat_array(4, len(name), "", mat_element(4, name.encode("utf-16-le")))
        put(root / "cars_train" / name, png(100 + c, i))
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM"
    packed = zlib.compress(mat_array(2, len(order), "annotations", inside))
    put(root / "devkit/cars_train_annos.mat", head + struct.pack("<2I", 15, len(packed)) + packed)


def pets(root, classes=37, each=6):
    rows = []
    for sweep in range(2):
        for c in range(classes):
            for i in range(each // 2):
                name = f"breed_{c:02}_{sweep * each + i}"
                rows.append(f"{name} {c + 1} 1 1")
                put(root / "images" / f"{name}.jpg", png(200 + c, sweep * each + i))
    put(root / "annotations/trainval.txt", "\n".join(rows) + "\n")


def food(root, classes=70, each=16):
    train = {}
    for c in range(classes):
        train[f"dish_{c:03}"] = [f"dish_{c:03}/{i}" for i in range(each)]
        for i in range(each):
            put(root / "images" / f"dish_{c:03}" / f"{i}.jpg", png(300 + c, i))
    put(root / "meta/train.json", json.dumps(train))


def planes(label, sample):
    colours, own = random.Random(label), random.Random(1000003 * label + sample)
    base = [colours.randrange(256) for _ in range(3)]
    return b"".join(bytes(max(0, min(255, c + own.randrange(-60, 61))) for _ in range(1024)) for c in base)


def cifar10(root, each=8):
    for batch in range(1, 6):
        put(root / f"data_batch_{batch}.bin", b"".join(bytes([c]) + planes(400 + c, 100 * batch + i)
                                                       for i in range(each) for c in range(10)))


def cifar100(root, each=16):
    put(root / "train.bin", b"".join(bytes([c // 5, c]) + planes(500 + c, i) for i in range(each) for c in range(100)))


def imagenet100(root, each=16):
    for c in range(100):
        for i in range(each):
            put(root / f"n{c:08}" / f"n{c:08}_{i}.JPEG", png(600 + c, i))


def weights(path):
    """As torch.save writes DINO's published state dict, with random numbers."""
    import torch
    generator = torch.Generator().manual_seed(0)
    d, state = 768, {}

    def add(name, *shape, value=None):
        state[name] = torch.full(shape, value) if value is not None else 0.02 * torch.randn(*shape, generator=generator)

    add("cls_token", 1, 1, d)
    add("pos_embed", 1, 197, d)
    add("patch_embed.proj.weight", d, 3, 16, 16)
    add("patch_embed.proj.bias", d, value=0.0)
    for b in range(12):
        for norm in ("norm1", "norm2"):
            add(f"blocks.{b}.{norm}.weight", d, value=1.0)
            add(f"blocks.{b}.{norm}.bias", d, value=0.0)
        for name, rows, columns in (("attn.qkv", 3 * d, d), ("attn.proj", d, d), ("mlp.fc1", 4 * d, d), ("mlp.fc2", d, 4 * d)):
            add(f"blocks.{b}.{name}.weight", rows, columns)
            add(f"blocks.{b}.{name}.bias", rows, value=0.0)
    add("norm.weight", d, value=1.0)
    add("norm.bias", d, value=0.0)
    torch.save(state, path)


def main():
    folder = pathlib.Path(sys.argv[1])
    here = pathlib.Path(__file__).resolve().parent
    sets = json.loads((here / "paper.json").read_text())
    makers = {"cub": cub, "cars": cars, "pets": pets, "food101": food, "cifar10": cifar10, "cifar100": cifar100,
              "imagenet100": imagenet100}
    for one in sets:
        makers[one["name"]](folder / one["images"].split(":", 1)[1])
        one.update({"epochs": 2, "batch": 32, "unchecked": True})
    (folder / "paper.json").write_text(json.dumps(sets, indent=1) + "\n")
    if not os.path.exists(folder / sets[0]["weights"]):
        weights(folder / sets[0]["weights"])


main()
