package host

// What tests with tensors, which are outside of the package, see of it.

const Streamed = streamed

var Tiles = hasTiles
