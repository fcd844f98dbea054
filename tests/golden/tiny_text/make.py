"""Makes the small text encoder of this folder: one block of 16 numbers and a vocabulary of a few dozen words.

Its weights are random, and those of the block small: an embedding is about the mean of its words. For tests that need an
encoder and not a good one.  python3 make.py
"""

import json
import struct

import numpy

WIDTH, HEADS, HIDDEN, POSITIONS = 16, 2, 32, 24
WORDS = """card refund payment cash money lost stolen limit open close account address my your the a is was not where when how
please help late order parcel broken screen battery sound""".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
PIECES = (["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list(LETTERS) + ["##" + letter for letter in LETTERS] + list(".,?!'")
          + [word for word in WORDS if len(word) > 1] + ["##s", "\u5361"])
PIECES = list(dict.fromkeys(PIECES))


def tensors():
    random = numpy.random.default_rng(28)

    def normal(scale, *shape):
        return (random.standard_normal(shape) * scale).astype(numpy.float32)

    def norm(name):
        yield name + ".weight", 1 + normal(0.05, WIDTH)
        yield name + ".bias", normal(0.05, WIDTH)

    def linear(name, outputs, inputs):
        yield name + ".weight", normal(0.05, outputs, inputs)
        yield name + ".bias", normal(0.05, outputs)

    yield "embeddings.word_embeddings.weight", normal(1, len(PIECES), WIDTH)
    yield "embeddings.position_embeddings.weight", normal(0.02, POSITIONS, WIDTH)
    yield "embeddings.token_type_embeddings.weight", normal(0.02, 2, WIDTH)
    yield from norm("embeddings.LayerNorm")
    block = "encoder.layer.0."
    for part in ("query", "key", "value"):
        yield from linear(block + "attention.self." + part, WIDTH, WIDTH)
    yield from linear(block + "attention.output.dense", WIDTH, WIDTH)
    yield from norm(block + "attention.output.LayerNorm")
    yield from linear(block + "intermediate.dense", HIDDEN, WIDTH)
    yield from linear(block + "output.dense", WIDTH, HIDDEN)
    yield from norm(block + "output.LayerNorm")


header, body = {}, b""
for name, values in sorted(tensors()):
    header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(body), len(body) + values.nbytes]}
    body += values.tobytes()
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open("model.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + body)
with open("vocab.txt", "w", encoding="utf-8") as file:
    file.write("".join(piece + "\n" for piece in PIECES))
with open("config.json", "w") as file:
    json.dump({"model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH, "num_hidden_layers": 1,
               "num_attention_heads": HEADS, "intermediate_size": HIDDEN, "max_position_embeddings": POSITIONS,
               "type_vocab_size": 2, "vocab_size": len(PIECES), "layer_norm_eps": 1e-12}, file, indent=2)
    file.write("\n")
