#!/usr/bin/env bash
# The whole job on CUB-200-2011 with a ViT-Tiny: split, fine-tune, embed, calibrate, discover, evaluate.
#   bench/gpu/cub.sh IMAGES.tar WEIGHTS.safetensors SSB-LIST.json OUT [options of paco train ...]
set -euo pipefail
cd "$(dirname "$0")/../.."
images=$1 weights=$2 list=$3 out=$4
shift 4
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))' 2> /dev/null || true)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
paco=${PACO:-build/gpu/paco}
device=${DEVICE:-cuda}
data=tar:$images
mkdir -p "$out"
"$paco" split --data "$data" --rule cub --list "$list" --out "$out/split"
time "$paco" train --data "$data" --split "$out/split" --backbone vit_ti16 --dimension 768 --weights "$weights" --normalise half \
  --device "$device" --out "$out/run" "$@"
for part in support stream; do
  "$paco" embed --model "$out/run" --data "$data" --index "$out/split/${part}_index.npy" --device "$device" \
    --precision "${EMBED_PRECISION:-float32}" --out "$out/$part.npy" --classifier-out "$out/classifier.npy"
done
"$paco" calibrate --support "$out/support.npy" --labels "$out/split/support_labels.npy" --classifier "$out/classifier.npy" \
  --out "$out/model.paco" --json > "$out/calibrate.json"
"$paco" discover --model "$out/model.paco" --input "$out/stream.npy" --method closed --out "$out/closed.npy" --json > "$out/closed.json"
"$paco" discover --model "$out/model.paco" --input "$out/stream.npy" --out "$out/decisions.csv" --json > "$out/discover.json"
"$paco" evaluate --decisions "$out/decisions.csv" --truth "$out/split/stream_labels.npy" --known 100 --closed "$out/closed.npy"
"$paco" evaluate --decisions "$out/decisions.csv" --truth "$out/split/stream_labels.npy" --known 100 --closed "$out/closed.npy" \
  --json > "$out/evaluation.json"
