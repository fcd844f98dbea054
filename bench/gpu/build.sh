#!/usr/bin/env bash
# Builds paco and vit_throughput on a GPU machine against the libtorch inside Python's torch package, into build/gpu.
# What Debian packages would give comes from a carried folder (tools/carry_dependencies; CARRY, default: carry).
set -euo pipefail
cd "$(dirname "$0")/../.."
carry=$PWD/${CARRY:-carry}
torch=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
export PATH=$PATH:/usr/local/cuda/bin
export CUDACXX=${CUDACXX:-/usr/local/cuda/bin/nvcc}
export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
export PKG_CONFIG_SYSROOT_DIR=$carry
export PKG_CONFIG_PATH=$carry/usr/lib/x86_64-linux-gnu/pkgconfig:$carry/usr/share/pkgconfig
generator=$(command -v ninja > /dev/null && echo Ninja || echo "Unix Makefiles")
# NCCL_INCLUDE, the folder of nccl.h (Python's nvidia-nccl package has one), makes --distributed work between GPUs.
cmake -S . -B build/gpu -G "$generator" -DCMAKE_BUILD_TYPE=Release -DPACO_TESTS=OFF -DPACO_WEB=OFF -DPACO_GPU_BENCH=ON \
  -DCMAKE_PREFIX_PATH="$carry/usr;$torch" -DCMAKE_CUDA_ARCHITECTURES=90 -DPACO_CUDA_ARCH=native ${NCCL_INCLUDE:+-DPACO_NCCL_INCLUDE="$NCCL_INCLUDE"} "$@"
grep -q '^PACO_HAS_TORCH:.*=ON' build/gpu/CMakeCache.txt || { echo "cmake did not find torch in $torch" >&2; exit 1; }
# shellcheck disable=SC2086
cmake --build build/gpu -j "$(nproc)" --target ${TARGETS:-paco vit_throughput}
