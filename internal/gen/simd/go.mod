module github.com/gorocm/gorocm/internal/gen/simd

go 1.26.0

require (
	github.com/gorocm/gorocm v0.0.0-00010101000000-000000000000
	github.com/mmcloughlin/avo v0.6.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/gorocm/gorocm => ../../..
