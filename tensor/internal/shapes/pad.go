package shapes

// Padded is the element of n that stands at position i, which may be below 0 or beyond n, by PyTorch's name of the mode
// of padding: replicate, circular or reflect.
func Padded(mode string, i, n int) int {
	switch mode {
	case "replicate":
		return max(0, min(i, n-1))
	case "circular":
		return ((i % n) + n) % n
	}
	period := max(2*(n-1), 1)
	i = ((i % period) + period) % period
	return min(i, period-i) % n
}
