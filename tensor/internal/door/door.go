// Package door leads packages that belong to tensor to the memory of tensors on a GPU.
package door

import "github.com/gorocm/gorocm/rocm"

// Buffer is (*tensor.Tensor).Buffer for kernels that only read, or write to a tensor that nobody has seen yet. After Buffer of the method, the memory may
// be written to at any time, so that no operation on the tensor may be put off any more; after this one it may not. Package tensor sets it; t is a *tensor.Tensor.
var Buffer func(t any) (buffer *rocm.Buffer, byteOffset int)
