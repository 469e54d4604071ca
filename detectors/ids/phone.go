package ids

import (
	"bytes"
	"slices"
	"strings"
)

// PhoneLength is the length of a telephone number of North America without its
// country code.
const PhoneLength = 10

// areaCodes are the geographic and non-geographic codes in service in the North
// American Numbering Plan (NANPA, codes in service).
const areaCodes = "201 202 203 204 205 206 207 208 209 210 212 213 214 215 216 217 218 219 220 223 224 225 " +
	"226 227 228 229 231 234 235 236 239 240 242 246 248 249 250 251 252 253 254 256 257 260 " +
	"262 263 264 267 268 269 270 272 274 276 279 281 283 284 289 301 302 303 304 305 306 307 " +
	"308 309 310 312 313 314 315 316 317 318 319 320 321 323 324 325 326 327 329 330 331 332 " +
	"334 336 337 339 340 341 343 345 346 347 350 351 352 353 354 357 360 361 363 364 365 367 " +
	"368 369 380 382 385 386 387 401 402 403 404 405 406 407 408 409 410 412 413 414 415 416 " +
	"417 418 419 423 424 425 428 430 431 432 434 435 436 437 438 440 441 442 443 445 447 448 " +
	"450 457 458 463 464 468 469 470 472 473 474 475 478 479 480 483 484 500 501 502 503 504 " +
	"505 506 507 508 509 510 512 513 514 515 516 517 518 519 520 530 531 533 534 539 540 541 " +
	"544 548 551 557 559 561 562 563 564 566 567 570 571 572 573 574 575 577 579 580 581 582 " +
	"584 585 586 587 588 600 601 602 603 604 605 606 607 608 609 610 612 613 614 615 616 617 " +
	"618 619 620 621 622 623 624 626 628 629 630 631 633 636 639 640 641 645 646 647 649 650 " +
	"651 656 657 658 659 660 661 662 664 667 669 670 671 672 678 679 680 681 682 683 684 686 " +
	"689 700 701 702 703 704 705 706 707 708 709 710 712 713 714 715 716 717 718 719 720 721 " +
	"724 725 726 727 728 729 730 731 732 734 737 738 740 742 743 747 748 753 754 757 758 760 " +
	"762 763 765 767 769 770 771 772 773 774 775 778 779 780 781 782 784 785 786 787 800 801 " +
	"802 803 804 805 806 807 808 809 810 812 813 814 815 816 817 818 819 820 821 825 826 828 " +
	"829 830 831 832 833 835 837 838 839 840 843 844 845 847 848 849 850 854 855 856 857 858 " +
	"859 860 861 862 863 864 865 866 867 868 869 870 872 873 876 877 878 879 888 900 901 902 " +
	"903 904 905 906 907 908 909 910 912 913 914 915 916 917 918 919 920 924 925 928 929 930 " +
	"931 934 936 937 938 939 940 941 942 943 945 947 948 949 951 952 954 956 959 970 971 972 " +
	"973 975 978 979 980 983 984 985 986 989"

var areaCodeSet = codeSet(areaCodes)

// The results of NANP.
const (
	// NotNANP: the digits do not follow the plan.
	NotNANP = iota
	// NANPForm: they follow the plan by their form.
	NANPForm
	// NANPInService: their area code is in service too.
	NANPInService
)

// NANP returns how far ten digits follow the North American Numbering Plan: by
// their form (area code 2-9, 0-8; exchange 2-9 and not N11), or with an area code
// in service too.
func NANP(d []byte) int {
	if len(d) != PhoneLength || d[0] < '2' || d[1] == '9' || !Exchange(d[3:6]) {
		return NotNANP
	}
	if areaCodeSet[Number(d[:3])] {
		return NANPInService
	}
	if d[1] == '1' && d[2] == '1' {
		return NotNANP
	}
	return NANPForm
}

