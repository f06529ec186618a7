package quick

import (
	"sync"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// ofLocks are methods of locks: those that lock one do if that need not wait. The runtime keeps a goroutine that is
// pinned where it is when another one may go on.
func ofLocks(recv, name string) Func {
	switch recv + "." + name {
	case "*sync.Mutex.Lock":
		return func(c *enter.Context) bool { m := at[sync.Mutex](c); return m != nil && m.TryLock() }
	case "*sync.Mutex.Unlock":
		return func(c *enter.Context) bool { return unlocked(at[sync.Mutex](c), (*sync.Mutex).Unlock) }
	case "*sync.RWMutex.Lock":
		return func(c *enter.Context) bool { m := at[sync.RWMutex](c); return m != nil && m.TryLock() }
	case "*sync.RWMutex.Unlock":
		return func(c *enter.Context) bool { return unlocked(at[sync.RWMutex](c), (*sync.RWMutex).Unlock) }
	case "*sync.RWMutex.RLock":
		return func(c *enter.Context) bool { m := at[sync.RWMutex](c); return m != nil && m.TryRLock() }
	case "*sync.RWMutex.RUnlock":
		return func(c *enter.Context) bool { return unlocked(at[sync.RWMutex](c), (*sync.RWMutex).RUnlock) }
	}
	return nil
}

// at is the receiver, nil where the goroutine is to be unpinned some time.
func at[T any](c *enter.Context) *T {
	if !c.Spend(step) {
		return nil
	}
	return (*T)(c.Address(0))
}

func unlocked[T any](m *T, unlock func(*T)) bool {
	if m != nil {
		unlock(m)
	}
	return m != nil
}
