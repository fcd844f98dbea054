#!/usr/bin/env bash
# SMILE, PHE, TALON and LTC as published, beside PACO: the last block and a head are trained from images with each method's
# own losses, then the stream is decided with that backbone and that head. A leaderboard has all of them.
#   recipes/peers.sh DATA RULE WEIGHTS OUT [options of paco split ...]
#   e.g. recipes/peers.sh cub:data/CUB_200_2011 cub dino_vitbase16_pretrain.pth out
# BACKBONE (vit_b16), NORMALISE, DEVICE (cuda), METHODS and TRAIN (options of paco train for all) choose otherwise. PACO is the
# program; without it one is built on a GPU machine with bench/gpu/build.sh.
set -euo pipefail
data=$1 rule=$2 weights=$3 out=$4
shift 4
if [ -z "${PACO:-}" ]; then
  here=$(cd "$(dirname "$0")/.." && pwd)
  PACO=$here/build/gpu/paco
  if [ ! -x "$PACO" ]; then TARGETS=paco "$here/bench/gpu/build.sh"; fi
  export LD_LIBRARY_PATH=$here/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))' 2> /dev/null || true)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
paco=$PACO device=${DEVICE:-cuda}
loader=(--loader literature)
network=(--backbone "${BACKBONE:-vit_b16}" --weights "$weights" ${NORMALISE:+--normalise "$NORMALISE"})
mkdir -p "$out/records"
"$paco" split --data "$data" --rule "$rule" --out "$out/split" "$@"
for method in ${METHODS:-paco smile phe talon ltc}; do
  to=$out/$method
  # shellcheck disable=SC2086
  "$paco" train --data "$data" "${loader[@]}" --split "$out/split" "${network[@]}" --objective "$method" \
    --train-blocks last --device "$device" --out "$to" ${TRAIN:-}
  for part in support stream; do
    "$paco" embed --encoder "$to" --data "$data" "${loader[@]}" --index "$out/split/${part}_index.npy" --device "$device" \
      --precision float32 --out "$to/$part.npy"
  done
  head=(--head "$to/head.safetensors")
  if [ "$method" = paco ]; then head=(); fi
  "$paco" calibrate --method "$method" "${head[@]}" --support "$to/support.npy" --labels "$out/split/support_labels.npy" \
    --out "$to/model.paco"
  "$paco" discover --model "$to/model.paco" --input "$to/stream.npy" --out "$to/decisions.csv"
  "$paco" evaluate --decisions "$to/decisions.csv" --truth "$out/split/stream_labels.npy" --model "$to/model.paco" \
    --label "$method" --data-name "$rule" --record "$out/records/$method.json"
done
"$paco" leaderboard "$out/records" --out "$out"
