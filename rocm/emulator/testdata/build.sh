#!/bin/sh
# Compiles the test kernels. Needs clang-19 and lld-19, no ROCm package.
cd "$(dirname "$0")" || exit 1
flags="-x hip -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output -O3 -std=c++17 -fuse-cuid=none -Wall -Wno-undefined-internal"
clang-19 $flags --offload-arch=gfx1100 kernels.hip -o kernels.hsaco &&
clang-19 $flags --offload-arch=gfx1100 -fgpu-flush-denormals-to-zero flush.hip -o flush.hsaco &&
clang-19 $flags --offload-arch=gfx1030 flush.hip -o gfx1030.hsaco &&
races="--offload-arch=gfx1100 -ffp-contract=off -gline-tables-only -ffile-compilation-dir=. -include ../../hip/names.h races.hip"
clang-19 $flags $races -o races.hsaco &&
clang-19 $flags $races -mwavefrontsize64 -DGOROCM_WAVE=64 -o races64.hsaco &&
clang-19 $flags --offload-arch=gfx1100 foreign.hip -o foreign.hsaco &&
clang-19 $flags --offload-arch=gfx1100 -mwavefrontsize64 foreign.hip -o foreign64.hsaco
