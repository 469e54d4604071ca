package web

import (
	"errors"
	"net/http"

	"sotto/review"
)

// trailShown is the number of entries of the audit trail on its page.
const trailShown = 200

func (s *Server) admin(w http.ResponseWriter, r *http.Request, p person) {
	id := r.URL.Query().Get("id")
	trail, err := s.opts.Store.Trail(r.Context(), id, trailShown)
	if err != nil {
		s.failStore(w, r, err)
		return
	}
	s.render(w, r, "admin", p, map[string]any{"Trail": trail, "ID": id, "Erased": r.URL.Query().Get("erased") != ""})
}

func (s *Server) erase(w http.ResponseWriter, r *http.Request, p person) {
	id := r.PostFormValue("id")
	if id == "" || r.PostFormValue("again") != id {
		s.fail(w, r, http.StatusBadRequest, errors.New("type the call ID twice to erase a call"))
		return
	}
	if err := s.opts.Store.Erase(r.Context(), id); err != nil {
		s.failStore(w, r, err)
		return
	}
	if !s.record(r, p, "erased", id) {
		s.fail(w, r, http.StatusInternalServerError, errors.New("the audit trail cannot be written"))
		return
	}
	http.Redirect(w, r, "/admin?erased=1", http.StatusSeeOther)
}

func (s *Server) guide(w http.ResponseWriter, r *http.Request, p person) {
	s.render(w, r, "guide", p, map[string]any{"Keys": typeKeys, "Types": s.opts.Table.Entries()})
}

func (s *Server) export(w http.ResponseWriter, r *http.Request, p person) {
	file := r.PathValue("file")
	f, ok := review.Exports()[file]
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
		s.fail(w, r, http.StatusInternalServerError, errors.New("the audit trail cannot be written"))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	if err := f.Write(w, s.opts.Table, read); err != nil {
		s.opts.Log.WarnContext(r.Context(), "an export could not be sent", "err", err)
	}
}
