package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// bombs are files that would take much more memory than they have, by name: one long text, many texts, deep and wide ones.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	const most = 7_500_000
	fill := func(s string) string { return strings.Repeat(s, most/len(s)) }
	all := map[string][]byte{
		"line.txt": []byte(fill("my ")), "addresses.txt": []byte(fill("a@b.co ")), "letters.txt": []byte(fill("a.")), "hosts.txt": []byte(fill("www.")),
		"word.txt": []byte(fill("x")), "digits.txt": []byte(fill("7")), "marks.txt": []byte("e" + fill("\u0301")), "invalid.txt": []byte(fill("a\xff ")),
		"lines.txt":   []byte(strings.Repeat("Ines Quimby: my name is Ines\n", 49_000)),
		"cell.csv":    []byte("speaker,text\nA,\"" + fill("my ") + "\"\n"),
		"wide.csv":    []byte("text," + strings.Repeat("a,", 499_000) + "b\n" + strings.Repeat("c,", 400)),
		"string.json": []byte(`[{"speaker":"A","text":"` + fill("my ") + `"}]`),
		"deep.json":   []byte(strings.Repeat("[", 499_000)), "deep2.json": []byte(strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)),
		"wide.json": []byte(`[` + strings.Repeat(`"Ines Quimby",`, 49_000) + `"a"]`), "numbers.json": []byte(`{"n":[` + strings.Repeat("1e999,", 499_000) + "1]}"),
		"line.html": []byte("<html><body>" + fill("my ")), "wide.html": []byte("<html><body>" + strings.Repeat("<p>a", 490_000)),
		"deep.html": []byte("<html><body>" + strings.Repeat("<table><tr><td>", 160_000) + "a"),
	}
	mail := func(kind, body string) []byte {
		return []byte("Subject: a\r\nContent-Type: " + kind + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(body)))
	}
	all["line.eml"] = mail("text/plain", fill("my ")[:5_000_000])
	all["tags.eml"] = mail("text/html", strings.Repeat("<b>", 1_700_000))
	all["lines.eml"] = mail("text/plain", strings.Repeat("a\n", 2_500_000))
	word := func(body string) []byte {
		return zipped(t, map[string]string{"word/document.xml": "<w:document><w:body>" + body + "</w:body></w:document>"})
	}
	all["line.docx"] = word("<w:p><w:r><w:t>" + strings.Repeat("my ", 10_000_000) + "</w:t></w:r></w:p>")
	all["lines.docx"] = word(strings.Repeat("<w:p><w:r><w:t>a</w:t></w:r></w:p>", 3_000_000))
	all["wide.docx"] = word("<w:tbl><w:tr>" + strings.Repeat("<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>", 2_000_000) + "</w:tr></w:tbl>")
	all["deep.docx"] = word(strings.Repeat("<w:tbl><w:tr><w:tc>", 2_000_000))
	book := func(shared, rows string) []byte {
		return zipped(t, map[string]string{"xl/workbook.xml": `<workbook><sheets><sheet name="a"/></sheets></workbook>`,
			"xl/sharedStrings.xml": "<sst>" + shared + "</sst>", "xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"})
	}
	row := func(cells string, n int) string { return strings.Repeat("<row>"+cells+"</row>", n) }
	header := `<row><c t="inlineStr"><is><t>text</t></is></c></row>`
	all["shared.xlsx"] = book("<si><t>"+strings.Repeat("my ", 10_000)+"</t></si>", header+row(`<c t="s"><v>0</v></c>`, 100_000))
	all["rows.xlsx"] = book("", header+row(`<c r="XFD1"><v>1</v></c>`, 100_000))
	all["strings.xlsx"] = book(strings.Repeat("<si/>", 10_000_000), header)
	all["cell.xlsx"] = book("", header+`<row><c t="inlineStr"><is><t>`+strings.Repeat("my ", 10_000_000)+`</t></is></c></row>`)
	all["rows.parquet"] = parquetBomb(t)
	type turn struct {
		Text string `parquet:"text,dict,zstd"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []turn{{strings.Repeat("my ", 200_000)}}); err != nil {
		t.Fatal(err)
	}
	all["cell.parquet"] = b.Bytes()
	var known strings.Builder
	known.WriteString(`{"recipients":[`)
	for i := range 40_000 {
		fmt.Fprintf(&known, `"write to a%d@example.com",`, i)
	}
	all["values.json"] = []byte(known.String() + `"a"]}`)
	return all
}

func zipped(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(parts[name]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inForm returns a request with a file.
func inForm(t *testing.T, name string, content []byte) (kind string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("f", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = form.Close()
	return form.FormDataContentType(), b.Bytes()
}

// sideBySide gives every bomb to one of six workers, each with a process of its own. Most of them take until they are stopped.
// make test-hostile lets three run at once, and all six with DURATION.
func sideBySide(t *testing.T, all map[string][]byte, work func(t *testing.T, names <-chan string)) {
	t.Helper()
	names := make(chan string, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names <- name
	}
	close(names)
	for i := range 6 {
		t.Run(fmt.Sprint("worker ", i+1), func(t *testing.T) {
			t.Parallel()
			work(t, names)
		})
	}
}

// TestServeSurvivesBombs sends every bomb to a service with 512 MiB of memory, which answers within its time limit, and
// others afterwards.
func TestServeSurvivesBombs(t *testing.T) {
	if hostileTime(t) == 0 {
		t.Skip("it takes minutes; make test-hostile runs it")
	}
	all := bombs(t)
	sideBySide(t, all, func(t *testing.T, names <-chan string) {
		s := startLimited(t)
		for name := range names {
			s.survives(t, name, all[name])
		}
		if status, answer := s.post(t.Context(), "/v1/anonymize", "application/json", []byte(`{"text":"This is Ines Quimby."}`)); status != http.StatusOK {
			t.Errorf("after the bombs: status %d: %s", status, answer)
		}
	})
}

// survives sends a file, and checks that the service answers in time and stays small.
func (s *limitedService) survives(t *testing.T, name string, content []byte) {
	t.Helper()
	kind, body := inForm(t, name, content)
	began, worked := time.Now(), make(chan time.Duration, 1)
	late := time.AfterFunc(30*time.Second, func() { worked <- processorTime(t, s.pid) })
	status, answer := s.post(t.Context(), "/v1/files", kind, body)
	took, peak := time.Since(began), s.peak()>>10
	t.Logf("%-14s %4d KiB: %d after %.1fs, at most %d MiB resident: %.120q", name, len(content)>>10, status, took.Seconds(), peak, answer)
	if status == 0 || status == http.StatusInternalServerError {
		t.Errorf("%s: status %d", name, status)
	}
	// A busy machine makes the answer late, but not the work that is done after its time.
	if !late.Stop() {
		if more := processorTime(t, s.pid) - <-worked; more > 2*time.Second {
			t.Errorf("%s: the work went on for %s", name, more)
		}
	}
	if peak > 512 {
		t.Fatalf("%s: %d MiB were resident", name, peak)
	}
}

// TestAnonymizeSurvivesBombs gives every bomb to sotto anonymize with 512 MiB of memory, for some seconds each.
func TestAnonymizeSurvivesBombs(t *testing.T) {
	if hostileTime(t) == 0 {
		t.Skip("it takes minutes; make test-hostile runs it")
	}
	all := bombs(t)
	sideBySide(t, all, func(t *testing.T, names <-chan string) {
		for name := range names {
			anonymizeSurvives(t, name, all[name])
		}
	})
}

// leastForBomb is for how long a file is read at least, so that one that fills the memory can do so.
const leastForBomb = 10 * time.Second

func anonymizeSurvives(t *testing.T, name string, content []byte) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), max(hostileTime(t)/4, leastForBomb))
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], "anonymize", path, "-o", filepath.Join(folder, "out."+name))
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "SOTTO_") }), envMain+"=1", "GOMEMLIMIT=320MiB", "GOTRACEBACK=none")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	peak, err := highest(ended, cmd.Process.Pid)
	t.Logf("%-14s %4d KiB: %v after %.1fs, at most %d MiB resident: %.120s", name, len(content)>>10, err, time.Since(began).Seconds(), peak, stderr.String())
	if peak > 512 {
		t.Errorf("%s: %d MiB were resident", name, peak)
	}
	if strings.Contains(stderr.String(), "fatal error") || strings.Contains(stderr.String(), "panic") {
		t.Errorf("%s: it crashed", name)
	}
}

// highest returns how a process ended, and its largest resident size in MiB.
func highest(ended <-chan error, pid int) (mib int, err error) {
	for {
		if kib, ok := resident(pid); ok {
			mib = kib >> 10
		}
		select {
		case err := <-ended:
			return mib, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// processorTime returns how long a process has worked.
func processorTime(t *testing.T, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Error(err)
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	var ticks time.Duration
	for _, field := range strings.Fields(after)[11:13] { // in the kernel and outside of it, in hundredths of a second
		n, _ := strconv.Atoi(field)
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}
