package codeobject

import "encoding/binary"

// PacketSize is the size of a Packet in bytes.
const PacketSize = 64

// Packet is an hsa_kernel_dispatch_packet_t, which device code reads grid sizes from.
type Packet struct {
	Dims        uint32
	Grid, Block [3]uint32 // workgroups, work-items of a workgroup
	Private     uint32    // bytes of a work-item
	Shared      uint32    // bytes of a workgroup
	Arguments   uint64    // address of the kernarg segment
}

// Put writes the packet to PacketSize bytes.
func (p *Packet) Put(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b[2:], uint16(p.Dims))
	for i := range 3 {
		le.PutUint16(b[4+2*i:], uint16(p.Block[i]))
		le.PutUint32(b[12+4*i:], p.Grid[i]*p.Block[i])
	}
	le.PutUint32(b[24:], p.Private)
	le.PutUint32(b[28:], p.Shared)
	le.PutUint64(b[40:], p.Arguments)
}

// PutUint writes the low bytes of v, as many as b has, and zeros after the eighth.
func PutUint(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
