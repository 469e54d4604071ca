package serve

import (
	"net/http"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	r := start(t)
	var got filesResponse
	part := func(name, text string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" + text + "\r\n"
	}
	r.do("POST", "/v1/files", "multipart/form-data; boundary=x", part("Ines Quimby.txt", "Ines: My name is Ines Quimby.\nBob: Hi.")+
		part("b.jsonl", `{"call_id":"c","seq":1,"type":"UTTERANCE","text":"My name is Ines Quimby."}`+"\n{\n")+
		part("c.png", "\x89PNG\r\n\x1a\n\x00Quimby")+
		part("d.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ines Quimby>My name is Ines Quimby.\n")+
		part("e.csv", "call_id,speaker,text\n1,Ines,My name is Ines Quimby.\n")+
		part("f.txt", "\xff\xfeM\x00y\x00 \x00n\x00a\x00m\x00e\x00 \x00i\x00s\x00 \x00Q\x00u\x00i\x00m\x00b\x00y\x00")+
		part("g.json", `{"Quimby":"x"}`)+"--x--\r\n", http.StatusMultiStatus, &got)
	if len(got.Files) != 7 {
		t.Fatalf("%+v", got)
	}
	if f := got.Files[0]; f.Format != "text" || !strings.Contains(f.Content, "My name is [PERSON_NAME_1].") || f.Error != "" {
		t.Errorf("%+v", f)
	}
	if f := got.Files[1]; f.Format != "events" || !strings.Contains(f.Content, `"text":"My name is [PERSON_NAME_1]."`) || len(f.BadLines) != 1 || f.BadLines[0].Line != 2 {
		t.Errorf("%+v", f)
	}
	if f := got.Files[2]; f.Content != "" || f.Error == "" {
		t.Errorf("%+v", f)
	}
	if f := got.Files[3]; f.Format != "vtt" || !strings.HasPrefix(f.Content, "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v ") {
		t.Errorf("%+v", f)
	}
	if f := got.Files[4]; f.Format != "csv" || !strings.Contains(f.Content, "My name is [PERSON_NAME_1].") || len(f.Notes) == 0 {
		t.Errorf("%+v", f)
	}
	if f := got.Files[5]; f.Error != "" || !f.Base64 {
		t.Errorf("%+v", f)
	}
	if f := got.Files[6]; f.Content != "" || !strings.Contains(f.Error, "parameter format") {
		t.Errorf("%+v", f)
	}
	r.quiet("Quimby", body(got))
	r.do("POST", "/v1/files?format=text", "multipart/form-data; boundary=x", part("a.json", "Ines: My name is Ines Quimby.")+"--x--\r\n", http.StatusOK, &got)
	if f := got.Files[0]; f.Format != "text" || !strings.Contains(f.Content, "My name is [PERSON_NAME_1].") {
		t.Errorf("%+v", f)
	}
	var refused errorBody
	r.do("POST", "/v1/files", "multipart/form-data; boundary=x", part("g.json", `{"Quimby":"x"}`)+"--x--\r\n", http.StatusUnprocessableEntity, &refused)
	if !strings.Contains(refused.Error, "parameter format") {
		t.Errorf("%+v", refused)
	}
	r.do("POST", "/v1/files?format=Quimby", "multipart/form-data; boundary=x", "--x--\r\n", http.StatusUnprocessableEntity, nil)
}
