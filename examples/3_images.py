"""Images with embeddings from anywhere: handwritten digits, 0 to 5 known, 6 to 9 to be discovered, and how well it went.

The digits come with scikit-learn. Their embedding here is the plainest there is, the principal axes of the pixels; put
the output of any network in its place.

    PYTHONPATH=build/release/python python3 examples/3_images.py
"""

import sys

import numpy as np

import pacodiscovery as paco

try:
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
except ImportError:
    sys.exit("this example needs scikit-learn (python3-sklearn)")

digits = load_digits()
order = np.random.default_rng(0).permutation(len(digits.target))
pixels, truth = digits.data[order], digits.target[order]

# A support set of 50 images of each known digit; everything else is the stream.
support = np.concatenate([np.flatnonzero(truth == digit)[:50] for digit in range(6)])
rest = np.setdiff1d(np.arange(len(truth)), support)
embed = PCA(24, random_state=0).fit(pixels[support]).transform

# With few known classes the method mirror is the better one.
finder = paco.Discoverer("mirror").fit(embed(pixels[support]), truth[support])
decisions = finder.decide_many(embed(pixels[rest]))
print(decisions)
result = paco.evaluate(truth[rest], decisions)
print(repr(result))
print("Strict, new digits: {:.3f}, between {:.3f} and {:.3f}".format(result["strict"]["new"], *result.interval("strict", "new")))

results = paco.compare(embed(pixels[support]), truth[support], embed(pixels[rest]), truth[rest],
                       methods=["paco", "mirror", "closed"])
for method, result in results.items():
    print(f"{method:8} Strict all {100 * result['strict']['all']:.1f}, new {100 * result['strict']['new']:.1f}")
