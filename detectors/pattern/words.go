package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// Hashes of words that the rules ask for by name.
var (
	hashOver          = lexicon.Hash("over")
	hashUnder         = lexicon.Hash("under")
	hashAbout         = lexicon.Hash("about")
	hashAround        = lexicon.Hash("around")
	hashNearly        = lexicon.Hash("nearly")
	hashAlmost        = lexicon.Hash("almost")
	hashApproximately = lexicon.Hash("approximately")
	hashThan          = lexicon.Hash("than")
	hashLeast         = lexicon.Hash("least")
	hashUpto          = lexicon.Hash("upto")
	hashEvery         = lexicon.Hash("every")
	hashPer           = lexicon.Hash("per")
	hashOf            = lexicon.Hash("of")
	hashThe           = lexicon.Hash("the")
	hashIn            = lexicon.Hash("in")
	hashAnd           = lexicon.Hash("and")
	hashA             = lexicon.Hash("a")
	hashI             = lexicon.Hash("i")
)

// common tells how common a folded word is, 0 for one that the lexicon does not
// know as English.
func common(word []byte) int {
	return lexicon.LookupHash(wordhash.Bytes(word)).Common()
}

// commonToken is common for token i.
func commonToken(doc *d.Document, i int) int { return lexicon.LookupHash(doc.Tokens[i].Hash).Common() }

var (
	hashAt       = lexicon.Hash("at")
	hashCom      = lexicon.Hash("com")
	hashDot      = lexicon.Hash("dot")
	hashNumber   = lexicon.Hash("number")
	hashNo       = lexicon.Hash("no")
	hashWell     = lexicon.Hash("well")
	hashLike     = lexicon.Hash("like")
	hashFloor    = lexicon.Hash("floor")
	hashYour     = lexicon.Hash("your")
	hashMean     = lexicon.Hash("mean")
	hashOr       = lexicon.Hash("or")
	hashThat     = lexicon.Hash("that")
	hashThink    = lexicon.Hash("think")
	hashMaybe    = lexicon.Hash("maybe")
	hashBelieve  = lexicon.Hash("believe")
	hashProbably = lexicon.Hash("probably")
	hashGuess    = lexicon.Hash("guess")
	hashYou      = lexicon.Hash("you")
	hashKnow     = lexicon.Hash("know")
	hashIt       = lexicon.Hash("it")
	hashMy       = lexicon.Hash("my")
	hashCode     = lexicon.Hash("code")
	hashAddress  = lexicon.Hash("address")
	hashCounty   = lexicon.Hash("county")
	hashState    = lexicon.Hash("state")
	hashOld      = lexicon.Hash("old")
	hashYoung    = lexicon.Hash("young")
	hashAge      = lexicon.Hash("age")
	hashAged     = lexicon.Hash("aged")
	hashTurned   = lexicon.Hash("turned")
	hashTurning  = lexicon.Hash("turning")
	hashAm       = lexicon.Hash("am")
	hashIs       = lexicon.Hash("is")
	hashHe       = lexicon.Hash("he")
	hashShe      = lexicon.Hash("she")
	hashIm       = lexicon.Hash("im")
	hashEarly    = lexicon.Hash("early")
	hashMid      = lexicon.Hash("mid")
	hashLate     = lexicon.Hash("late")
	hashOh       = lexicon.Hash("oh")
	hashCorner   = lexicon.Hash("corner")
	hashDate     = lexicon.Hash("date")
	hashBox      = lexicon.Hash("box")
	hashPO       = lexicon.Hash("po")
	hashPost     = lexicon.Hash("post")
	hashOffice   = lexicon.Hash("office")
	hashSign     = lexicon.Hash("sign")
	hashWWW      = lexicon.Hash("www")
	hashHTTP     = lexicon.Hash("http")
	hashHTTPS    = lexicon.Hash("https")
)

func lexiconEntry(doc *d.Document, i int) lexicon.Entry {
	return lexicon.LookupHash(doc.Tokens[i].Hash)
}

// isMark reports whether token i is the punctuation mark ch.
func isMark(doc *d.Document, i int, ch byte) bool {
	return i < len(doc.Tokens) && doc.Tokens[i].Class == d.Punct && doc.Tokens[i].Ch == ch
}

// isWordOrNumber reports whether a token consists of letters or digits.
func isWordOrNumber(t *d.Token) bool {
	return t.Class.IsWord() || t.Class == d.Alnum || t.Class == d.Digits
}
