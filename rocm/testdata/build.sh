#!/bin/sh
# Builds the code object that the tests run on the emulated device. Needs clang 19; no ROCm package.
cd "$(dirname "$0")" || exit 1
exec clang-19 -x hip -nogpuinc -nogpulib --cuda-device-only --offload-arch=gfx1100 --no-gpu-bundle-output -O3 -std=c++17 \
  -ffp-contract=off -Wall -include ../hip/names.h kernels.hip -o kernels.gfx1100.co
