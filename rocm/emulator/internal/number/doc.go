// Package number is the arithmetic of instructions on single values, as the hardware has it: one rounding of
// multiply-adds, minimum and maximum of NaN, the steps of a division, saturating conversions, bits and bytes.
package number
