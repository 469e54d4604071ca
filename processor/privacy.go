package processor

import "sotto/config"

// reportPrivacy reports at the start what the replacement guarantees, in the log.
func (p *Processor) reportPrivacy() {
	a, err := p.settings.PrivacyAccount()
	if err != nil {
		p.log.Warn("cannot compute the privacy of the replacement", "error", err)
		return
	}
	p.log.Info("privacy of the replacement, for each token", "epsilon", a.Epsilon, "probability", a.Probability,
		"recall_measured", a.Measured, "lemma_applies", a.Lemma, "explained_by", "sotto config")
	if a.Probability < 1 {
		p.log.Warn("personal information is left in the output on purpose", "share", 1-a.Probability, "accepted_by", config.EnvPrefix+"REPLACE_RISK")
	}
}
