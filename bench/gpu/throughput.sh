#!/usr/bin/env bash
# ViT-B/16 in paco and in PyTorch, in turn, twice, on the same machine in the same run. One JSON object a line.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))')${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader || true
for turn in 1 2; do
  build/gpu/vit_throughput --seconds "${SECONDS_EACH:-4}" --batch "${BATCH:-256}" --backbone "${BACKBONE:-vit_b16}"
  python3 bench/gpu/vit_throughput.py --seconds "${SECONDS_EACH:-4}" --batch "${BATCH:-256}" --backbone "${BACKBONE:-vit_b16}"
done
