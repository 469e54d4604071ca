package serve

import (
	"net/http"

	"sotto/detectors"
)

type policyResponse struct {
	made
	Sensitivity    string        `json:"sensitivity"`
	OtherLanguages string        `json:"other_languages"`
	InfoTypes      []policyType  `json:"info_types"`
	Limits         serviceLimits `json:"limits"`
}

type policyType struct {
	Type  string `json:"type"`
	About string `json:"about"`
	Score int    `json:"score"`
	// OffByDefault means that it is masked only if policy.yaml asks for it.
	OffByDefault bool `json:"off_by_default,omitempty"`
}

type serviceLimits struct {
	BodyBytes int `json:"body_bytes"`
	TextBytes int `json:"text_bytes"`
	OpenCalls int `json:"open_calls"`
}

func (s *Server) policy(w http.ResponseWriter, r *http.Request) error {
	engine, err := s.engineAt(r.URL.Query().Get("sensitivity"))
	if err != nil {
		return err
	}
	resp := policyResponse{
		made: s.made(engine), Sensitivity: string(engine.Sensitivity("", "")), OtherLanguages: s.settings.OtherLanguages,
		Limits: serviceLimits{s.settings.ServeMaxBody, s.settings.MaxTextBytes, s.settings.MaxOpenCalls},
	}
	rows := detectors.Rows()
	for i := range rows {
		row := &rows[i]
		resp.InfoTypes = append(resp.InfoTypes, policyType{string(row.Type), row.About, row.Score, row.Off})
	}
	return write(w, http.StatusOK, resp)
}
