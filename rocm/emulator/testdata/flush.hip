// Compiled with -fgpu-flush-denormals-to-zero: f32 denormals are zeros.
extern "C" __attribute__((global)) void flush_f32(const float *a, float *o) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  o[i] = a[i] * 2.0f;
  o[32 + i] = a[i] * 0.5f;
  o[64 + i] = 1.0f / a[i];
}
