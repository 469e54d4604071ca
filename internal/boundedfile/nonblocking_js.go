package boundedfile

// nonBlocking is a flag of open that a browser does not have.
const nonBlocking = 0
