// Package assembly has the tests of the module's assembly.
package assembly
