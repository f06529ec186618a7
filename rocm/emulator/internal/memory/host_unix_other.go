//go:build unix && !linux

package memory

const mapNoReserve = 0
