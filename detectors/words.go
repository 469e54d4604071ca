package detectors

// wordList gives a role to words. Fields are separate words; "a|b" are two
// spellings of one. When numbered, the fields count up from first; when not,
// first is the number of all of them.
type wordList struct {
	bits     Bits
	numbered bool
	first    int
	words    string
}

var wordLists = []wordList{
	{NumWord, true, 0, "zero one two three four five six seven eight nine"},
	{NumWord, false, 0, "oh nought naught zeroes"},
	{NumWord, false, 9, "niner"},
	{Teen, true, 10, "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"},
	{Tens, false, 20, "twenty"}, {Tens, false, 30, "thirty"}, {Tens, false, 40, "forty fourty"},
	{Tens, false, 50, "fifty"}, {Tens, false, 60, "sixty"}, {Tens, false, 70, "seventy"},
	{Tens, false, 80, "eighty"}, {Tens, false, 90, "ninety"},
	{Scale, false, 2, "hundred hundreds"}, {Scale, false, 3, "thousand thousands"},
	{Scale, false, 6, "million millions"}, {Scale, false, 9, "billion billions"},
	{Mult, false, 2, "double"}, {Mult, false, 3, "triple treble"}, {Mult, false, 4, "quadruple"},
	{Homophone, false, 1, "won"}, {Homophone, false, 2, "to too tu"}, {Homophone, false, 3, "tree free"},
	{Homophone, false, 4, "for fore"}, {Homophone, false, 5, "fife"}, {Homophone, false, 6, "sicks sex"},
	{Homophone, false, 8, "ate ait"}, {Homophone, false, 9, "nein"}, {Homophone, false, 10, "tin"},
	{Ordinal, true, 1, "first|1st second|2nd third|3rd fourth|4th fifth|5th sixth|6th seventh|7th eighth|8th ninth|9th " +
		"tenth|10th eleventh|11th twelfth|12th thirteenth|13th fourteenth|14th fifteenth|15th sixteenth|16th " +
		"seventeenth|17th eighteenth|18th nineteenth|19th twentieth|20th twentyfirst|21st twentysecond|22nd " +
		"twentythird|23rd twentyfourth|24th twentyfifth|25th twentysixth|26th twentyseventh|27th twentyeighth|28th " +
		"twentyninth|29th thirtieth|30th thirtyfirst|31st"},
	{Month, true, 1, "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug " +
		"september|sept|sep october|oct november|nov december|dec"},
	{Weekday, false, 0, "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays " +
		"fridays saturdays sundays mon tue tues wed thu thur thurs fri"},
	{Filler, false, 0, "uh um er erm ah eh hmm hm mm umm uhh uhm"},
	{StreetType, false, 0, "street streets str st avenue avenues ave av road roads rd boulevard blvd lane ln highway hwy " +
		"parkway pkwy pkway terrace ter terr cir crescent cres trl turnpike tpke expressway expy alley aly " +
		"plaza plz sq causeway cswy freeway fwy pike mews gardens heights hts boulevards nagar marg " +
		"crossing xing strasse"},
	{StreetType | Ambiguous, false, 0, "way wy place pl court ct drive dr park run row walk path pass point pt view bend " +
		"hill ridge bridge lake spur junction jct cove gate green field fields estate estates manor island isle bay route rte " +
		"square circle loop close trail grove landing meadow meadows colony sector block"},
	{Direction, false, 0, "north south east west northeast northwest southeast southwest n s e w ne nw se sw"},
	{AddressUnit, false, 0, "apartment apt apts unit suite ste floor flr fl room rm building bldg flat lot penthouse box"},
	{State, false, 0, "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho " +
		"illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri " +
		"montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming ae aa ap " +
		"al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc " +
		"sd tn tx ut vt va wa wv wi wy dc pr calif"},
	{Province, false, 0, "alberta manitoba newfoundland ontario quebec saskatchewan nunavut yukon " +
		"ab bc mb nb nl ns nt nu on pe qc sk yt"},
	{Currency, false, 0, "dollar dollars cent cents euro euros pound pounds buck bucks usd cad gbp eur quid rupees rupee pence yen " +
		"peso pesos rs inr aud lakhs lakh"},
	{Measure, false, 0, "percent percentage minute minutes min mins hour hours hr hrs second seconds sec secs day days week weeks month months " +
		"year years yr yrs mile miles km kilometers kilometres kilometer meter meters metre metres foot feet ft inch inches " +
		"yard yards gram grams kg kilo kilos kilograms lb lbs ounce ounces oz liter liters litre litres gallon gallons ml mg mb gb tb kb mbps gbps " +
		"megabytes gigabytes terabytes megabits megs gigs degrees degree calories mph volts watts amps hertz mhz ghz pixels pages page " +
		"people persons person guests guest times items item units copies pieces points miles steps users employees customers members " +
		"tickets seats rooms tables nights night bags boxes orders calls texts messages emails photos songs stars percentages cm mm sqft " +
		"acres psi rpm channels devices lines minutes' g"},
	{Clock, false, 0, "am pm o'clock oclock noon midnight"},
	{Title, false, 0, "mr mrs ms miss dr doctor mister sir madam prof professor"},
	{Function, false, 0, "the a an and or but if of in on at by with from as is are was were be been being am i you he she it we they " +
		"me him her us them my your his its our their this that these those there here what which who whom whose when where why how " +
		"do does did done have has had having can could will would shall should may might must not no yes so than then just only " +
		"also very all any some each every other another such into over under about after before between out up down off again " +
		"to for because while until since during through let lets get got go going want need know think see say said tell call " +
		"please thank thanks okay ok well yeah sure right now like"},
	{Backchannel, false, 0, "okay ok yeah yes yep yup right sure alright mhm uhhuh huh gotcha great perfect thanks thank correct cool"},
	{Correct, false, 0, "sorry wait actually no nope scratch correction oops pardon"},
	{TopLevel, false, 0, "com net org edu gov mil info biz io co ca uk us de fr au in ie nz eu me tv app dev"},
	{AddressUnit | Ambiguous, false, 0, "unit floor flr fl room rm building bldg flat lot box"},
	{MailHost, false, 0, "gmail googlemail yahoo ymail hotmail outlook icloud aol msn live mac protonmail proton gmx comcast verizon " +
		"att sbcglobal bellsouth cox charter earthlink shaw rogers telus sympatico bell videotron btinternet mail email zoho rocketmail"},
	{Model, false, 0, "version iphone ipad galaxy pixel model windows channel chapter page section level step phase tier season episode " +
		"boeing airbus xbox playstation"},
	{Prepos, false, 0, "in since until till by from during before after of for to"},
	{Copula, false, 0, "is are was it its be being as equals 's that's thats"},
	{Capital, false, 0, "capital capitals uppercase lowercase upper lower cap caps letter letters number numeral digit digits numbers case small big"},
	{Country, false, 0, "usa uk canada mexico england britain france germany india china japan australia ireland spain italy brazil"},
}

// charList gives words a character: "c=word|word".
type charList struct {
	bits  Bits
	pairs string
}

var charLists = []charList{
	{Spelling, "a=alpha|alfa b=bravo c=charlie d=delta e=echo f=foxtrot g=golf h=hotel i=india j=juliet|juliett k=kilo l=lima " +
		"m=mike n=november o=oscar p=papa q=quebec r=romeo s=sierra t=tango u=uniform v=victor w=whiskey|whisky x=xray " +
		"y=yankee z=zulu"},
	{LetterName, "b=bee c=cee d=dee f=ef|eff h=aitch|haitch j=jay k=kay l=el|ell m=em n=en p=pee q=queue|cue r=ar s=ess|es " +
		"t=tee v=vee w=doubleyou x=ex y=wye z=zee|zed g=gee"},
	{LetterSound, "a=ay|eh b=be c=see|sea i=eye|aye o=owe r=are t=tea u=you y=why"},
	{Connect, ".=dot|point|period -=dash|hyphen|minus _=underscore|underline /=slash \\=backslash :=colon @=at|@ +=plus #=hash|hashtag"},
}
