#!/usr/bin/env bash
# Every table and figure of the paper over the sets that are there, from images and DINO's weights.
#   recipes/paper.sh DATA OUT [SEEDS]
# DATA holds the data sets as they are published and dino_vitbase16_pretrain.pth (recipes/README.md). Interrupted, the same
# command goes on where it was.
set -euo pipefail
data=$(realpath "$1") out=$2 seeds=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
paco=${PACO:-paco} list=${LIST:-$here/paper.json}
mkdir -p "$out"
cp "$list" "$data/paper.json"
there=()
for entry in cub:CUB_200_2011 cars:stanford_cars pets:oxford-iiit-pet food101:food-101 cifar10:cifar-10-batches-bin \
    cifar100:cifar-100-binary imagenet100:imagenet/train; do
  if "$paco" data check "${entry%%:*}" "$data/${entry#*:}" > "$out/check-${entry%%:*}.txt" 2>&1; then
    there+=(--data "${entry%%:*}")
  else
    echo "${entry%%:*} is left out: $out/check-${entry%%:*}.txt says why"
  fi
done
[ ${#there[@]} -gt 0 ] || { echo "no data set is whole in $data"; exit 1; }
for study in table1 table2 table3 table4 table5 table6 table7 figure-sensitivity figure-support-ratio figure-birth \
    figure-regions figure-latency; do
  "$paco" study "$study" "${there[@]}" --sets "$data/paper.json" --seeds "$seeds" --device "${DEVICE:-cuda}" --out "$out"
done
"$paco" leaderboard "$out/records" --out "$out"
