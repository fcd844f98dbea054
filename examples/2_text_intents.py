"""Text in, intents out: what people ask a help desk, six intents known, and one that nobody has thought of.

Embeddings come from anywhere. Here every three letters have a random direction and a text is their mean, so that the
example needs NumPy alone; a sentence encoder takes the place of embed() as it is.

    PYTHONPATH=build/release/python python3 examples/2_text_intents.py
"""

import itertools
import zlib

import numpy as np

import pacodiscovery as paco

WHEN = ["today", "on sunday", "this week", "at easter", "tomorrow", "in the evening"]
KNOWN = {
    "opening hours": ["when do you open", "what are your opening hours", "at what time do you close", "are you open"],
    "refund": ["I want my money back", "please refund my order", "how do I get a refund", "refund the payment"],
    "delivery": ["where is my parcel", "the delivery is late", "track my delivery", "when will the parcel arrive"],
    "invoice": ["send me an invoice", "the invoice is wrong", "I need a copy of the invoice", "whom is the invoice for"],
    "appointment": ["book an appointment", "move my appointment", "cancel my appointment", "is there a free appointment"],
    "job": ["are you hiring", "I want to apply for a job", "is the job still free", "send my application for the job"],
}
NEW = ["I forgot my password", "reset my password", "the password is not accepted", "I cannot change my password"]


def embed(text):
    """The mean of one random direction for every three letters in a row."""
    text = f" {text.lower()} "
    triples = [text[i:i + 3] for i in range(len(text) - 2)]
    return np.mean([np.random.default_rng(zlib.crc32(triple.encode())).normal(size=128) for triple in triples], axis=0)


support = [(f"{what} {when}", intent) for intent, texts in KNOWN.items() for what, when in itertools.product(texts, WHEN)]
finder = paco.Discoverer("mirror").fit([embed(text) for text, _ in support], [intent for _, intent in support])

stream = ["when do you open on friday", *(f"{text} again" for text in NEW), "please refund the order from friday",
          *(f"{text}, please help" for text in NEW), "when will my parcel arrive on friday"]
for text in stream:
    decision = finder.decide(embed(text))
    print(f"{decision.verdict:9} {decision.name:14} {text}")

print()
print(decision.explain())
