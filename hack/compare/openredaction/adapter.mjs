// OpenRedaction as it comes, with all its patterns: on calls it finds more so than with any of its presets.
// Page followed: https://github.com/sam247/openredaction ("The library works entirely with regex patterns by default")
import { createInterface } from "node:readline";
import { OpenRedaction } from "@openredaction/core";

const types = [
  [/^EMAIL/, "EMAIL_ADDRESS"], [/^PHONE|_PHONE|TELEPHONE/, "PHONE_NUMBER"], [/^(NAME|PERSON)/, "PERSON_NAME"], [/SSN/, "SSN"],
  [/CREDIT_CARD/, "CREDIT_CARD_NUMBER"], [/ADDRESS_|POSTCODE|ZIP/, "STREET_ADDRESS"], [/DATE_OF_BIRTH|DOB/, "DATE_OF_BIRTH"], [/PASSPORT/, "PASSPORT"],
  [/^IP/, "IP_ADDRESS"], [/^URL/, "URL"], [/USERNAME|HANDLE/, "USER_NAME"],
];
const typeOf = (type) => (types.find(([pattern]) => pattern.test(type)) ?? [null, "GENERIC_ID"])[1];

// points returns how many code points stand before each UTF-16 unit of a text.
function points(text) {
  const out = [];
  let n = 0;
  for (const c of text) {
    for (let i = 0; i < c.length; i++) out.push(n);
    n++;
  }
  return [...out, n];
}

const redactor = new OpenRedaction();
let utterances = 0;
const began = process.cpuUsage();
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  for (const u of call.utterances) {
    const at = points(u.text);
    const { detections } = await redactor.detect(u.text);
    u.entities = detections.map((d) => ({ start: at[d.position[0]], end: at[d.position[1]], type: typeOf(d.type) })).filter((e) => e.start < e.end);
    utterances++;
  }
  console.log(JSON.stringify(call));
}
const used = process.cpuUsage(began);
console.error(JSON.stringify({ utterances, seconds: (used.user + used.system) / 1e6 }));