// Exchange reports whether three digits can be a central office code (NANP): 2-9
// and not N11.
func Exchange(d []byte) bool { return d[0] >= '2' && !(d[1] == '1' && d[2] == '1') }

// countryCodes are the assigned country codes of E.164 with two digits. 1 and 7
// have one digit, all others have three.
const countryCodes = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 " +
	"63 64 65 66 81 82 84 86 90 91 92 93 94 95 98"

// countryCode returns the length of the country code that d begins with, 0 when
// it begins with none.
func countryCode(d []byte) int {
	if len(d) < 4 {
		return 0
	}
	if d[0] == '1' || d[0] == '7' {
		return 1
	}
	switch {
	case strings.Contains(countryCodes, string(d[:2])):
		return 2
	case d[0] == '0':
		return 0
	}
	return 3
}

// IsNANP reports whether a code follows the North American Numbering Plan by its form,
// with the country code or without.
func IsNANP(code []byte) bool { return NANP(National(code)) > NotNANP }

// InService reports whether the area code of a number of North America is in service.
func InService(code []byte) bool { return NANP(National(code)) == NANPInService }

// NotInService reports whether a number follows the plan by its form only.
func NotInService(code []byte) bool { return NANP(National(code)) == NANPForm }

// HasExtension reports whether a code is a telephone number with an extension.
func HasExtension(code []byte) bool {
	n := Extension(code)
	return n > 0 && Phone(code[:n]) >= Shape
}

// InternationalPrefix reports whether a code is a number of ITU-T E.164 behind "00".
func InternationalPrefix(code []byte) bool {
	return code[0] == '0' && code[1] == '0' && International(code[2:])
}

// International reports whether the digits behind "+" or "00" can be a number of
// ITU-T E.164: an assigned country code and 8 to 15 digits in all; for +1, the
// plan of North America.
func International(d []byte) bool {
	if len(d) < 8 || len(d) > 15 || countryCode(d) == 0 {
		return false
	}
	if d[0] == '1' {
		return len(d) == 11 && NANP(d[1:]) > NotNANP
	}
	return true
}

// National returns a number of North America without its country code.
func National(code []byte) []byte {
	if len(code) == PhoneLength+1 && code[0] == '1' {
		return code[1:]
	}
	return code
}

// PhoneCanonical returns the form by which telephone numbers are compared: without an
// extension, and without the country code of North America.
func PhoneCanonical(code []byte) []byte {
	if n := Extension(code); n > 0 {
		code = code[:n]
	}
	return National(code)
}

// Phone matches a telephone number: the North American Numbering Plan, with an
// extension or without, and the lengths of other countries (ITU-T E.164).
func Phone(code []byte) Match {
	digits, letters := Count(code)
	if letters > 0 {
		n := Extension(code)
		if n > 0 {
			return Phone(code[:n])
		}
		// "1-800-FLOWERS"
		if digits >= 3 && digits+letters >= 10 && digits+letters <= 12 && AllDigits(code[:3]) && (code[0] == '1' || code[0] == '8') {
			return Shape
		}
		return None
	}
	switch n := len(code); {
	case n == 11 && code[0] == '1' && NANP(code[1:]) > NotNANP, n == PhoneLength && NANP(code) > NotNANP:
		return Exact
	case n == 7 && Exchange(code), n == PhoneLength, n == 11:
		return Shape
	case n >= 4 && n <= 15:
		return Loose
	}
	return None
}

// MaxExtension is the most digits of an extension.
const MaxExtension = 6

// Extension returns how many digits come before the "x", "ext" or "extension" in a
// code; 0 when there is none, or when what surrounds it is no number.
func Extension(code []byte) int {
	i := slices.IndexFunc(code, func(c byte) bool { return !IsDigit(c) })
	if i < 7 || i > 13 {
		return 0
	}
	if rest := bytes.TrimLeft(code[i:], "ext"); len(rest) > MaxExtension || !AllDigits(rest) {
		return 0
	}
	return i
}
