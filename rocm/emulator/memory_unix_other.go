//go:build unix && !linux

package emulator

const mapNoReserve = 0
