package language

import (
	"testing"

	"sotto/detectors"
	"sotto/internal/testkit/listtest"
)

func TestLists(t *testing.T) {
	frequentWords()
	listtest.Check(t, lists)
	if len(spelled) == 0 || spelled[0] != English || len(spelled) > maxSpelled {
		t.Errorf("the languages are %v: English must be the first of at most %d", spelled, maxSpelled)
	}
}

func of(text string) Code {
	var d detectors.Document
	d.Reset(text)
	return Of(&d)
}

func TestTurns(t *testing.T) {
	for _, c := range []struct {
		text string
		want Code
	}{
		{"buenos días, quiero cambiar la dirección de mi cuenta por favor", "es"},
		{"mi nombre es Ramona Quimbolt y vivo en la calle Encina", "es"},
		{"no me funciona la tarjeta desde ayer y ya llamé antes", "es"},
		{"bonjour, je voudrais parler à quelqu'un pour ma facture s'il vous plaît", "fr"},
		{"je m'appelle Odette Larchon et j'habite à côté de la gare", "fr"},
		{"bom dia, eu gostaria de saber se o meu pedido já saiu", "pt"},
		{"não consigo entrar na minha conta, você pode me ajudar", "pt"},
		{"guten Tag, ich möchte meine Adresse ändern, weil wir umgezogen sind", "de"},
		{"können Sie mir bitte sagen, wann das Paket kommt", "de"},
		{"buongiorno, vorrei sapere perché non ho ricevuto la fattura", "it"},
		{"ho bisogno di parlare con qualcuno della mia banca", "it"},
		{"magandang umaga po, gusto ko sanang malaman kung nasaan na ang order ko", "tl"},
		{"hindi ko alam kung bakit wala pa rin ang pera", "tl"},
		{"xin chào, tôi muốn hỏi về tài khoản của tôi", "vi"},
		{"toi khong biet lam sao de doi mat khau cua toi", "vi"},
		{"你好，我想查询我的账户", "zh"},
		{"すみません、住所を変更したいのですが", "ja"},
		{"안녕하세요 주소를 변경하고 싶어요", "ko"},
		{"مرحبا أريد تغيير عنواني", "ar"},
		{"здравствуйте, я хочу изменить свой адрес", "ru"},
		{"नमस्ते मुझे अपना पता बदलना है", "hi"},
		{"καλημέρα θέλω να αλλάξω τη διεύθυνση", Other},
	} {
		if got := of(c.text); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

// Callers of any origin speak English if their words are English.
func TestEnglish(t *testing.T) {
	for _, text := range []string{
		"I would like to talk to somebody about my bill please",
		"my name is María de la Cruz and I live on Calle de los Olmos",
		"we went to Los Alamos and then to Las Lomas del Mar for the weekend",
		"he said muchas gracias and then hung up on me",
		"can you send it to Jean-Luc du Pré at the Hôtel de la Gare",
		"the pizzeria is called La Casa di Nonna and it is on Via Roma",
		"an die is what you roll and I was in the man cave",
		"no no no I said no to him so do it as I told you",
		"so the comma is also in there and the par is four",
		"I need to speak with Nguyen Thi Hoa about the order",
		"uh yeah my my sin is uh not with me right now",
	} {
		if got := of(text); got != English {
			t.Errorf("%q is %q, want English", text, got)
		}
	}
}

func TestTurnsWithoutALanguage(t *testing.T) {
	for _, text := range []string{
		"", "yes", "sí", "no", "K-O-W", "k o w a l s k i", "5 5 5 0 1 3 4", "Maria Elena de la Cruz",
		"Nguyen Thi Hoa", "José Luis de los Santos del Río", "Ludwig van der Berg von Stolzenfels",
		"five five five oh one three four", "un dos", "ok gracias", "uh huh", "Иe", "Mаrk",
	} {
		if got := of(text); got != "" {
			t.Errorf("%q is %q, want nothing", text, got)
		}
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		tag  string
		want Code
		ok   bool
	}{
		{"en", English, true}, {"en-US", English, true}, {"EN_gb", English, true}, {"eng", English, true},
		{"es-MX", "es", true}, {"fil-PH", "tl", true}, {"zh-Hans-CN", "zh", true}, {"sw-KE", Other, true},
		{"", "", false}, {"und", "", false}, {"english", "", false}, {"12", "", false}, {"x", "", false},
	} {
		if got, ok := OfTag(c.tag); got != c.want || ok != c.ok {
			t.Errorf("%q is %q, %v; want %q, %v", c.tag, got, ok, c.want, c.ok)
		}
	}
}

func TestCommonWords(t *testing.T) {
	hash := func(word string) uint64 {
		var d detectors.Document
		d.Reset(word)
		return d.Tokens[0].Hash
	}
	for _, c := range []struct {
		code Code
		word string
		want bool
	}{
		{"es", "quiero", true}, {"es", "está", true}, {"es", "the", true}, {"es", "bitte", false},
		{"es", "Ramona", false}, {"es", "cinco", false}, {"es", "uno", false}, {"zh", "the", true}, {"zh", "quiero", false},
	} {
		if got := IsCommon(c.code, hash(c.word)); got != c.want {
			t.Errorf("%s is common in %s: %v, want %v", c.word, c.code, got, c.want)
		}
	}
}

// The language of a text is one of a fixed set, and the same each time.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"buenos días, quiero mi cuenta", "hello how are you", "你好 hello", "\xff\xfe", "а\u0300 ÿ"} {
		f.Add(s)
	}
	known := map[Code]bool{"": true}
	for _, c := range Codes() {
		known[c] = true
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := of(s)
		if !known[got] {
			t.Errorf("the language is %q", got)
		}
		if again := of(s); again != got {
			t.Errorf("the language is %q, then %q", got, again)
		}
		if code, ok := OfTag(s); ok != (code != "") || !known[code] {
			t.Errorf("the language of the tag is %q, %v", code, ok)
		}
	})
}
