#!/usr/bin/env bash
# Does the whole chain work at the paper's size? Two epochs of a ViT-B/16 with random weights on a miniature of each of the
# seven sets in its published form, then embeddings, tables and a leaderboard. The figures mean nothing.
#   recipes/miniature.sh OUT          PACO=build/gpu/paco DEVICE=cuda SETS="cub cars ..." choose otherwise
set -euo pipefail
out=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
if [ -z "${PACO:-}" ] && [ ! -x build/gpu/paco ]; then TARGETS=paco bench/gpu/build.sh; fi
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))' 2> /dev/null || true)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
paco=${PACO:-build/gpu/paco}
mkdir -p "$out/data"
python3 recipes/miniature.py "$out/data"
data=()
for set in ${SETS:-cub cars pets food101 cifar10 cifar100 imagenet100}; do data+=(--data "$set"); done
"$paco" data check cars "$out/data/stanford_cars" || true  # says that it is a miniature
study() { "$paco" study "$@" "${data[@]}" --sets "$out/data/paper.json" --device "${DEVICE:-cuda}" --out "$out/studies"; }
study table1 --methods closed,slc,paco
study table5
study table2 --methods paco
study figure-birth
study figure-regions
study figure-latency
"$paco" leaderboard "$out/studies/records" --out "$out/studies"
rm -rf "$out"/studies/sets/*/run   # networks are large
echo "the chain works: $out/studies"
