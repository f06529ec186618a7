package lower

import (
	"go/types"
	"strconv"
	"sync"
)

// objectKeys tells objects of the same name apart, by numbers that are never given twice. Goroutines that lower what
// they call first ask it at the same time.
type objectKeys struct {
	mu      sync.Mutex
	numbers map[types.Object]int
	last    int
}

func (k *objectKeys) of(o types.Object) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, ok := k.numbers[o]
	if !ok {
		k.last++
		n = k.last
		k.numbers[o] = n
	}
	return o.Name() + "#" + strconv.Itoa(n)
}

// forget drops an object that nothing mentions any more.
func (k *objectKeys) forget(o types.Object) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.numbers, o)
}
