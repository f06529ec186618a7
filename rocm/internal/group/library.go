package group

import (
	"fmt"
	"os"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// calls is the table of calls of RCCL and NCCL. RCCL has NCCL's names.
type calls struct {
	number    func(v *int32) driver.Code                                                         `hip:"?ncclGetVersion" cuda:"?ncclGetVersion"`
	uniqueID  func(id *uniqueID) driver.Code                                                     `hip:"?ncclGetUniqueId" cuda:"?ncclGetUniqueId"`
	initRank  driver.Call                                                                        `hip:"?ncclCommInitRank" cuda:"?ncclCommInitRank"` // takes a structure by value
	initAll   func(comms *uintptr, n int32, devices *int32) driver.Code                          `hip:"ncclCommInitAll" cuda:"ncclCommInitAll"`
	destroy   func(comm uintptr) driver.Code                                                     `hip:"ncclCommDestroy" cuda:"ncclCommDestroy"`
	begin     func() driver.Code                                                                 `hip:"ncclGroupStart" cuda:"ncclGroupStart"`
	end       func() driver.Code                                                                 `hip:"ncclGroupEnd" cuda:"ncclGroupEnd"`
	allReduce func(from, to, n uintptr, elem, reduction int32, comm, stream uintptr) driver.Code `hip:"ncclAllReduce" cuda:"ncclAllReduce"`
	allGather func(from, to, n uintptr, elem int32, comm, stream uintptr) driver.Code            `hip:"ncclAllGather" cuda:"ncclAllGather"`
	broadcast func(from, to, n uintptr, elem, root int32, comm, stream uintptr) driver.Code      `hip:"ncclBroadcast" cuda:"ncclBroadcast"`
}

// Library is RCCL or NCCL.
type Library struct {
	calls
	driver.VendorLibrary
}

// Load loads the library of a platform.
func Load(platform driver.Platform) (*Library, error) {
	const op = "load a library for groups"
	switch {
	case strings.EqualFold(os.Getenv("GOROCM_COMM"), "go"):
		return nil, &driver.Error{Op: op, Text: "GOROCM_COMM=go is set", Kind: driver.ErrNoLibrary}
	case platform == driver.HIP:
		return load(rccl)
	case platform == driver.CUDA:
		return load(nccl)
	}
	return nil, &driver.Error{Op: op, Text: "there is none for emulated GPUs", Kind: driver.ErrUnsupported}
}

// Probe loads each library, AMD's before NVIDIA's.
func Probe() []driver.Probed {
	var list []driver.Probed
	for _, kind := range []*driver.VendorKind{rccl, nccl} {
		p := driver.Probed{Kind: kind}
		if l, err := load(kind); err != nil {
			p.Err = err
		} else {
			p.Library = &l.VendorLibrary
		}
		list = append(list, p)
	}
	return list
}

// load loads the library and finds its calls.
func load(kind *driver.VendorKind) (*Library, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &Library{VendorLibrary: driver.VendorLibrary{Kind: kind, File: lib}}
	if err := driver.Bind(&l.calls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	var v int32
	if l.number != nil && l.number(&v) == 0 {
		l.Version = fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
	}
	return l, nil
}

func (l *Library) name(field string) string {
	return driver.CName[calls](field, l.Kind.Platform.Column())
}

func (l *Library) fail(field string, status driver.Code) error {
	return l.StatusError(l.name(field), status)
}
