package callgen

// Every list is invented or made of everyday words. The surnames are made up,
// so that no full name is likely to be anybody's.

type firstName struct {
	name string
	she  bool
}

var firstNames = []firstName{
	{"Amy", true}, {"Anika", true}, {"Beatriz", true}, {"Brenda", true}, {"Carla", true}, {"Celine", true},
	{"Chloe", true}, {"Dana", true}, {"Denise", true}, {"Elif", true}, {"Elena", true}, {"Fatima", true},
	{"Gloria", true}, {"Hannah", true}, {"Ines", true}, {"Ivy", true}, {"Jasmine", true}, {"Joan", true},
	{"Kavita", true}, {"Keiko", true}, {"Laura", true}, {"Leila", true}, {"Lucia", true}, {"Mara", true},
	{"Megan", true}, {"Nadia", true}, {"Noor", true}, {"Olga", true}, {"Pam", true}, {"Petra", true},
	{"Priya", true}, {"Quinn", true}, {"Rachel", true}, {"Renée", true}, {"Rosa", true}, {"Sandra", true},
	{"Shanice", true}, {"Sofia", true}, {"Tamara", true}, {"Thandi", true}, {"Uma", true}, {"Vera", true},
	{"Wanda", true}, {"Ximena", true}, {"Yara", true}, {"Zoë", true}, {"Grace", true}, {"Hope", true},
	{"Aaron", false}, {"Ahmed", false}, {"Alan", false}, {"Andre", false}, {"Anton", false}, {"Ben", false},
	{"Bill", false}, {"Carlos", false}, {"Cedric", false}, {"Chen", false}, {"Colin", false}, {"Darnell", false},
	{"David", false}, {"Diego", false}, {"Emeka", false}, {"Erik", false}, {"Farid", false}, {"Frank", false},
	{"Gavin", false}, {"George", false}, {"Hassan", false}, {"Hiro", false}, {"Ian", false}, {"Igor", false},
	{"Jamal", false}, {"Jim", false}, {"Kofi", false}, {"Kurt", false}, {"Liam", false}, {"Luis", false},
	{"Marc", false}, {"Mark", false}, {"Milan", false}, {"Nate", false}, {"Nikhil", false}, {"Omar", false},
	{"Oscar", false}, {"Paolo", false}, {"Rajesh", false}, {"Ray", false}, {"Ruben", false}, {"Sam", false},
	{"Sean", false}, {"Tariq", false}, {"Tom", false}, {"Victor", false}, {"Walid", false}, {"Will", false},
	{"Xavier", false}, {"Yusuf", false}, {"Zack", false}, {"Art", false},
}

var surnames = []string{
	"Abberlow", "Adderwick", "Aldmoor", "Amberthwaite", "Anstrell", "Arkwold", "Ashgarrow", "Bannerfell",
	"Barlowick", "Beckenrow", "Bellamarsh", "Bexworthy", "Birchenall", "Blackthorrow-Pell", "Bramblecott", "Brindlemere",
	"Cardalow", "Carrowmund", "Castellard", "Chadderfen", "Clavering-Rhee", "Coldwick", "Corrigale", "Cranmoor",
	"Dallowby", "Danvarro", "Darrowfield", "Delacombry", "Dovermarsh", "Drumgold", "Dunnaway-Sze", "Eastermoor",
	"Eddlestrom", "Elderquist", "Ellingrave", "Embersohn", "Fairkestle", "Falconbury", "Fennimark", "Ferrowale",
	"Finchelmore", "Foxenby", "Galbrandt", "Gallowmere", "Garsidew", "Glassmoor", "Goldwattle", "Grantling",
	"Greenhalder", "Hallowick", "Harkenrode", "Hathermill", "Hazelgrove-Oyo", "Heddlemann", "Hollinfar", "Hucklebray",
	"Iddlestone", "Inchmarlow", "Ironsworth", "Jarrowdale", "Jessamor", "Kelderman-Voss", "Kestrelby", "Kilbrannock",
	"Kirkenfall", "Knottley", "Lambourneau", "Larkspurr", "Leathermoor", "Lindqvale", "Lockridge-Amu", "Lutterfield",
	"Maddowick", "Malvernay", "Marrowby", "Mellishaw", "Merridock", "Mossgrave", "Mulberrow", "Nettlefold-Ito",
	"Norquay-Bell", "Oakenfell", "Oddfellow", "Olivastro", "Ormsgarth", "Osterbrook", "Packerell", "Pellingham",
	"Penhallowen", "Pettibrook", "Pinkerdale", "Quarrington", "Quillfeather", "Rackstraw-Liu", "Ravelstone", "Redfernley",
	"Rimmerdale", "Rookwarden", "Rosenthwaite", "Rowanmarsh", "Sallowby", "Sandercott", "Scarrowhill", "Selbourniak",
	"Shadwillow", "Silvernale", "Skelderby", "Sommerquist", "Sparrowhurst", "Starkwether", "Stillwarden", "Swannaby",
	"Tallowmere", "Tanglewick", "Tarrowby", "Thistlemark", "Thornquist", "Tidewell", "Tolliverne", "Trendlebury",
	"Umberfield", "Underhallow", "Valdmoor", "Vantonmere", "Verrowick", "Wackerdene", "Wallenmoor", "Waterhallow",
	"Weatherlow", "Westerquill", "Whitlowe", "Wickersham-Oh", "Willowdene", "Winterfolk", "Woldingham", "Wrenfield",
	"Yarrowdale", "Yewtree", "Zellinger-Kay", "Zimmerlow",
}

