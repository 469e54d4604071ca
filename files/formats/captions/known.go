package captions

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"

	"sotto/files/formats/harmless"
)

// What is known of the formats, and may stay. All of it has its own form: there is no place in
// which any word or any number could be.

var colours = harmless.Set("white black red green blue yellow cyan magenta lime silver gray grey maroon purple fuchsia olive navy teal aqua orange transparent")

var hexColour = harmless.Whole(`#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})`)

// isColour reports whether a word is a colour: a name, or hexadecimal digits that are no number.
func isColour(s string) bool {
	if colours[strings.ToLower(s)] {
		return true
	}
	return hexColour.MatchString(s) && (len(s) == 4 || strings.ContainsAny(s[1:7], "abcdefABCDEF") || s[1:3] == s[3:5] && s[3:5] == s[5:7])
}

// TTML.
var (
	ttmlElements = harmless.Set("tt head body div p span br set metadata title desc copyright agent name actor item styling style initial layout " +
		"region profile features feature extensions extension image audio data animation animate resources font source chunk")
	ttmlPrefixes = harmless.Whole(`|tt|ttm|ttp|tts|itt|itts|ittp|ittm|ebutts|ebuttm|ebuttdt|smpte|m608|nttm|xsi|xlink|xml|xmlns|ns\d{1,2}`)
	namespace    = harmless.Whole(`http://www\.w3\.org/(?:ns/ttml(?:/profile/(?:imsc1|imsc1\.1|presentation)(?:/text)?|/feature/|/extension/)?(?:#(?:metadata|styling|style|parameter|audio))?|` +
		`20(?:04|06)/(?:\d\d/)?(?:ttaf1)(?:#(?:metadata|styling|style|parameter))?|XML/1998/namespace|2001/XMLSchema(?:-instance)?|1999/xlink)|` +
		`http://www\.smpte-ra\.org/(?:schemas|23b)/2052-1/20(?:10|13)/(?:smpte-tt|cea608|cea708)(?:#cea[67]08)?|urn:ebu:tt:(?:metadata|style|datatypes|parameters|extension)`)
	declaration = harmless.Whole(`<\?xml version=["']1\.[01]["'](?: encoding=["'](?i:UTF-8|UTF-16|US-ASCII|ISO-8859-1|windows-1252)["'])?(?: standalone=["'](?:yes|no)["'])? ?\?>`)

	identifiers    = harmless.Set("id agent style region")
	identifierForm = harmless.Whole(`(?i)(?:speaker|agent|customer|spk|s|p|r|c|d|t|caption|cue|region|style|line|sub|subtitle|default|top|bottom|center|basic)[_-]?\d{0,4}`)
	timeNames      = harmless.Set("begin end dur")
	clockForm      = harmless.Whole(`\d{1,2}:[0-5]\d:[0-5]\d(?:[.,]\d{1,7}|:\d\d(?:\.\d)?)?`)
	offsetForm     = harmless.Whole(`(\d{1,12})(?:\.\d{1,4})?(h|m|s|ms|f|t)`)
	languageForm   = harmless.Whole(`[a-zA-Z]{2}(?:[-_](?:[A-Za-z]{2}|419))?`)

	// styleNames are the attributes of which a value is a list of styleWords, colours and measures.
	styleNames = harmless.Set("space timeContainer role type color backgroundColor direction display displayAlign extent fontFamily fontSize fontStyle " +
		"fontWeight lineHeight opacity origin overflow padding position showBackground textAlign textDecoration textOutline unicodeBidi " +
		"visibility wrapOption writingMode zIndex ruby rubyAlign rubyPosition textCombine textEmphasis linePadding multiRowAlign " +
		"forcedDisplay fillLineGap cellResolution frameRate subFrameRate frameRateMultiplier tickRate timeBase dropMode markerMode clockMode " +
		"version aspectRatio displayAspectRatio pixelAspectRatio activeArea")
	styleWords = harmless.Set("default preserve par seq action caption description dialog expletive kinesic lyrics music narration quality sound source " +
		"suppressed reproduction thought title transcription person character group organization other full family given alias " +
		"ltr rtl auto none before after center justify start end left right top bottom middle normal italic oblique reverseOblique bold " +
		"visible hidden always whenActive underline noUnderline lineThrough noLineThrough overline noOverline embed bidiOverride wrap noWrap " +
		"lrtb rltb tbrl tblr lr tb rl container base text delimiter all true false media smpte clock dropNTSC dropPAL nonDrop continuous " +
		"discontinuous local gps utc monospace sansSerif serif monospaceSansSerif monospaceSerif proportionalSansSerif proportionalSerif " +
		"Arial Helvetica Verdana Tahoma Courier Roboto")
	measure  = harmless.Whole(`[-+]?(\d{1,4})(?:\.\d{1,2})?(?:px|em|c|%|rh|rw)?`)
	tickRate = harmless.Whole(`[1-9]0{1,9}|[1-9]\d{0,4}`)
)

