#!/usr/bin/env bash
# CUB-200-2011 from images for studies: fine-tunes a ViT-Tiny once for every seed and for every variant that the paper's
# ablation and sensitivity ask for, and leaves the embeddings where `paco study` finds them again, here or elsewhere.
#   bench/gpu/study.sh IMAGES.tar WEIGHTS.safetensors SSB-LIST.json OUT [SEEDS]
# Afterwards, on any machine (neither images nor weights nor a GPU are needed there):
#   paco study comparison --data cub-images --sets OUT/sets.json --seeds SEEDS --out OUT
set -euo pipefail
cd "$(dirname "$0")/../.."
images=$(realpath "$1") weights=$(realpath "$2") list=$(realpath "$3") out=$4 seeds=${5:-5}
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))' 2> /dev/null || true)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
paco=${PACO:-build/gpu/paco}
mkdir -p "$out"
cat > "$out/sets.json" << JSON
[{"name": "cub-images", "images": "tar:$images", "rule": "cub", "list": "$list", "backbone": "vit_ti16",
  "dimension": 768, "weights": "$weights", "normalise": "half", "precision": "${PRECISION:-mixed}"}]
JSON
study() { "$paco" study "$@" --data cub-images --sets "$out/sets.json" --device "${DEVICE:-cuda}" --out "$out"; }
study comparison --seeds "$seeds" --methods paco,closed
study ablation
study sensitivity
# The networks and their checkpoints are large, and embeddings are all that studies need.
rm -rf "$out"/sets/*/run
