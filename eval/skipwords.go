package eval

import "strings"

// spanSkipWords are the words that the span evaluation of presidio-research
// passes over: its own list (presidio_evaluator/evaluation/skipwords.py) and
// the English stop words of spaCy (spacy/lang/en/stop_words.py), both under
// the MIT licence. Single marks of punctuation belong to it too.
var spanSkipWords = func() map[string]struct{} {
	m := make(map[string]struct{})
	for _, w := range strings.Fields(presidioSkipWords + spacyStopWords) {
		m[w] = struct{}{}
	}
	for _, r := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" {
		m[string(r)] = struct{}{}
	}
	return m
}()

const presidioSkipWords = `
>> >>> >>>> >>>>> >>>>>> 's street st. st de rue via and a the or do as of day
address country state city zip po apt unit corner p.o. box suite mr. mrs. miss
year years y/o month months old morning noon afternoon night evening this first
last week weeks weekend days age ago inc inc. ltd
`

const spacyStopWords = `
a about above across after afterwards again against all almost alone along
already also although always am among amongst amount an and another any anyhow
anyone anything anyway anywhere are around as at
back be became because become becomes becoming been before beforehand behind
being below beside besides between beyond both bottom but by
call can cannot ca could
did do does doing done down due during
each eight either eleven else elsewhere empty enough even ever every
everyone everything everywhere except
few fifteen fifty first five for former formerly forty four from front full
further get give go
had has have he hence her here hereafter hereby herein hereupon hers herself
him himself his how however hundred
i if in indeed into is it its itself keep last latter latterly least less just
made make many may me meanwhile might mine more moreover most mostly move much
must my myself
name namely neither never nevertheless next nine no nobody none noone nor not
nothing now nowhere n't
of off often on once one only onto or other others otherwise our ours ourselves
out over own part per perhaps please put quite rather re really regarding
same say see seem seemed seeming seems serious several she should show side
since six sixty so some somehow someone something sometime sometimes somewhere
still such
take ten than that the their them themselves then thence there thereafter
thereby therefore therein thereupon these they third this those though three
through throughout thru thus to together too top toward towards twelve twenty
two
under until up unless upon us used using various very via was we well were what
whatever when whence whenever where whereafter whereas whereby wherein
whereupon wherever whether which while whither who whoever whole whom whose why
will with within without would yet you your yours yourself yourselves
'd 'll 'm 're 's 've n‘t n’t ‘d ‘ll ‘m ‘re ‘s ‘ve ’d ’ll ’m ’re ’s ’ve
`
