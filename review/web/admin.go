package web

import (
	"net/http"

	"sotto/review"
	"sotto/risk"
)

const trailShown = 200

func (s *Server) admin(w http.ResponseWriter, r *http.Request, p person) error {
	id := r.URL.Query().Get("id")
	trail, err := s.opts.Store.Trail(r.Context(), id, trailShown)
	if err != nil {
		return err
	}
	return s.render(w, r, "admin", p, map[string]any{"Trail": trail, "ID": id, "Erased": r.URL.Query().Get("erased") != "", "CopyLeft": s.opts.Store.CopyLeft()})
}

func (s *Server) erase(w http.ResponseWriter, r *http.Request, p person) error {
	id := r.PostFormValue("id")
	if id == "" || r.PostFormValue("again") != id {
		return badRequest("type the call ID twice to erase a call")
	}
	if err := s.opts.Store.Erase(r.Context(), p.Name, id); err != nil {
		return err
	}
	if s.opts.Store.CopyLeft() {
		s.opts.Log.WarnContext(r.Context(), "a copy of an erased text stays in the journal of the store until the program that reads the file ends")
	}
	http.Redirect(w, r, "/admin?erased=1", http.StatusSeeOther)
	return nil
}

func (s *Server) guide(w http.ResponseWriter, r *http.Request, p person) error {
	return s.render(w, r, "guide", p, map[string]any{
		"Keys": typeKeys, "Types": risk.Table6().Entries(), "Own": s.opts.Guidelines})
}

func (s *Server) export(w http.ResponseWriter, r *http.Request, p person) error {
	file := r.PathValue("file")
	f, ok := review.Exports[file]
	if !ok {
		http.NotFound(w, r)
		return nil
	}
	read, err := s.opts.Store.Read(r.Context(), f.Mode, true)
	if err != nil {
		return err
	}
	if err := s.record(r, p, "exported "+file, ""); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
	if err := f.Write(w, read); err != nil {
		s.opts.Log.WarnContext(r.Context(), "an export could not be sent", "err", err)
	}
	return nil
}
