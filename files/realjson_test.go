package files

import "testing"

// JSON of tools without a format of their own: the turns are found, what is no text stays, and what is JSON stays JSON.
func TestJSONThatPeopleHave(t *testing.T) {
	const words = `{"text":"hi","start":0.1,"end":0.3},{"text":"this","start":0.4,"end":0.6},{"text":"is","start":0.7,"end":0.8},{"text":"Ines","start":1.25,"end":1.5},` +
		`{"text":"Quimby","start":1.6,"end":1.95},{"text":"speaking","start":2.5,"end":3.1}`
	for name, c := range map[string]struct{ raw, want string }{
		"an object of several lines": {"{\n  \"call_id\": \"c1\",\n  \"transcript\": \"Agent: This is Ines Quimby.\"\n}\n", "{\n  \"call_id\": \"c1\",\n  \"transcript\": \"Agent: This is [PERSON_NAME_1].\"\n}\n"},
		"messages in conversations": {`{"conversations":[{"conversation_id":"c1","messages":[{"content":"This is Ines Quimby","sender":"agent","timestamp":"2025-04-27T22:22:05Z"},{"content":"Thanks Ines","sender":"customer","timestamp":"2025-04-27T22:22:12Z"}],"outcome":{"name":"unresolved"}},` +
			`{"conversation_id":"c2","messages":[{"content":"This is Tobias Wendover","sender":"agent","timestamp":"2025-04-27T22:22:05Z"}],"outcome":{"name":"unresolved"}}]}`,
			`{"conversations":[{"conversation_id":"c1","messages":[{"content":"This is [PERSON_NAME_1]","sender":"agent","timestamp":"2025-04-27T22:22:05Z"},{"content":"Thanks [PERSON_NAME_1]","sender":"customer","timestamp":"2025-04-27T22:22:12Z"}],"outcome":{"name":"unresolved"}},` +
				`{"conversation_id":"c2","messages":[{"content":"This is [PERSON_NAME_1]","sender":"agent","timestamp":"2025-04-27T22:22:05Z"}],"outcome":{"name":"unresolved"}}]}`},
		"ShareGPT": {`[{"id":"x","conversations":[{"from":"human","value":"I am Ines Quimby"},{"from":"gpt","value":"Hello Ines"}]}]`,
			`[{"id":"[GENERIC_ID_1]","conversations":[{"from":"human","value":"I am [PERSON_NAME_1]"},{"from":"gpt","value":"Hello [PERSON_NAME_1]"}]}]`},
		"ShareGPT a line": {`{"conversations":[{"from":"human","value":"I am Ines Quimby"},{"from":"gpt","value":"Hello Ines"}]}` + "\n" + `{"conversations":[{"from":"human","value":"I am Tobias Wendover"}]}` + "\n",
			`{"conversations":[{"from":"human","value":"I am [PERSON_NAME_1]"},{"from":"gpt","value":"Hello [PERSON_NAME_1]"}]}` + "\n" + `{"conversations":[{"from":"human","value":"I am [PERSON_NAME_1]"}]}` + "\n"},
		"pairs": {`[{"convo_id":1,"original":[["agent","This is Ines Quimby"],["customer","Thanks Ines"]]}]`, `[{"convo_id":1,"original":[["agent","This is [PERSON_NAME_1]"],["customer","Thanks [PERSON_NAME_1]"]]}]`},
		"parts of messages": {`{"messages":[{"role":"user","content":[{"type":"text","text":"I am Ines Quimby"}]},{"role":"assistant","content":"Hello Ines"},{"role":"assistant","content":null}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"I am [PERSON_NAME_1]"}]},{"role":"assistant","content":"Hello [PERSON_NAME_1]"},{"role":"assistant","content":null}]}`},
		"calls by their names": {`{"c1":{"log":[{"speaker":"user","text":"I am Ines Quimby"}]},"c2":{"log":[{"speaker":"user","text":"I am Tobias Wendover"}]}}`,
			`{"c1":{"log":[{"speaker":"user","text":"I am [PERSON_NAME_1]"}]},"c2":{"log":[{"speaker":"user","text":"I am [PERSON_NAME_1]"}]}}`},
		"words": {`{"words":[` + words + `]}`,
			`{"words":[{"text":"hi","start":0.1,"end":0.3},{"text":"this","start":0.4,"end":0.6},{"text":"is","start":0.7,"end":0.8},{"text":"[PERSON_NAME_1]","start":1.25,"end":1.95},{"text":"speaking","start":2.5,"end":3.1}]}`},
		"words of a text": {`{"text":"Hi this is Ines Quimby speaking","chunks":[{"text":" Hi","timestamp":[0,0.3]},{"text":" this","timestamp":[0.4,0.7]},{"text":" is","timestamp":[0.8,1.1]},{"text":" Ines","timestamp":[1.2,1.5]},{"text":" Quimby","timestamp":[1.6,11.9]},{"text":" speaking","timestamp":[12.0,12.3]}]}`,
			`{"text":"Hi this is [PERSON_NAME_1] speaking","chunks":[{"text":" Hi","timestamp":[0,0.3]},{"text":" this","timestamp":[0.4,0.7]},{"text":" is","timestamp":[0.8,1.1]},{"text":" [PERSON_NAME_1]","timestamp":[1.2,11.9]},{"text":" speaking","timestamp":[12.0,12.3]}]}`},
		"JSON in a string": {`[{"speaker":"agent","text":"This is Ines Quimby.","raw":"{\"id\": 815, \"agentName\": \"Ines Quimby\", \"team\": {\"id\": 7}}"}]`,
			`[{"speaker":"agent","text":"This is [PERSON_NAME_1].","raw":"{\"id\": 815, \"agentName\": \"[PERSON_NAME_1]\", \"team\": {\"id\": 7}}"}]`},
		"Bedrock Data Automation": {`{"metadata":{"asset_id":"0","semantic_modality":"AUDIO","format":"wav","codec":"pcm_s16le","sample_rate":8000,"dominant_asset_language":"EN"},"audio_items":[{"item_index":100,"audio_segment_index":0,"content":"This","start_timestamp_millis":1620,"end_timestamp_millis":2050},` +
			`{"item_index":101,"audio_segment_index":0,"content":"is","start_timestamp_millis":2050,"end_timestamp_millis":2100},{"item_index":102,"audio_segment_index":0,"content":"Ines","start_timestamp_millis":2100,"end_timestamp_millis":2300}],` +
			`"audio_segments":[{"segment_index":0,"start_timestamp_millis":1620,"end_timestamp_millis":2300,"type":"TRANSCRIPT","text":"This is Ines","speaker":{"speaker_label":"spk_1"},"language":"EN","audio_item_indices":[100,101,102]}]}`,
			`{"metadata":{"asset_id":"0","semantic_modality":"AUDIO","format":"wav","codec":"pcm_s16le","sample_rate":8000,"dominant_asset_language":"EN"},"audio_items":[{"item_index":100,"audio_segment_index":0,"content":"This","start_timestamp_millis":1620,"end_timestamp_millis":2050},` +
				`{"item_index":101,"audio_segment_index":0,"content":"is","start_timestamp_millis":2050,"end_timestamp_millis":2100},{"item_index":102,"audio_segment_index":0,"content":"[PERSON_NAME_1]","start_timestamp_millis":2100,"end_timestamp_millis":2300}],` +
				`"audio_segments":[{"segment_index":0,"start_timestamp_millis":1620,"end_timestamp_millis":2300,"type":"TRANSCRIPT","text":"This is [PERSON_NAME_1]","speaker":{"speaker_label":"spk_1"},"language":"EN","audio_item_indices":[100,101,102]}]}`},
		"IBM": {`{"result_index":0,"results":[{"final":true,"alternatives":[{"transcript":"this is Ines Quimby ","confidence":0.9,"timestamps":[["this",0.68,1.19],["is",1.47,1.93],["Ines",12.05,12.13],["Quimby",12.13,12.94]],"word_confidence":[["this",1.0],["is",0.9],["Ines",0.8],["Quimby",0.8]]}]}],` +
			`"speaker_labels":[{"from":0.68,"to":1.19,"speaker":1,"confidence":0.4,"final":false}]}`,
			`{"result_index":0,"results":[{"final":true,"alternatives":[{"transcript":"this is [PERSON_NAME_1] ","confidence":0.9,"timestamps":[["this",0.68,1.19],["is",1.47,1.93],["[PERSON_NAME_1]",12.05,12.94]],"word_confidence":[["this",1.0],["is",0.9],["[PERSON_NAME_1]",0.8]]}]}],` +
				`"speaker_labels":[{"from":0.68,"to":1.19,"speaker":1,"confidence":0.4,"final":false}]}`},
		"Amberscript": {`{"speakers":[{"spkid":"spk1","name":"Ines Quimby"}],"segments":[{"speaker":"spk1","words":[{"text":"this","start":0.1,"end":0.4,"duration":0.3},{"text":"is","start":0.5,"end":0.6,"duration":0.1},{"text":"Ines","start":10.25,"end":10.5,"duration":0.25}]}]}`,
			`{"speakers":[{"spkid":"spk1","name":"[PERSON_NAME_1]"}],"segments":[{"speaker":"spk1","words":[{"text":"this","start":0.1,"end":0.4,"duration":0.3},{"text":"is","start":0.5,"end":0.6,"duration":0.1},{"text":"[PERSON_NAME_1]","start":10.25,"end":10.5,"duration":0.25}]}]}`},
		"Gecko": {`{"schemaVersion":"2.0","monologues":[{"speaker":{"name":null,"id":"Roger"},"start":1.03,"end":1.5,"terms":[{"start":1.03,"end":1.09,"text":"Thanks","type":"WORD"},{"start":1.1,"end":1.5,"text":"Roger","type":"WORD"}]}]}`,
			`{"schemaVersion":"2.0","monologues":[{"speaker":{"name":null,"id":"[PERSON_NAME_1]"},"start":1.03,"end":1.5,"terms":[{"start":1.03,"end":1.09,"text":"Thanks","type":"WORD"},{"start":1.1,"end":1.5,"text":"[PERSON_NAME_1]","type":"WORD"}]}]}`},
		"a vCon without a version": {`{"uuid":"05cec3d4-0561-4010-9fb8-23cc7edef146","dialog":[{"type":"recording","start":"2024-03-16T16:09:20.7","parties":[0],"duration":57.1}],"parties":[{"tel":"+16045550134","name":"Ines Quimby"}],"attachments":[],"analysis":[{"type":"transcript","dialog":0,"vendor":"openai","encoding":"none","body":[{"speaker":"Agent","message":"This is Ines Quimby"}]}]}`,
			`{"uuid":"05cec3d4-0561-4010-9fb8-23cc7edef146","dialog":[{"type":"recording","start":"2024-03-16T16:09:20.7","parties":[0],"duration":57.1}],"parties":[{"tel":"[PHONE_NUMBER_1]","name":"[PERSON_NAME_1]"}],"attachments":[],"analysis":[{"type":"transcript","dialog":0,"vendor":"openai","encoding":"none","body":[{"speaker":"Agent","message":"This is [PERSON_NAME_1]"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			clean, _ := anonymized(t, fileJob(t), "a.json", c.raw)
			if clean != c.want {
				t.Errorf("got  %s\nwant %s", clean, c.want)
			}
		})
	}
}