var orgHeads = []string{
	"Alderpoint", "Bluegarnet", "Brightfen", "Cedarline", "Copperhollow", "Dovetail", "Eastlight", "Fernhaven",
	"Foxglade", "Granitebay", "Harrowgate", "Ironbridge", "Juniper Hill", "Kestrel", "Larkmoor", "Lumenfield",
	"Maplestone", "Northquay", "Oakhollow", "Pinecrest Valley", "Quartzline", "Redharbor", "Silverfen", "Stonewell",
	"Tallgrass", "Umberlight", "Vantagefield", "Westmarrow", "Willowbank", "Yellowpine",
}

// orgTails are, by domain, what a company of it is called after its head.
var orgTails = map[string][]string{
	"telecom":   {"Telecom", "Wireless", "Mobile", "Broadband", "Communications"},
	"insurance": {"Insurance", "Mutual", "Auto Insurance", "Assurance", "Casualty"},
	"bank":      {"Bank", "Credit Union", "Savings Bank", "Financial", "Trust"},
	"retail":    {"Home Goods", "Outfitters", "Furniture", "Electronics", "Paper Company"},
	"clinic":    {"Health Plan", "Health Insurance", "Benefits", "Care Network"},
	"":          {"Logistics", "Software", "Consulting", "Industries", "Trust Fund", "Bakery", "Design", "Systems Inc", "Partners LLC", "Construction"},
}

var clinicTails = []string{"Family Clinic", "Medical Center", "Dental Office", "Walk-in Clinic", "Pharmacy"}

type place struct{ city, state, zip string }

var places = []place{
	{"Hamilton", "Ohio", "450"}, {"Tacoma", "Washington", "984"}, {"Springfield", "Illinois", "627"},
	{"Fresno", "California", "937"}, {"Tulsa", "Oklahoma", "741"}, {"Dayton", "Ohio", "454"},
	{"Omaha", "Nebraska", "681"}, {"Tucson", "Arizona", "857"}, {"Boise", "Idaho", "837"},
	{"Albany", "New York", "122"}, {"Knoxville", "Tennessee", "379"}, {"Duluth", "Minnesota", "558"},
	{"Spokane", "Washington", "992"}, {"Savannah", "Georgia", "314"}, {"El Paso", "Texas", "799"},
	{"Santa Fe", "New Mexico", "875"}, {"Fort Wayne", "Indiana", "468"}, {"Baton Rouge", "Louisiana", "708"},
	{"Green Bay", "Wisconsin", "543"}, {"Salt Lake City", "Utah", "841"}, {"Cedar Rapids", "Iowa", "524"},
	{"Chattanooga", "Tennessee", "374"}, {"Little Rock", "Arkansas", "722"}, {"Sioux Falls", "South Dakota", "571"},
}

var streets = []string{
	"Maple Street", "Old Mill Road", "Lakeview Drive", "Harbor Lane", "Cedar Avenue", "Quarry Road", "Juniper Court",
	"North Elm Street", "Sycamore Boulevard", "Fern Hollow Lane", "Station Road", "Orchard Place", "Second Avenue",
	"Whitewater Drive", "Beacon Terrace", "Mulberry Street", "West Ridge Road", "Millstone Way", "Willow Crescent", "Granite Street",
}

var products = map[string][]string{
	"telecom":   {"Nimbus 12", "Orbit Phone 5", "Nimbus 12 Pro", "Halo X2", "Comet Mini"},
	"insurance": {"Falconet Sedan", "Meridian 300", "Brightway Hatchback", "Tundrix pickup"},
	"retail":    {"Ember coffee maker", "Lumo desk lamp", "Quietstep treadmill", "Nimbus 12 case", "Hearth 40 heater"},
	"":          {"LedgerLoop", "Plannerly", "Trackwise Online", "Deskpilot", "Formbee Pro"},
}

var mailHosts = []string{"example.com", "example.org", "example.net", "mail.example.com"}

var medTerms = []string{
	"whiplash", "migraines", "high blood pressure", "asthma", "tendinitis", "diabetes", "eczema", "bronchitis",
	"sciatica", "anemia", "an ear infection", "back pain",
}

var drugs = []string{"metformin", "ibuprofen", "amoxicillin", "lisinopril", "albuterol", "omeprazole", "penicillin", "naproxen"}

var days = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

var months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

var userWords = []string{"tealmoth", "gravelking", "sunnyotter", "nightkettle", "papercrane", "oldbiscuit", "quietstorm", "rustybell", "mrpancake", "zigzagfox"}

var asIn = [26]string{
	"apple", "boy", "cat", "dog", "echo", "frank", "george", "hotel", "igloo", "john", "kilo", "lima", "mary",
	"nancy", "oscar", "peter", "queen", "robert", "sam", "tango", "uncle", "victor", "whiskey", "x-ray", "yellow", "zebra",
}
