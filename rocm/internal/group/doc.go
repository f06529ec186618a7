// Package group lets several devices compute one thing together, by RCCL or NCCL between GPUs of one platform, and by
// files or connections and the host otherwise.
//
//	library.go       the table of calls, which RCCL and NCCL share
//	rccl.go          AMD's library; nccl.go NVIDIA's, with the enumerations of both
//	communicator.go  Communicator: the library's objects, one for each member of this process, and the collectives
//	join.go          members in several processes: how they agree on the library
//	rendezvous.go    Rendezvous: where processes find each other and exchange data
//	files.go         by files in a shared folder
//	tcp.go           by connections to rank 0; tcp_join.go how they are made, frame.go what they carry
//	reduce.go        reductions on the host
//
// # Invariants
//
// Calls of one collective for several members come together, from one thread, between the library's group start and
// group end: a call for one member waits for those of the others. A group end follows each group start, whatever failed
// between them.
//
// All ranks make the same exchanges of a Rendezvous in the same order. A rank's file of an exchange is removed when all
// have come to the next one. After an error a rendezvous of connections is over for all ranks.
//
// Bytes from a connection are foreign until it has said hello, and lengths are until their data has come.
//
// The types of this package are for one goroutine at a time; rocm.Group holds a mutex. The package knows no Device:
// Member is what it needs of one.
package group
