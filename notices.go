// Package sotto embeds the texts that must accompany every copy of the program.
package sotto

import _ "embed"

// Licence is the licence of Sotto itself.
//
//go:embed LICENSE
var Licence string

// ThirdPartyNotices are the licences and notices of everything else that the program contains:
// linked modules, the Go standard library, and the sources of the embedded data.
//
//go:embed THIRD_PARTY_NOTICES
var ThirdPartyNotices string
