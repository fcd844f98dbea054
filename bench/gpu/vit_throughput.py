#!/usr/bin/env python3
"""PyTorch's side of vit_throughput: the same vision transformer, eager and through torch.compile, bf16, same shapes, same recipe.

Class tokens with the weights in bf16 (as paco embeds) and under autocast; training steps under autocast with fused
AdamW, and with the network in bf16 beside float32 masters (as paco's two precisions). Written in the plain style of
common ViT code: attention through scaled_dot_product_attention, every token computed in every block. The loss is
cross entropy on the head's output: a few microseconds beside the backbone.
"""
import argparse
import functools
import json
import time

import torch
import torch.nn.functional as F
from torch import nn

SHAPES = {"vit_ti16": (192, 3), "vit_s16": (384, 6), "vit_b16": (768, 12)}
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, w))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Vit(nn.Module):
    def __init__(self, width, heads, head=0, depth=12, patch=16, side=224):
        super().__init__()
        self.patch = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 1 + (side // patch) ** 2, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, head) if head else nn.Identity()

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


@functools.cache
def channels():
    """Mean and deviation on the GPU, put there once."""
    return torch.tensor(MEAN, device="cuda").view(3, 1, 1), torch.tensor(DEVIATION, device="cuda").view(3, 1, 1)


def normalise(pixels, dtype):
    mean, deviation = channels()
    return ((pixels.permute(0, 3, 1, 2).to(torch.float32) / 255 - mean) / deviation).to(dtype)


def rate(images, seconds, body):
    for _ in range(3):
        body()
    torch.cuda.synchronize()
    best = 0.0
    for _ in range(5):
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < seconds / 5:
            for _ in range(4):
                body()
            torch.cuda.synchronize()
            done += 4 * images
        best = max(best, done / (time.perf_counter() - start))
    return best


def report(args, what, value, compiled=False):
    contender = "torch.compile" if compiled else "pytorch"
    print(json.dumps({"contender": contender, "backbone": args.backbone, "batch": args.batch, "what": what,
                      "images_per_second": round(value, 1)}), flush=True)


def training(shape, args, whole_bf16, compiled=False):
    net = Vit(*shape, head=768).cuda().train()
    classifier = torch.nn.Parameter(0.01 * torch.randn(100, 768, device="cuda"))
    if whole_bf16:
        net.bfloat16()
    working = list(net.parameters())
    masters = [p.detach().float().clone() for p in working] if whole_bf16 else working
    optimizer = torch.optim.AdamW(masters + [classifier], lr=1e-4, weight_decay=1e-4, fused=True)
    pixels = torch.randint(0, 256, (args.batch, 224, 224, 3), dtype=torch.uint8, device="cuda")
    labels = torch.arange(args.batch, device="cuda") % 100

    run = torch.compile(net) if compiled else net

    def body():
        with torch.autocast("cuda", torch.bfloat16, enabled=not whole_bf16):
            features = run(normalise(pixels, torch.bfloat16 if whole_bf16 else torch.float32))
        logits = 30 * F.normalize(features.float()) @ F.normalize(classifier).t()
        F.cross_entropy(logits, labels).backward()
        if whole_bf16:
            for master, p in zip(masters, working):
                master.grad, p.grad = p.grad.float(), None
        torch.nn.utils.clip_grad_norm_(masters + [classifier], 5.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if whole_bf16:
            with torch.no_grad():
                torch._foreach_copy_(working, masters)

    report(args, "training step, " + ("bf16" if whole_bf16 else "mixed"), rate(args.batch, args.seconds, body), compiled)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backbone", default="vit_b16", choices=SHAPES)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--compile", action="store_true", help="torch.compile too, which takes a minute or two")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    shape = SHAPES[args.backbone]
    pixels = torch.randint(0, 256, (args.batch, 224, 224, 3), dtype=torch.uint8, device="cuda")
    net = Vit(*shape).cuda().eval()
    with torch.inference_mode():
        with torch.autocast("cuda", torch.bfloat16):
            report(args, "class tokens, autocast",
                   rate(args.batch, args.seconds, lambda: net(normalise(pixels, torch.float32))))
        net.bfloat16()
        plain = lambda: net(normalise(pixels, torch.bfloat16))
        report(args, "class tokens", rate(args.batch, args.seconds, plain))
        if args.compile:
            report(args, "class tokens", rate(args.batch, args.seconds, torch.compile(plain)), compiled=True)
    del net
    for compiled in (False, True) if args.compile else (False,):
        for whole_bf16 in (False, True):
            training(shape, args, whole_bf16, compiled)


if __name__ == "__main__":
    main()
