package spoken

import "sotto/detectors/lexicon"

// Hashes of words that the grammar asks for by name.
var (
	hashAs        = lexicon.Hash("as")
	hashIn        = lexicon.Hash("in")
	hashLike      = lexicon.Hash("like")
	hashFor       = lexicon.Hash("for")
	hashAnd       = lexicon.Hash("and")
	hashYou       = lexicon.Hash("you")
	hashKnow      = lexicon.Hash("know")
	hashI         = lexicon.Hash("i")
	hashMean      = lexicon.Hash("mean")
	hashWell      = lexicon.Hash("well")
	hashSpace     = lexicon.Hash("space")
	hashHotel     = lexicon.Hash("hotel")
	hashGolf      = lexicon.Hash("golf")
	hashKilo      = lexicon.Hash("kilo")
	hashScratch   = lexicon.Hash("scratch")
	hashRather    = lexicon.Hash("rather")
	hashRay       = lexicon.Hash("ray")
	hashA         = lexicon.Hash("a")
	hashSign      = lexicon.Hash("sign")
	hashCapital   = lexicon.Hash("capital")
	hashUppercase = lexicon.Hash("uppercase")
	hashLowercase = lexicon.Hash("lowercase")
)
