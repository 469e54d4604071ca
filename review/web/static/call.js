// The page of a call: selects tokens, marks them, and saves each change. Text of the call is only
// ever read from and written to the page as text.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const state = JSON.parse(byId("state").textContent);
  const talk = byId("talk");
  const tokens = [...talk.querySelectorAll(".t")].map((el) => ({
    el, seq: Number(el.parentElement.dataset.seq), start: Number(el.dataset.s), end: Number(el.dataset.e), mask: el.dataset.mask,
  }));
  tokens.forEach((t, i) => { t.el.dataset.i = i; });

  let spans = state.spans;
  let rejected = state.rejected;
  let wrong = state.wrong; // masks that are wrong
  let cursor = 0;
  let anchor = 0;
  let last = null; // the span that was marked last
  const history = [];

  // --- places -----------------------------------------------------------------------------------

  const overlap = (a, b) => a.seq === b.seq && a.start < b.end && b.start < a.end;
  const samePlace = (a, b) => a.seq === b.seq && a.start === b.start && a.end === b.end;
  const wrongAt = (t) => wrong.find((w) => samePlace(w, t));
  const spanAt = (t) => spans.find((s) => overlap(s, t));
  // isRejected reports whether g was rejected, and not another suggestion for the same words.
  const isRejected = (g) => rejected.some((r) => samePlace(r, g) &&
    (!r.type || (r.type === g.type && !r.partial === !g.partial && !r.speaker === !g.speaker && (r.key || "") === (g.key || ""))));
  const open = () => state.suggestions.filter((g) => !spans.some((s) => overlap(s, g)) && !isRejected(g));
  const tokensOf = (p) => tokens.filter((t) => overlap(t, p));
  const words = (p) => {
    const ts = tokensOf(p);
    if (!ts.length) return "";
    const range = document.createRange();
    range.setStartBefore(ts[0].el);
    range.setEndAfter(ts[ts.length - 1].el);
    return range.toString();
  };

  // selection returns the selected place, which never goes beyond an utterance.
  const selection = () => {
    if (!tokens.length) return null;
    let [from, to] = cursor < anchor ? [cursor, anchor] : [anchor, cursor];
    const seq = tokens[cursor].seq;
    while (tokens[from].seq !== seq) from++;
    while (tokens[to].seq !== seq) to--;
    // What is masked cannot be part of a mark; a mask is selected by itself.
    if (tokens[cursor].mask) return tokens[cursor];
    for (let i = from; i <= to; i++) {
      if (!tokens[i].mask) continue;
      if (cursor < anchor) to = i - 1; else from = i + 1;
    }
    return { seq, start: tokens[from].start, end: tokens[to].end };
  };

  // --- the page ---------------------------------------------------------------------------------

  const wrongLabel = (w) => (w.type ? "is " + w.type : "not personal");
  const label = (s) => s.type + (s.partial ? " P" : "") + (s.speaker ? " S" : "") + (s.unsure ? " ?" : "") + (s.person ? " =" + s.person : "");

  function draw() {
    const place = selection();
    const suggestions = open();
    tokens.forEach((t, i) => {
      const s = spanAt(t);
      const c = t.el.classList;
      c.toggle("marked", !!s);
      c.toggle("unsure", !!(s && s.unsure));
      c.toggle("suggested", suggestions.some((g) => overlap(g, t)));
      c.toggle("selected", !!place && overlap(place, t) && cursor !== anchor);
      c.toggle("cursor", i === cursor);
      const next = tokens[i + 1];
      const w = t.mask && wrongAt(t);
      c.toggle("wrong", !!w);
      if (w) t.el.dataset.label = wrongLabel(w);
      else if (s && !(next && overlap(s, next))) t.el.dataset.label = label(s);
      else delete t.el.dataset.label;
      const gap = t.el.nextElementSibling;
      if (gap && gap.classList.contains("g")) {
        gap.classList.toggle("marked", !!(s && next && overlap(s, next)));
        gap.classList.toggle("unsure", !!(s && s.unsure && next && overlap(s, next)));
        gap.classList.toggle("selected", !!place && cursor !== anchor && overlap(place, t) && !!next && overlap(place, next));
      }
    });
    list("marks", [...spans, ...wrong], "Remove", drop, (s) => (wrong.includes(s) ? "mask: " + wrongLabel(s) : label(s)));
    list("suggestions", suggestions, "Accept", accept, (g) => [g.type, g.why].filter(Boolean).join(", "), "Reject", reject);
    byId("left").textContent = suggestions.length ? "(" + suggestions.length + ")" : "";
  }

  // list shows spans with a button or two each, built of text nodes.
  function list(id, items, first, onFirst, about, second, onSecond) {
    const el = (tag, cls, text) => {
      const e = document.createElement(tag);
      if (cls) e.className = cls;
      e.textContent = text;
      return e;
    };
    byId(id).replaceChildren(...items.map((s) => {
      const li = document.createElement("li");
      const text = words(s);
      if (tokens[cursor] && overlap(s, tokens[cursor])) li.className = "active";
      li.append(el("span", "words", text), el("span", "about", about(s)));
      [[first, onFirst], [second, onSecond]].forEach(([name, f]) => {
        if (!name) return;
        const b = el("button", "", name);
        b.type = "button";
        b.setAttribute("aria-label", name + ": " + text);
        b.addEventListener("click", () => { f(s); talk.focus(); });
        li.append(b);
      });
      li.addEventListener("click", (e) => { if (e.target.tagName !== "BUTTON") goto(s); });
      return li;
    }));
    const active = byId(id).querySelector(".active");
    if (active) active.scrollIntoView({ block: "nearest" });
  }

  function say(text) { byId("live").textContent = text; }

  function announce() {
    const t = tokens[cursor];
    if (!t) return;
    const place = selection();
    const s = spanAt(t);
    const g = open().find((x) => overlap(x, t));
    const w = t.mask && wrongAt(t);
    if (t.mask) {
      say("mask of " + t.mask + (w ? ", " + wrongLabel(w) : ""));
      return;
    }
    say((cursor === anchor ? t.el.textContent : "selected: " + words(place)) +
      (s ? ", marked " + label(s) : g ? ", suggested " + (g.type || "without infoType") : ""));
  }

  function move(to, extend) {
    cursor = Math.max(0, Math.min(tokens.length - 1, to));
    if (!extend) anchor = cursor;
    draw();
    if (tokens[cursor]) tokens[cursor].el.scrollIntoView({ block: "nearest" });
    announce();
  }

  function goto(place) {
    const ts = tokensOf(place);
    if (!ts.length) return;
    anchor = tokens.indexOf(ts[0]);
    move(tokens.indexOf(ts[ts.length - 1]), true);
  }

  // vertical goes to the token above or below.
  function vertical(down, extend) {
    if (!tokens.length) return;
    const here = tokens[cursor].el.getBoundingClientRect();
    let best = -1, score = Infinity;
    tokens.forEach((t, i) => {
      const r = t.el.getBoundingClientRect();
      const dy = down ? r.top - here.top : here.top - r.top;
      if (dy < here.height / 2) return;
      const d = dy * 50 + Math.abs(r.left - here.left);
      if (d < score) { score = d; best = i; }
    });
    if (best >= 0) move(best, extend);
  }

  // --- changes ----------------------------------------------------------------------------------

  function change(f) {
    history.push(JSON.stringify([spans, rejected, wrong]));
    f();
    spans.sort((a, b) => a.seq - b.seq || a.start - b.start);
    draw();
    save();
  }

  // markWrong says that a mask has another infoType, "" that it hides nothing personal. Its own infoType
  // takes that back.
  function markWrong(t, type) {
    change(() => {
      wrong = wrong.filter((w) => !samePlace(w, t));
      if (type !== t.mask) wrong.push({ seq: t.seq, start: t.start, end: t.end, was: t.mask, type });
    });
    announce();
  }

  function notPersonal() {
    const t = tokens[cursor];
    if (t && t.mask) markWrong(t, ""); else say("no mask here");
  }

  function mark(type) {
    if (tokens[cursor] && tokens[cursor].mask) {
      markWrong(tokens[cursor], type);
      return;
    }
    const at = tokens[cursor] && spanAt(tokens[cursor]);
    const place = at && cursor === anchor ? at : selection();
    if (!place) return;
    change(() => {
      const old = spans.find((s) => samePlace(s, place));
      last = Object.assign({}, old, { seq: place.seq, start: place.start, end: place.end, type });
      spans = spans.filter((s) => !overlap(s, place));
      spans.push(last);
    });
    say(words(place) + " marked " + type);
    anchor = cursor;
    draw();
  }

  // current is the mark at the cursor, or else the one that was made last.
  const current = () => (tokens[cursor] && spanAt(tokens[cursor])) || (spans.includes(last) ? last : null);

  function alter(fields) {
    const s = current();
    if (!s) { say("no mark here"); return; }
    change(() => {
      last = Object.assign({}, s, fields(s));
      spans = spans.map((x) => (x === s ? last : x));
    });
    say(words(last) + " is now " + label(last));
  }

  const toggle = (flag) => alter((s) => ({ [flag]: !s[flag] }));

  // nextPerson counts on whom the mark is about, up to one person more than the other marks have.
  const nextPerson = () => alter((s) => {
    const others = Math.max(0, ...spans.filter((x) => x !== s).map((x) => Number(x.person) || 0));
    const next = (Number(s.person) || 0) + 1;
    return { person: next > others + 1 ? "" : String(next) };
  });

  const drop = (s) => change(() => {
    spans = spans.filter((x) => x !== s);
    wrong = wrong.filter((x) => x !== s);
  });

  function remove() {
    const t = tokens[cursor];
    const s = t && t.mask ? wrongAt(t) : current();
    if (!s) return;
    drop(s);
    say("mark removed");
  }

  function undo() {
    if (!history.length) { say("nothing to undo"); return; }
    [spans, rejected, wrong] = JSON.parse(history.pop());
    last = null;
    draw();
    save();
    say("undone");
  }

  const suggestionAt = () => tokens[cursor] && open().find((g) => overlap(g, tokens[cursor]));

  // markOf is the mark that a suggestion stands for.
  function markOf(g) {
    const s = { seq: g.seq, start: g.start, end: g.end, type: g.type };
    ["partial", "speaker", "key", "person"].forEach((k) => { if (g[k]) s[k] = g[k]; });
    return s;
  }

  function accept(g) {
    if (!g) { step(1); return; }
    if (!state.types.includes(g.type)) { // of a later version, or of another table of infoTypes
      goto(g);
      otherType();
      return;
    }
    change(() => {
      last = markOf(g);
      spans = spans.filter((s) => !overlap(s, g));
      spans.push(last);
    });
    step(1);
  }

  function reject(g) {
    if (!g) { step(1); return; }
    change(() => { rejected = rejected.concat([markOf(g)]); });
    if (suggestionAt()) announce(); else step(1); // another annotator may have marked the same words
  }

  // step goes to the next or previous suggestion.
  function step(by) {
    const all = open();
    if (!all.length) { say("no suggestions left"); draw(); return; }
    const t = tokens[cursor];
    const after = (g) => g.seq > t.seq || (g.seq === t.seq && g.start > t.start);
    const before = (g) => g.seq < t.seq || (g.seq === t.seq && g.end <= t.start);
    goto(by > 0 ? all.find(after) || all[0] : all.filter(before).pop() || all[all.length - 1]);
  }

  // --- saving -----------------------------------------------------------------------------------

  let wanted = 0, stored = 0, saving = null, done = state.done, conflict = false;

  function reading() {
    const r = { revision: state.revision, spans, rejected, wrong, done, notes: byId("notes").value };
    if (state.red) {
      const v = document.querySelector("input[name=verdict]:checked");
      r.verdict = v ? v.value : "";
      r.searched = byId("searched").value;
    }
    return r;
  }

  function save() {
    wanted++;
    byId("saved").textContent = "Saving...";
    if (!saving) saving = send().finally(() => { saving = null; });
    return saving;
  }

  const pause = (ms) => new Promise((ok) => setTimeout(ok, ms));

  function problem(text) {
    byId("problem").hidden = !text;
    byId("problem").textContent = text;
  }

  // send stores until nothing has changed since. A server that does not answer is tried again: no
  // mark is lost as long as the page is open.
  async function send() {
    let wait = 250;
    while (stored < wanted && !conflict) {
      const version = wanted;
      try {
        const answer = await fetch("/api/reading?id=" + encodeURIComponent(state.call) + "&kind=" + state.kind, {
          method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(reading()),
        });
        if (answer.status === 409) {
          conflict = true;
          problem("This call was changed in another window. Reload the page.");
          return;
        }
        if (!answer.ok) throw new Error(answer.status < 500 ? await answer.text() : "the server has a problem");
        state.revision = (await answer.json()).revision;
        stored = version;
        wait = 250;
        problem("");
      } catch (e) {
        problem("Not saved yet, trying again: " + (e instanceof TypeError ? "the server does not answer" : e.message));
        await pause(wait);
        wait = Math.min(wait * 2, 4000);
      }
    }
    byId("saved").textContent = "Saved";
  }

  async function finish() {
    if (state.red && !document.querySelector("input[name=verdict]:checked")) {
      problem("Choose a verdict first.");
      return;
    }
    done = true;
    await save();
    while (saving) await saving;
    if (stored === wanted && !conflict) location.assign("/next?" + state.query);
  }

  addEventListener("beforeunload", (e) => { if (stored < wanted && !conflict) e.preventDefault(); });

  // --- keyboard and mouse -----------------------------------------------------------------------

  const actions = {
    P: () => toggle("partial"), S: () => toggle("speaker"), U: () => toggle("unsure"), "=": nextPerson, "-": notPersonal, X: remove, DELETE: remove, BACKSPACE: remove,
    Z: undo, N: finish, A: () => accept(suggestionAt()), R: () => reject(suggestionAt()), J: () => step(1), K: () => step(-1),
    G: () => { byId("guide").open = !byId("guide").open; }, H: () => byId("help").showModal(), "?": () => byId("help").showModal(),
    ".": otherType,
    ARROWRIGHT: (e) => move(cursor + 1, e.shiftKey), ARROWLEFT: (e) => move(cursor - 1, e.shiftKey),
    ARROWDOWN: (e) => vertical(true, e.shiftKey), ARROWUP: (e) => vertical(false, e.shiftKey),
    HOME: (e) => move(0, e.shiftKey), END: (e) => move(tokens.length - 1, e.shiftKey),
    ESCAPE: () => move(cursor, false),
  };

  document.addEventListener("keydown", (e) => {
    const typing = e.target.closest("input:not([type=radio]), textarea, select, dialog");
    const pressing = (e.key === "Enter" || e.key === " ") && e.target.closest("button, summary, a");
    const choosing = e.target.type === "radio" && e.key.startsWith("Arrow");
    if (typing || pressing || choosing || e.altKey) return;
    const key = e.key.toUpperCase();
    if (e.ctrlKey || e.metaKey) {
      if (key === "Z") { e.preventDefault(); undo(); }
      return;
    }
    const type = state.keys[key];
    const act = actions[key];
    if (!type && !act) return;
    e.preventDefault();
    if (type) mark(type); else act(e);
  });

  function otherType() {
    byId("typename").value = "";
    byId("typenote").textContent = "";
    byId("types").showModal();
  }

  // typesLike are the infoTypes that a name may stand for: the one of that name, or those that contain it.
  function typesLike(text) {
    const name = text.toUpperCase().replace(/[^A-Z0-9]+/g, "_").replace(/^_|_$/g, "");
    if (!name) return [];
    return state.types.includes(name) ? [name] : state.types.filter((t) => t.includes(name));
  }
  byId("types").querySelector("form").addEventListener("submit", (e) => {
    const found = typesLike(byId("typename").value);
    if (found.length === 1) {
      byId("typename").value = found[0];
      return;
    }
    e.preventDefault();
    byId("typenote").textContent = found.length ? "Which one: " + found.join(", ") + "?" : "There is no such infoType.";
  });
  byId("types").addEventListener("close", () => {
    if (byId("types").returnValue === "ok") mark(byId("typename").value);
    byId("types").returnValue = "";
    talk.focus();
  });

  let dragging = false;
  const tokenAt = (e) => {
    const el = e.target.closest && e.target.closest(".t");
    return el ? Number(el.dataset.i) : -1;
  };
  talk.addEventListener("mousedown", (e) => {
    const i = tokenAt(e);
    if (i < 0 || e.button !== 0) return;
    dragging = true;
    move(i, e.shiftKey);
  });
  talk.addEventListener("mouseover", (e) => {
    const i = tokenAt(e);
    if (dragging && i >= 0) move(i, true);
  });
  addEventListener("mouseup", () => { dragging = false; });
  talk.addEventListener("dblclick", (e) => {
    const i = tokenAt(e);
    if (i >= 0) { move(i, false); say("selected: " + tokens[i].el.textContent); }
  });

  byId("undo").addEventListener("click", () => { undo(); talk.focus(); });
  byId("done").addEventListener("click", finish);
  byId("helpbutton").addEventListener("click", () => byId("help").showModal());
  byId("notes").value = state.notes;
  byId("notes").addEventListener("change", save);
  if (state.red) {
    byId("searched").value = state.searched;
    const chosen = document.querySelector("input[name=verdict][value=" + (state.verdict || "none") + "]");
    if (chosen) chosen.checked = true;
    document.querySelector(".verdict").addEventListener("change", save);
  }
  draw();
  talk.focus();
})();
