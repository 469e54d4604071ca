package web

import (
	"errors"
	"net/http"

	"sotto/review"
)

// trailShown is the number of entries of the access log on its page.
const trailShown = 200

func (s *Server) admin(w http.ResponseWriter, r *http.Request, p person) {
	id := r.URL.Query().Get("id")
	trail, err := s.opts.Store.Trail(r.Context(), id, trailShown)
	if err != nil {
		s.failStore(w, r, err)
		return
	}
	s.render(w, r, "admin", p, map[string]any{"Trail": trail, "ID": id, "Erased": r.URL.Query().Get("erased") != "", "CopyLeft": s.opts.Store.CopyLeft()})
}

func (s *Server) erase(w http.ResponseWriter, r *http.Request, p person) {
	id := r.PostFormValue("id")
	if id == "" || r.PostFormValue("again") != id {
		s.fail(w, r, http.StatusBadRequest, errors.New("type the call ID twice to erase a call"))
		return
	}
	if err := s.opts.Store.Erase(r.Context(), p.Name, id); err != nil {
		s.failStore(w, r, err)
		return
	}
	if s.opts.Store.CopyLeft() {
		s.opts.Log.WarnContext(r.Context(), "a copy of an erased text stays in the journal of the store until the program that reads the file ends")
	}
	http.Redirect(w, r, "/admin?erased=1", http.StatusSeeOther)
}

func (s *Server) guide(w http.ResponseWriter, r *http.Request, p person) {
	s.render(w, r, "guide", p, map[string]any{
		"Keys": typeKeys, "Types": s.opts.Table.Entries(), "Own": s.opts.Guidelines})
}

func (s *Server) export(w http.ResponseWriter, r *http.Request, p person) {
	file := r.PathValue("file")
	f, ok := review.Exports[file]
	if !ok {
		http.NotFound(w, r)
		return
	}
	read, err := s.opts.Store.Read(r.Context(), f.Mode, true)
	if err != nil {
		s.failStore(w, r, err)
		return
	}
	if !s.record(r, p, "exported "+file, "") {
		s.fail(w, r, http.StatusInternalServerError, errors.New("the access log cannot be written"))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	if err := f.Write(w, read); err != nil {
		s.opts.Log.WarnContext(r.Context(), "an export could not be sent", "err", err)
	}
}
