package typing

import (
	"go/token"
	"go/types"
	"sync"
	"testing"
)

// TestObjectKeys: objects of one name have keys of their own, also after some were forgotten, and for goroutines.
func TestObjectKeys(t *testing.T) {
	k := objectKeys{numbers: map[types.Object]int{}}
	seen := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				o := types.NewVar(token.NoPos, nil, "x", types.Typ[types.Int])
				key := k.of(o)
				if again := k.of(o); again != key {
					t.Errorf("%s is %s, too", key, again)
				}
				mu.Lock()
				if seen[key] {
					t.Errorf("%s is the key of two objects", key)
				}
				seen[key] = true
				mu.Unlock()
				k.forget(o)
			}
		})
	}
	wg.Wait()
}
