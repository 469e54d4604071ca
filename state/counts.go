package state

// EachCount calls f for each infoType of which numbers have been given, with how many, in the
// order of their first appearance. It allocates nothing.
func (c *Call) EachCount(f func(infoType string, n int64)) {
	for i, t := range c.types {
		if c.counts[i] > 0 {
			f(t, int64(c.counts[i]))
		}
	}
}
