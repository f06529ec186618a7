//go:build race

package team

const raceEnabled = true // sync.Pool drops items then
