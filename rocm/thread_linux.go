package rocm

import "syscall"

// threadID is the number of the calling thread.
func threadID() int { return syscall.Gettid() }
