package config

// Values of SOTTO_INDIRECT and SOTTO_INDIRECT_BY.
const (
	MarkIndirect = "mark"
	MaskIndirect = "mask"

	ByCall    = "call"
	BySpeaker = "speaker"
)
