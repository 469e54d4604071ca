package table

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Headers are no values, and columns are known however their names are written.
func TestHeadersStay(t *testing.T) {
	d, err := ReadCSV("Speaker,Start Time,End Time,Message Body,queue,csat,nps,call_duration_min,Ines Larkmoor\nx,1.5,2,hello,billing desk,4,9,12,yes\n", 0, Columns{})
	if err != nil {
		t.Fatal(err)
	}
	var masked []string
	for _, o := range d.Calls[0].Others {
		if !o.Plain {
			masked = append(masked, o.Text)
		}
	}
	turn := d.Calls[0].Turns[0]
	if strings.Join(masked, "|") != "billing desk|yes|Ines Larkmoor" || turn.Text != "hello" || turn.StartMS == nil || *turn.StartMS != 1500 || *turn.EndMS != 2000 {
		t.Errorf("%q, %+v", masked, turn)
	}
}

// So do those in other languages, and what programs write in them.
func TestHeadersInOtherLanguagesStay(t *testing.T) {
	for _, table := range []string{
		"ID de llamada;Agente;Hora de inicio;Duración (s);Transcripción\n5001;agent;10:15:00;182;hello\n",
		"Identifiant appel,Horodatage,Locuteur,Durée (s),Message\n5001,2024-03-01T09:00:00Z,Agent,182,hello\n",
		"Call ID,Start Time,AHT (sec),Speaker,Transcript\n5001,2024-05-01 10:00:00,312,Agent,hello\n",
	} {
		d, err := ReadCSV(table, 0, Columns{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range d.Calls[0].Others {
			if !o.Plain && o.Text != "agent" {
				t.Errorf("%q is masked", o.Text)
			}
		}
		if d.Calls[0].ID != "5001" {
			t.Errorf("the call of %q is %q", table, d.Calls[0].ID)
		}
	}
}

func TestColumnsOfTexts(t *testing.T) {
	for _, name := range []string{"Transcription", "transcript_text", "call_transcript", "Full Transcript", "dialogue", "conversation", "chat", "msg", "Message Body", "comment", "texto", "Mensaje", "Transkript"} { //nolint:misspell // other languages
		d, err := ReadCSV("id,"+name+"\n7,hello there\n", 0, Columns{})
		if err != nil || len(d.Calls) != 1 || d.Calls[0].Turns[0].Text != "hello there" {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ReadCSV("order,notes,Ines Larkmoor\n1,2,3\n", 0, Columns{})
	if !errors.Is(err, ErrNoText) || !strings.HasSuffix(err.Error(), "the columns are order, notes, (column 3)") {
		t.Error(err)
	}
}

// A file that is no table has a whole text where a table has the names of its columns.
func TestGuessTakesNoTimeForATextWithoutLines(t *testing.T) {
	text := strings.Repeat("a\ufffd ", 2_000_000)
	began := time.Now()
	if _, guessed := (Columns{}).Guess([]string{text}); guessed != "" {
		t.Errorf("guessed %s", guessed)
	}
	if took := time.Since(began); took > 2*time.Second { // with the text compared to every usual name, it is over ten
		t.Errorf("it took %s", took)
	}
}
