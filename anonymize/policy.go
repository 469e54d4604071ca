package anonymize

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"sotto/detectors/lexicon"
)

// ruleVersion names the rules in code that decide outcomes. It changes with
// them, so that events tell by which rules they were made.
const ruleVersion = 2

// hash is the policy hash of the engine.
func (e *Engine) hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "rules %d\nreplacement %x\nentities %d\nlexicon %x\nmodel %x\ndictionary %x\nrules file %x\n",
		ruleVersion, e.plan.Digest(), e.opts.MaxEntities, lexicon.Digest(), e.opts.Model.Digest(), e.dictionary.Digest(), e.rules.digest)
	if e.opts.HoldBack > 0 {
		fmt.Fprintf(h, "hold back %d %d\n", e.opts.HoldBack, e.opts.HoldBackTime.Milliseconds())
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}
