package pattern

// imeiBody tells whether the first two digits are a reporting body's (GSMA TS.06).
func imeiBody(d []byte) bool {
	switch number(d[:2]) {
	case 1, 10, 30, 31, 33, 35, 44, 45, 49, 50, 51, 52, 53, 54, 86, 91, 98, 99:
		return true
	}
	return false
}

// imeiFit tells how far a code can be the identity of a device: 15 digits with a
// check digit, 16 with the software version, or an MEID of 14 hexadecimal digits.
func imeiFit(code []byte) fit {
	if !allDigits(code) {
		if len(code) == 14 && isHex(code) && code[0] >= '9' {
			return fitShape
		}
		if d, _ := count(code); d >= 4 && len(code) >= 6 && len(code) <= 20 {
			return fitLoose
		}
		return fitNone
	}
	switch n := len(code); {
	case n == 15 && luhn(code) && imeiBody(code):
		return fitChecked
	case n == 16 && imeiBody(code), n == 15, n == 14:
		return fitShape
	case n >= 4 && n <= 18:
		return fitLoose
	}
	return fitNone
}

func isHex(code []byte) bool {
	for _, c := range code {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// iccidFit tells how far a code can be the number of a SIM card (ITU-T E.118):
// 89, a country code, 18 to 22 digits, the last one a check digit.
func iccidFit(code []byte) fit {
	if !allDigits(code) {
		return fitNone
	}
	n := len(code)
	begins := n >= 18 && n <= 22 && code[0] == '8' && code[1] == '9' && countryCode(code[2:]) > 0
	switch {
	case begins && luhn(code), begins && n == 20 && luhn(code[:19]):
		return fitChecked
	case begins, n >= 18 && n <= 22:
		return fitShape
	case n >= 6 && n <= 24:
		return fitLoose
	}
	return fitNone
}

// mobileCountries are the mobile country codes in use (ITU-T E.212).
const mobileCountries = "202 204 206 208 212 213 214 216 218 219 220 221 222 226 228 230 231 232 234 235 238 240 242 244 246 247 248 250 255 " +
	"257 259 260 262 266 268 270 272 274 276 278 280 282 283 284 286 288 289 290 292 293 294 295 297 302 308 310 311 312 313 314 315 316 " +
	"330 332 334 338 340 342 344 346 348 350 352 354 356 358 360 362 363 364 365 366 368 370 372 374 376 400 401 402 404 405 406 410 412 " +
	"413 414 415 416 417 418 419 420 421 422 424 425 426 427 428 429 430 431 432 434 436 437 438 440 441 450 452 454 455 456 457 460 461 " +
	"466 467 470 472 502 505 510 514 515 520 525 528 530 536 537 539 540 541 542 543 544 545 546 547 548 549 550 551 552 553 554 555 602 " +
	"603 604 605 606 607 608 609 610 611 612 613 614 615 616 617 618 619 620 621 622 623 624 625 626 627 628 629 630 631 632 633 634 635 " +
	"636 637 638 639 640 641 642 643 645 646 647 648 649 650 651 652 653 654 655 657 658 659 702 704 706 708 710 712 714 716 722 724 730 " +
	"732 734 736 738 740 742 744 746 748 750"

var mobileCountrySet = func() (set [1000]bool) {
	for i := 0; i < len(mobileCountries); i += 4 {
		set[number([]byte(mobileCountries[i:i+3]))] = true
	}
	return set
}()

// imsiFit tells how far a code can be a mobile subscriber's identity: 15 digits
// that begin with a mobile country code. It has no check digit.
func imsiFit(code []byte) fit {
	if !allDigits(code) {
		return fitNone
	}
	switch n := len(code); {
	case (n == 14 || n == 15) && mobileCountrySet[number(code[:3])]:
		return fitExact
	case n == 14, n == 15:
		return fitShape
	case n >= 6 && n <= 16:
		return fitLoose
	}
	return fitNone
}
