package rocm

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// commCalls is the table of calls of RCCL, which has NCCL's names, too.
type commCalls struct {
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

// commLibrary is RCCL or NCCL.
type commLibrary struct {
	commCalls
	driver.VendorLibrary
}

// The enumerations of NCCL, the same since version 2.10 and in RCCL since ROCm 5.
var (
	ncclTypes      = map[string]int32{"u8": 1, "i32": 2, "u32": 3, "i64": 4, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
	ncclReductions = map[Reduction]int32{Sum: 0, Product: 1, Greatest: 2, Least: 3}
	groupSizes     = map[string]int{"u8": 1, "i32": 4, "u32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2}
)

var ncclStatuses = map[driver.Code]string{
	1: "ncclUnhandledCudaError", 2: "ncclSystemError", 3: "ncclInternalError", 4: "ncclInvalidArgument", 5: "ncclInvalidUsage",
	6: "ncclRemoteError", 7: "ncclInProgress",
}

var rccl = &driver.VendorKind{
	Name: "RCCL", Platform: driver.HIP, Purpose: "sums and copies over several AMD GPUs", Statuses: ncclStatuses,
	Find: sync.OnceValues(func() (*driver.Library, error) {
		hip, err := driver.LoadHIP()
		if err != nil {
			return nil, err
		}
		return driver.SearchBesideHIP(hip.Library, "librccl.so", "librccl.so.1").Load()
	}),
}

var nccl = &driver.VendorKind{
	Name: "NCCL", Platform: driver.CUDA, Purpose: "sums and copies over several NVIDIA GPUs", Statuses: ncclStatuses,
	Find: sync.OnceValues(func() (*driver.Library, error) {
		return driver.Search{Name: "libnccl.so", Names: []string{"libnccl.so.2"}, Folders: driver.CUDAFolders()}.Load()
	}),
}

// loadComm loads the library and finds its calls.
func loadComm(kind *driver.VendorKind) (*commLibrary, error) {
	lib, err := kind.Find()
	if err != nil {
		return nil, err
	}
	l := &commLibrary{VendorLibrary: driver.VendorLibrary{Kind: kind, File: lib}}
	if err := driver.Bind(&l.commCalls, kind.Platform.Column(), lib); err != nil {
		return nil, err
	}
	var v int32
	if l.number != nil && l.number(&v) == 0 {
		l.Version = fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
	}
	return l, nil
}

func (l *commLibrary) name(field string) string {
	return driver.CName[commCalls](field, l.Kind.Platform.Column())
}

func (l *commLibrary) fail(field string, status driver.Code) error {
	return l.StatusError(l.name(field), status)
}

// load finds the library for the group's members.
func (g *Group) load() (*commLibrary, error) {
	const op = "load a library for groups"
	first := g.devices[0]
	for _, d := range g.devices {
		if d.drv != first.drv {
			return nil, &driver.Error{Op: op, Text: fmt.Sprintf("%v and %v have no way to each other but the host", first, d), Kind: ErrUnsupported}
		}
	}
	switch {
	case strings.EqualFold(os.Getenv("GOROCM_COMM"), "go"):
		return nil, &driver.Error{Op: op, Text: "GOROCM_COMM=go is set", Kind: ErrNoLibrary}
	case first.info.Platform == HIP:
		return loadComm(rccl)
	case first.info.Platform == CUDA:
		return loadComm(nccl)
	}
	return nil, &driver.Error{Op: op, Text: "there is none for emulated GPUs", Kind: ErrUnsupported}
}

// start makes the library's objects, one for each member.
func (g *Group) start() error {
	comms, numbers := make([]uintptr, len(g.devices)), make([]int32, len(g.devices))
	for i, d := range g.devices {
		numbers[i] = int32(d.info.Index)
	}
	var status driver.Code
	err := g.devices[0].do("initAll", func() driver.Code { status = g.lib.initAll(&comms[0], int32(len(comms)), &numbers[0]); return 0 })
	if err == nil && status != 0 {
		err = g.lib.fail("initAll", status)
	}
	if err == nil {
		g.comms = comms
	}
	return err
}
