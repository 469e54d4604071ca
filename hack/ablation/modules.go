package main

// allModules are the rule modules that are measured when none is named: everything but what proves a
// form by checksum or structure.
func allModules() []string {
	return []string{
		"detectors/pattern.addresses", "detectors/pattern.codeAfterState", "detectors/pattern.unitAt",
		"detectors/pattern.answers",
		"detectors/pattern.codes",
		"detectors/pattern.coordinates",
		"detectors/pattern.cookies", "detectors/pattern.cardTrack", "detectors/pattern.passportLine", "detectors/pattern.encoded",
		"detectors/pattern.monthDates", "detectors/pattern.runDates",
		"detectors/pattern.timeContext", "detectors/pattern.modelContext", "detectors/pattern.decimalContext", "detectors/pattern.quantityContext",
		"detectors/pattern.diagnosis",
		"detectors/pattern.letters", "detectors/pattern.spelledWord",
		"detectors/pattern.userNames",
		"detectors/pattern.domainAt", "detectors/pattern.mailGlued", "detectors/pattern.mailWithoutSuffix", "detectors/pattern.mailWithoutDot",
		"detectors/pattern.byExpectation", "detectors/pattern.fallback",
		"detectors/place.Find",
		"anonymize/dialogue.FillSlots", "anonymize/dialogue.spelledWordsToNames", "anonymize/dialogue.fillSlot", "anonymize/dialogue.retype",
		"anonymize/dialogue.ContinueDictation", "anonymize/dialogue.FindSymbols", "anonymize/dialogue.addTopics", "anonymize/dialogue.Expect",
		"detectors/ner.divide", "detectors/ner.addListed", "detectors/ner.settleGrammar",
		"anonymize/mention.soundAlike", "anonymize.splitAddresses", "anonymize.joinNames",
	}
}
