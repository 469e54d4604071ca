package detectors

// Lists for the test of the lists, which is in another package because it needs the tokenizer.
var (
	WordLists    = wordLists
	HotwordLists = hotwordLists
)
