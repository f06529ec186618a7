package formats

// Unpickle is for the tests of hostile pickles.
var Unpickle = unpickle
