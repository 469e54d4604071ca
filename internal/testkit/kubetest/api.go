package kubetest

import (
	"encoding/json"
	"fmt"
	"time"
)

// These types are the part of the Kubernetes API that the kubelet reads. Fields that it does not
// need are left out. If a pod needs a field that is not here, the kubelet refuses it: see
// unsupported.

type meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	UID               string            `json:"uid"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
	DeletionGrace     *int64            `json:"deletionGracePeriodSeconds"`
}

type pod struct {
	Metadata meta    `json:"metadata"`
	Spec     podSpec `json:"spec"`
	Status   struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

type podSpec struct {
	NodeName        string            `json:"nodeName"`
	ServiceAccount  string            `json:"serviceAccountName"`
	RestartPolicy   string            `json:"restartPolicy"`
	InitContainers  []json.RawMessage `json:"initContainers"`
	Containers      []container       `json:"containers"`
	Volumes         []volume          `json:"volumes"`
	SecurityContext struct {
		RunAsUser *int64 `json:"runAsUser"`
	} `json:"securityContext"`
}

type container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Command   []string  `json:"command"`
	Args      []string  `json:"args"`
	Env       []envVar  `json:"env"`
	EnvFrom   []envFrom `json:"envFrom"`
	Ports     []port    `json:"ports"`
	Resources struct {
		Limits   map[string]string `json:"limits"`
		Requests map[string]string `json:"requests"`
	} `json:"resources"`
	VolumeMounts []struct {
		Name      string `json:"name"`
		MountPath string `json:"mountPath"`
		SubPath   string `json:"subPath"`
	} `json:"volumeMounts"`
	SecurityContext struct {
		ReadOnlyRoot *bool `json:"readOnlyRootFilesystem"`
	} `json:"securityContext"`
	StartupProbe   *probe `json:"startupProbe"`
	ReadinessProbe *probe `json:"readinessProbe"`
	LivenessProbe  *probe `json:"livenessProbe"`
}

type port struct {
	Name          string `json:"name"`
	ContainerPort int    `json:"containerPort"`
}

type envVar struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	ValueFrom *struct {
		Field *struct {
			Path string `json:"fieldPath"`
		} `json:"fieldRef"`
		Resource *struct {
			Resource string `json:"resource"`
			Divisor  string `json:"divisor"`
		} `json:"resourceFieldRef"`
		ConfigMap *keyRef `json:"configMapKeyRef"`
		Secret    *keyRef `json:"secretKeyRef"`
	} `json:"valueFrom"`
}

type keyRef struct {
	Name     string `json:"name"`
	Key      string `json:"key"`
	Optional bool   `json:"optional"`
}

type envFrom struct {
	Prefix    string     `json:"prefix"`
	ConfigMap *objectRef `json:"configMapRef"`
	Secret    *objectRef `json:"secretRef"`
}

// objectRef names a Secret or a ConfigMap; the source of a volume calls a Secret's name secretName.
type objectRef struct {
	Name       string `json:"name"`
	SecretName string `json:"secretName"`
	Optional   bool   `json:"optional"`
	Items      []struct {
		Key  string `json:"key"`
		Path string `json:"path"`
	} `json:"items"`
}

type volume struct {
	Name      string     `json:"name"`
	ConfigMap *objectRef `json:"configMap"`
	Secret    *objectRef `json:"secret"`
	EmptyDir  *struct{}  `json:"emptyDir"`
	Projected *struct {
		Sources []struct {
			ConfigMap *objectRef `json:"configMap"`
			Secret    *objectRef `json:"secret"`
		} `json:"sources"`
	} `json:"projected"`
}

type probe struct {
	HTTPGet *struct {
		Path string          `json:"path"`
		Port json.RawMessage `json:"port"`
	} `json:"httpGet"`
	InitialDelay     int `json:"initialDelaySeconds"`
	Period           int `json:"periodSeconds"`
	Timeout          int `json:"timeoutSeconds"`
	SuccessThreshold int `json:"successThreshold"`
	FailureThreshold int `json:"failureThreshold"`
}

// unsupported returns an error if a pod needs what this kubelet does not do: a test must not pass
// because something was left out.
func (p *pod) unsupported() error {
	if len(p.Spec.InitContainers) > 0 || len(p.Spec.Containers) != 1 {
		return fmt.Errorf("the test kubelet runs pods of one container")
	}
	c := p.Spec.Containers[0]
	for _, v := range p.Spec.Volumes {
		if v.ConfigMap == nil && v.Secret == nil && v.EmptyDir == nil && v.Projected == nil {
			return fmt.Errorf("the test kubelet does not support the kind of volume of %s", v.Name)
		}
	}
	for _, m := range c.VolumeMounts {
		if m.SubPath != "" {
			return fmt.Errorf("the test kubelet has no subPath, which %s wants", m.Name)
		}
	}
	for _, p := range []*probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if p != nil && p.HTTPGet == nil {
			return fmt.Errorf("the test kubelet probes by HTTP only")
		}
	}
	if c.SecurityContext.ReadOnlyRoot == nil || !*c.SecurityContext.ReadOnlyRoot || p.Spec.SecurityContext.RunAsUser == nil {
		return fmt.Errorf("the test kubelet needs a read-only root file system and a user ID")
	}
	return nil
}
