#!/usr/bin/env bash
# Vision transformers in paco, in eager PyTorch and through torch.compile, in turn, twice, on the same machine in the same run:
# one JSON object a line, and at the end all of them in bench/results/gpu.json. SECONDS_EACH is how long each rate is measured;
# with 2.5 all of it takes six minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LD_LIBRARY_PATH=$PWD/${CARRY:-carry}/usr/lib/x86_64-linux-gnu:$(python3 -c 'import torch, os; print(os.path.join(torch.__path__[0], "lib"))')${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
seconds=${SECONDS_EACH:-4}
both() {  # BACKBONE BATCH [options of the Python side]
  build/gpu/vit_throughput --seconds "$seconds" --backbone "$1" --batch "$2"
  python3 bench/gpu/vit_throughput.py --seconds "$seconds" --backbone "$1" --batch "$2" "${@:3}"
}
{
  python3 -c 'import json, sys, torch; print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "commit": sys.argv[1]}))' \
    "${COMMIT:-$(git describe --always --dirty --exclude '*' 2> /dev/null || true)}"
  for turn in 1 2; do
    echo "turn $turn"
    both vit_b16 256 --compile
    both vit_ti16 256
    both vit_ti16 64
  done
} | tee build/gpu/throughput.log
python3 bench/gpu/record.py < build/gpu/throughput.log > build/gpu/throughput.json
mkdir -p bench/results
mv build/gpu/throughput.json bench/results/gpu.json
