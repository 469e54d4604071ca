package ids

import "strings"

// Lengths of the identities of devices and SIM cards (3GPP TS 23.003, ITU-T
// E.118).
const (
	IMEILength  = 15
	IMSILength  = 15
	ICCIDLength = 19
)

// imeiBody reports whether the first two digits are those of a reporting body
// (GSMA TS.06).
func imeiBody(d []byte) bool {
	return strings.Contains("01 10 30 31 33 35 44 45 49 50 51 52 53 54 86 91 98 99", string(d[:2]))
}

// IMEI matches the identity of a mobile device: 15 digits with a check digit (3GPP
// TS 23.003), 16 with the software version, or an MEID of 14 hexadecimal digits
// (3GPP2 S.R0048).
func IMEI(code []byte) Match {
	if !AllDigits(code) {
		if len(code) == 14 && IsHex(code) && code[0] >= '9' {
			return Shape
		}
		if digits, _ := Count(code); digits >= 4 && len(code) >= 6 && len(code) <= 20 {
			return Loose
		}
		return None
	}
	switch n := len(code); {
	case n == IMEILength && Luhn(code) && imeiBody(code):
		return Checked
	case n == 16 && imeiBody(code), n == IMEILength, n == 14:
		return Shape
	case n >= 4 && n <= 18:
		return Loose
	}
	return None
}

// ICCID matches the number of a SIM card (ITU-T E.118): 89, a country code, 18 to
// 22 digits of which the last is a check digit.
func ICCID(code []byte) Match {
	if !AllDigits(code) {
		return None
	}
	n := len(code)
	begins := n >= 18 && n <= 22 && code[0] == '8' && code[1] == '9' && countryCode(code[2:]) > 0
	switch {
	case begins && Luhn(code), begins && n == 20 && Luhn(code[:19]):
		return Checked
	case n >= 18 && n <= 22:
		return Shape
	case n >= 6 && n <= 24:
		return Loose
	}
	return None
}

// mobileCountries are the mobile country codes in use (ITU-T E.212).
const mobileCountries = "202 204 206 208 212 213 214 216 218 219 220 221 222 226 228 230 231 232 234 235 238 240 " +
	"242 244 246 247 248 250 255 257 259 260 262 266 268 270 272 274 276 278 280 282 283 284 " +
	"286 288 289 290 292 293 294 295 297 302 308 310 311 312 313 314 315 316 330 332 334 338 " +
	"340 342 344 346 348 350 352 354 356 358 360 362 363 364 365 366 368 370 372 374 376 400 " +
	"401 402 404 405 406 410 412 413 414 415 416 417 418 419 420 421 422 424 425 426 427 428 " +
	"429 430 431 432 434 436 437 438 440 441 450 452 454 455 456 457 460 461 466 467 470 472 " +
	"502 505 510 514 515 520 525 528 530 536 537 539 540 541 542 543 544 545 546 547 548 549 " +
	"550 551 552 553 554 555 602 603 604 605 606 607 608 609 610 611 612 613 614 615 616 617 " +
	"618 619 620 621 622 623 624 625 626 627 628 629 630 631 632 633 634 635 636 637 638 639 " +
	"640 641 642 643 645 646 647 648 649 650 651 652 653 654 655 657 658 659 702 704 706 708 " +
	"710 712 714 716 722 724 730 732 734 736 738 740 742 744 746 748 750"

var mobileCountrySet = codeSet(mobileCountries)

func codeSet(list string) (set [1000]bool) {
	for i := 0; i < len(list); i += 4 {
		set[Number([]byte(list[i:i+3]))] = true
	}
	return set
}

// IMSI matches the identity of a mobile subscriber: 15 digits that begin with a
// mobile country code (ITU-T E.212). It has no check digit.
func IMSI(code []byte) Match {
	if !AllDigits(code) {
		return None
	}
	switch n := len(code); {
	case (n == 14 || n == IMSILength) && mobileCountrySet[Number(code[:3])]:
		return Exact
	case n == 14, n == IMSILength:
		return Shape
	case n >= 6 && n <= 16:
		return Loose
	}
	return None
}
