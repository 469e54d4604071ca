package sizing

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/texttable"
)

// Prices are what a unit costs, in any currency, by what it is a price of.
type Prices map[string]float64

// priced is what may have a price: its unit, and how many of these a load takes in a month.
var priced = map[string]struct {
	unit  string
	month func(Plan) float64
}{
	"core": {"an hour of a core", func(p Plan) float64 { return p.Cores * monthHours }},
	"disk": {"a GB on a disk for a month", func(p Plan) float64 { return p.Disk / 1e9 }},
	"zone": {"a GB between zones", func(p Plan) float64 { return p.CrossZone * 3600 * monthHours / 1e9 }},
}

const monthHours = 730

// ParsePrices reads prices as "disk=0.1,zone=0.02,core=0.05". Those that are left out are 0.
func ParsePrices(given string) (Prices, error) {
	prices := Prices{}
	for pair := range strings.SplitSeq(given, ",") {
		name, text, _ := strings.Cut(pair, "=")
		price, err := strconv.ParseFloat(text, 64)
		if _, ok := priced[name]; !ok || err != nil || !(price >= 0) {
			return nil, fmt.Errorf("%q is not a price: write %s and a number, as in disk=0.1,zone=0.02,core=0.05", pair, strings.Join(slices.Sorted(maps.Keys(priced)), ", "))
		}
		prices[name] = price
	}
	return prices, nil
}

// WriteCosts writes the disk and the traffic between zones of loads as a table for people and, with
// prices, what a million minutes of calls cost at that load.
func WriteCosts(w io.Writer, loads []Load, prices Prices) error {
	titles := []string{"calls", "disk", "between zones"}
	names := slices.Sorted(maps.Keys(prices))
	if len(names) > 0 {
		titles = append(append(titles, names...), "per million minutes")
	}
	t := texttable.New(titles...)
	for _, l := range loads {
		p := Compute(l)
		cells := []any{thousands(l.Calls), fmt.Sprintf("%.1f GB", p.Disk/1e9), rate(p.CrossZone)}
		sum, millions := 0.0, float64(l.Calls)*60*monthHours/1e6 // of minutes in a month
		for _, name := range names {
			cost := priced[name].month(p) * prices[name] / millions
			sum += cost
			cells = append(cells, fmt.Sprintf("%.2f", cost))
		}
		t.Row(append(cells, fmt.Sprintf("%.2f", sum))...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := fmt.Fprintf(w, "%s: %g for %s.\n", name, prices[name], priced[name].unit); err != nil {
			return err
		}
	}
	return nil
}
