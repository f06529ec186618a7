// With a file of assembly in the package, the compiler takes a function without a body.
