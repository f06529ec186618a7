package rocm

import "golang.org/x/sys/windows"

// threadID is the number of the calling thread.
func threadID() int { return int(windows.GetCurrentThreadId()) }
