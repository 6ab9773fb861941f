package facts

// mostTimes is more often than anything runs: loops in loops that say they run longer than that, together, would overflow.
const mostTimes = int64(1) << 53

// often is how often something runs that runs so often each time that what is around it does.
func often(a, b int64) int64 {
	if a > 0 && b > mostTimes/a {
		return mostTimes
	}
	return min(a*b, mostTimes)
}

// together is how often things run together.
func together(a, b int64) int64 { return min(a+b, mostTimes) }
