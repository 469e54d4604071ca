package brokertest

import "time"

// CPU is the processor time that the brokers of a cluster have used so far, 0 if they are not
// processes of ours.
func CPU(c Cluster) time.Duration {
	switch c := c.(type) {
	case *remote:
		if c.owner != nil {
			return CPU(c.owner)
		}
	case *Kafka:
		return c.process().CPU()
	case *ReplicatedKafka:
		var sum time.Duration
		for _, k := range c.Nodes {
			sum += CPU(k)
		}
		return sum
	}
	return 0
}