func knownElement(n xml.Name) bool { return ttmlElements[n.Local] && ttmlPrefixes.MatchString(n.Space) }

// keptAttribute returns the value of an attribute if it may stay, perhaps with another identifier.
func (t *ttml) keptAttribute(n xml.Name, value string) (kept string, ok bool) {
	if n.Space == "xmlns" || n.Space == "" && n.Local == "xmlns" {
		return value, (n.Local == "xmlns" || ttmlPrefixes.MatchString(n.Local)) && namespace.MatchString(value)
	}
	switch {
	case !ttmlPrefixes.MatchString(n.Space):
		return "", false
	case identifiers[n.Local]:
		return harmless.Rename(value, identifierForm, t.renamed), true
	case timeNames[n.Local]:
		return value, t.isTime(value)
	case n.Local == "lang":
		return value, value == "" || languageForm.MatchString(value)
	case n.Local == "tickRate":
		return value, tickRate.MatchString(value)
	}
	return value, styleNames[n.Local] && isStyle(value)
}

// isTime reports whether a value is a time of one day at most.
func (t *ttml) isTime(value string) bool {
	if clockForm.MatchString(value) {
		return true
	}
	m := offsetForm.FindStringSubmatch(value)
	if m == nil {
		return false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	perSecond := map[string]float64{"h": 1.0 / 3600, "m": 1.0 / 60, "s": 1, "ms": 1000, "f": 60, "t": max(t.tickRate, 1)}[m[2]]
	return err == nil && n <= 24*3600*perSecond
}

// isStyle reports whether a value has nothing but words of TTML, colours and a few measures.
func isStyle(value string) bool {
	number := 0
	for w := range strings.FieldsSeq(strings.ReplaceAll(value, ",", " ")) {
		m := measure.FindStringSubmatch(w)
		switch {
		case styleWords[w], isColour(w):
		case m == nil:
			return false
		default:
			if n, _ := strconv.Atoi(m[1]); n > 4096 {
				return false
			}
			number += len(strings.Map(onlyDigits, w))
		}
	}
	return number <= 8
}

// WebVTT and SRT.
var (
	cueSettings = map[string]*regexp.Regexp{
		"align":    harmless.Whole(`start|center|middle|end|left|right`),
		"position": harmless.Whole(`(?:100|\d{1,2})(?:\.\d{1,2})?%(?:,(?:line-left|center|line-right|start|middle|end))?`),
		"line":     harmless.Whole(`(?:-?\d{1,2}|(?:100|\d{1,2})(?:\.\d{1,2})?%)(?:,(?:start|center|end))?`),
		"size":     harmless.Whole(`(?:100|\d{1,2})(?:\.\d{1,2})?%`),
		"vertical": harmless.Whole(`rl|lr`),
		"region":   harmless.Whole(`(?:r|region|top|bottom)[_-]?\d{0,2}`),
	}
	tagForm   = harmless.Whole(`<(/?)([biuvc]|ruby|rt|lang|font)((?:\.[^ \t.>]*)*)((?:[ \t][^>]*)?)>`)
	fontForm  = harmless.Whole(` color=(?:"([^"]*)"|([^"]*))`)
	timeInCue = harmless.Whole(`<((?:\d{2}:)?[0-5]\d:[0-5]\d\.\d{3})>`)
)

// knownSettings returns the settings of a cue that may stay, each of them once.
func knownSettings(settings string) string {
	seen := map[string]bool{}
	var kept strings.Builder
	for s := range strings.FieldsSeq(settings) {
		name, value, _ := strings.Cut(s, ":")
		if form := cueSettings[name]; form != nil && !seen[name] && form.MatchString(value) {
			seen[name] = true
			kept.WriteString(" " + s)
		}
	}
	if len(seen) == len(strings.Fields(settings)) {
		return settings
	}
	return kept.String()
}

// knownTag returns what of a tag may stay. A time must be one of its cue.
func knownTag(tag string, c *cue) string {
	if m := timeInCue.FindStringSubmatch(tag); m != nil {
		if at := *milliseconds(m[1]); c.start != nil && *c.start <= at && at <= *c.end {
			return tag
		}
		return ""
	}
	m := tagForm.FindStringSubmatch(tag)
	if m == nil {
		return ""
	}
	annotation := ""
	if f := fontForm.FindStringSubmatch(m[4]); m[2] == "font" && f != nil && isColour(f[1]+f[2]) {
		annotation = m[4]
	}
	return "<" + m[1] + m[2] + knownClasses(m[3]) + annotation + ">"
}

// knownClasses keeps the classes of WebVTT: colours.
func knownClasses(classes string) string {
	var kept strings.Builder
	for c := range strings.SplitSeq(classes, ".") {
		if colours[strings.TrimPrefix(c, "bg_")] {
			kept.WriteString("." + c)
		}
	}
	return kept.String()
}

// cssWords are the words of styles and regions.
var cssWords = harmless.Set("STYLE REGION ::cue ::cue-region * b i u v c ruby rt lang id width lines regionanchor viewportanchor scroll up " +
	"color background background-color background-image font font-family font-size font-style font-variant font-weight line-height " +
	"opacity outline text-shadow text-decoration text-combine-upright text-align visibility white-space ruby-position " +
	"solid dotted dashed none initial inherit small medium large larger smaller xx-large x-large pre pre-wrap nowrap pre-line " +
	"sans-serif serif monospace underline bolder lighter " +
	"linear-gradient to bottom top left right " + extendedColours)

// extendedColours are the further names of colours in CSS, https://www.w3.org/TR/css-color-4/#named-colors.
const extendedColours = "aliceblue antiquewhite aquamarine azure beige bisque blanchedalmond blueviolet brown burlywood cadetblue " +
	"chartreuse chocolate coral cornflowerblue cornsilk crimson darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki " +
	"darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey " +
	"darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen gainsboro ghostwhite gold " +
	"goldenrod greenyellow honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue " +
	"lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue " +
	"lightslategray lightslategrey lightsteelblue lightyellow limegreen linen mediumaquamarine mediumblue mediumorchid mediumpurple " +
	"mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin " +
	"navajowhite oldlace olivedrab orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum " +
	"powderblue rebeccapurple rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna skyblue slateblue slategray " +
	"slategrey snow springgreen steelblue tan thistle tomato turquoise violet wheat whitesmoke yellowgreen"

// knownCSS reports whether a line of a style or a region has nothing but words of CSS, colours and a few
// measures.
func knownCSS(line string) bool {
	digits := 0
	for w := range strings.FieldsFuncSeq(strings.ReplaceAll(line, "::cue", " ::cue "), func(r rune) bool { return strings.ContainsRune(" \t{}();,.", r) }) {
		name, value, _ := strings.Cut(strings.TrimSuffix(w, ":"), ":")
		for _, part := range []string{name, value} {
			known := part == "" || cssWords[part] || styleWords[part] || isColour(part) || cueSettings["region"].MatchString(part)
			if strings.HasPrefix(w, "::cue") {
				known = cssWords[w]
			}
			if !known && measure.MatchString(part) {
				known = true
				digits += len(strings.Map(onlyDigits, part))
			}
			if !known {
				return false
			}
		}
	}
	return digits <= 8
}

// withoutRule returns what stands in place of a line of a style that is not known: the braces of its rule, with a
// selector that selects nothing, or a comment, since an empty line would end the block. A mask would not be CSS, and what
// was said is not in the styles.
func withoutRule(line string) string {
	opens, closes := strings.Contains(line, "{"), strings.Contains(line, "}")
	switch {
	case opens && !closes:
		return "::cue(.none) {"
	case closes && !opens:
		return "}"
	}
	return "/**/"
}

func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}
