#!/usr/bin/env bash
# How short may the demonstration's training be? Fashion-MNIST with the small network for several lengths, batches and rates,
# over seeds; prints mean and spread of Strict accuracy for each.
#   bench/gpu/recipe.sh IMAGES.gz LABELS.gz OUT "EPOCHS BATCH RATE BACKBONE-RATE" ...
# SEEDS (default 8), DEVICE (default cuda), JOBS (default 8) trainings at once.
set -euo pipefail
cd "$(dirname "$0")/../.."
images=$(realpath "$1") labels=$(realpath "$2") out=$3
shift 3
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))' 2> /dev/null || true)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
paco=${PACO:-build/gpu/paco} data=idx:$images,$labels
mkdir -p "$out"
"$paco" split --data "$data" --rule fashion-mnist --out "$out/split" > /dev/null
one() { # EPOCHS BATCH RATE BACKBONE-RATE SEED
  local at="$out/$1-$2-$3-$4-$5"
  "$paco" train --data "$data" --split "$out/split" --backbone small --epochs "$1" --batch "$2" --lr "$3" --lr-backbone "$4" --clip 5 \
    --margin 0 --seed "$5" --device "${DEVICE:-cuda}" --threads 1 --out "$at" > /dev/null 2>&1
  for part in support stream; do
    "$paco" embed --model "$at" --data "$data" --index "$out/split/${part}_index.npy" --device "${DEVICE:-cuda}" --threads 1 \
      --out "$at/$part.npy" --classifier-out "$at/classifier.npy" > /dev/null 2>&1
  done
  "$paco" calibrate --support "$at/support.npy" --labels "$out/split/support_labels.npy" --classifier "$at/classifier.npy" --seed "$5" \
    --out "$at/model.paco" > /dev/null 2>&1
  "$paco" discover --model "$at/model.paco" --input "$at/stream.npy" --out "$at/decisions.csv" > /dev/null 2>&1
  "$paco" evaluate --decisions "$at/decisions.csv" --truth "$out/split/stream_labels.npy" --known 5 --json > "$at.json"
  rm -rf "$at"
}
export -f one
export out data paco
for recipe in "$@"; do
  for ((seed = 0; seed < ${SEEDS:-8}; ++seed)); do echo "$recipe $seed"; done
done | xargs -P "${JOBS:-8}" -L 1 bash -c 'one "$@" || echo "failed: $*"' _
python3 - "$out" "$@" << 'PY'
import glob, json, statistics, sys
out, recipes = sys.argv[1], sys.argv[2:]
print(f"{'epochs':>6} {'batch':>6} {'rate':>8} {'backbone':>8} {'seeds':>6}  {'all':>12} {'old':>12} {'new':>12}")
for recipe in recipes:
    epochs, batch, rate, backbone = recipe.split()
    runs = [json.load(open(p)) for p in glob.glob(f"{out}/{epochs}-{batch}-{rate}-{backbone}-*.json")]
    cells = []
    for part in ("all", "old", "new"):
        values = [100 * run["strict"][part] for run in runs]
        cells.append(f"{statistics.mean(values):6.1f} ±{statistics.pstdev(values):4.1f}" if values else "-")
    print(f"{epochs:>6} {batch:>6} {rate:>8} {backbone:>8} {len(runs):>6}  {cells[0]:>12} {cells[1]:>12} {cells[2]:>12}")
PY
