{{- define "sotto.pod" -}}
{{- $port := include "sotto.httpPort" . | int -}}
metadata:
  labels:
    {{- include "sotto.podLabels" . | nindent 4 }}
    app.kubernetes.io/component: stream
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: sotto
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "sotto.serviceAccount" . }}
  {{- include "sotto.podCommon" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range .Values.topologySpread.keys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "sotto.selector" $ | nindent 10 }}
          app.kubernetes.io/component: stream
    {{- end }}
  {{- end }}
  {{- if or .Values.initContainers .Values.preflight.initContainer }}
  initContainers:
    {{- with .Values.initContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if .Values.preflight.initContainer }}
    - name: preflight
      args: [preflight]
      {{- include "sotto.streamContainer" . | nindent 6 }}
    {{- end }}
  {{- end }}
  containers:
    - name: sotto
      args: [run]
      {{- include "sotto.streamContainer" . | nindent 6 }}
      ports:
        - {name: http, containerPort: {{ $port }}, protocol: TCP}
      # Startup: the configuration is valid, the group has assigned partitions, and
      # their states are restored. Readiness: the same from then on, and the group's
      # coordinator answers; a pod may have no partition. Liveness: the poll loop only,
      # never the brokers.
      {{- with .Values.startupProbe }}
      startupProbe:
        httpGet: {path: /startupz, port: http}
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.readinessProbe }}
      readinessProbe:
        httpGet: {path: /readyz, port: http}
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.livenessProbe }}
      livenessProbe:
        httpGet: {path: /livez, port: http}
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with include "sotto.lifecycle" . | trim }}
      {{- . | nindent 6 }}
      {{- end }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- $volumes := printf "%s%s" (include "sotto.secretVolumes" .) (include "sotto.stateKeyVolume" .) }}
  {{- if include "sotto.hasDictionaries" . }}
  {{- $volumes = printf "%s\n%s" $volumes (include "sotto.dictionaryVolume" .) }}
  {{- end }}
  {{- with trim $volumes }}
  volumes: {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* What the container of the stream has in common with one that checks what the stream needs. */}}
{{- define "sotto.streamContainer" -}}
image: {{ include "sotto.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- include "sotto.securityContext" . | nindent 2 }}
env:
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  {{- include "sotto.settings" . | nindent 2 }}
  {{- if eq .Values.kind "StatefulSet" }}
  {{- if not (or .Values.config.kafkaTransactionalId (include "sotto.hasEnv" (dict "env" .Values.extraEnv "name" "SOTTO_KAFKA_TRANSACTIONAL_ID"))) }}
  # The pod's name is stable, so a restarted pod fences open transactions of
  # its predecessor.
  - name: SOTTO_KAFKA_TRANSACTIONAL_ID
    value: {{ printf "%s-$(POD_NAME)" .Values.config.kafkaGroup }}
  {{- end }}
  {{- if and .Values.kafka.staticMembership (not (or .Values.config.kafkaInstanceId (include "sotto.hasEnv" (dict "env" .Values.extraEnv "name" "SOTTO_KAFKA_INSTANCE_ID")))) }}
  - name: SOTTO_KAFKA_INSTANCE_ID
    value: $(POD_NAME)
  {{- end }}
  {{- end }}
  {{- with .Values.resources.limits }}
  {{- if and .memory (not (include "sotto.hasEnv" (dict "env" $.Values.extraEnv "name" "GOMEMLIMIT"))) }}
  # Nine tenths of the limit; the rest is for memory that the Go runtime does not count.
  - name: GOMEMLIMIT
    value: {{ div (mul (include "sotto.bytes" .memory | int64) 9) 10 | quote }}
  {{- end }}
  {{- if and .cpu (not (include "sotto.hasEnv" (dict "env" $.Values.extraEnv "name" "GOMAXPROCS"))) }}
  - name: GOMAXPROCS
    valueFrom: {resourceFieldRef: {containerName: sotto, resource: limits.cpu, divisor: "1"}}
  {{- end }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
resources: {{- toYaml .Values.resources | nindent 2 }}
{{- $mounts := printf "%s%s" (include "sotto.secretMounts" .) (include "sotto.stateKeyMount" .) }}
{{- if include "sotto.hasDictionaries" . }}
{{- $mounts = printf "%s\n- {name: dictionaries, mountPath: /etc/sotto/dictionaries, readOnly: true}" $mounts }}
{{- end }}
{{- with trim $mounts }}
volumeMounts: {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "sotto.dictionaryVolume" -}}
- name: dictionaries
  projected:
    sources:
      {{- if .Values.dictionaries.files }}
      - configMap:
          name: {{ include "sotto.fullname" . }}-dictionaries
          {{- if contains "/" (join "" (keys .Values.dictionaries.files)) }}
          # Only items can put a key into a tenant's folder.
          items:
            {{- range $path, $text := .Values.dictionaries.files }}
            - {key: {{ include "sotto.dictionaryKey" $path }}, path: {{ $path | quote }}}
            {{- end }}
          {{- end }}
      {{- end }}
      {{- with .Values.dictionaries.existingConfigMap }}
      - configMap: {name: {{ . }}}
      {{- end }}
      {{- with .Values.dictionaries.existingSecret }}
      - secret: {name: {{ . }}}
      {{- end }}
{{- end -}}

{{/* A running release keeps its number of replicas while an autoscaler owns it. The field is
omitted where the cluster cannot be looked up (helm template, GitOps). */}}
{{- define "sotto.replicas" -}}
{{- if eq .Values.autoscaling.type "none" -}}
replicas: {{ .Values.replicas }}
{{- else -}}
{{- $live := lookup "apps/v1" .Values.kind .Release.Namespace (include "sotto.fullname" .) -}}
{{- if $live -}}
replicas: {{ max (int $live.spec.replicas) (int .Values.autoscaling.minReplicas) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The canary has the settings of the stream. It has the state key only if call IDs are hashed. */}}
{{- define "sotto.canaryContainer" -}}
{{- $root := .root -}}
name: canary
image: {{ include "sotto.image" $root }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
args: {{ toJson .args }}
securityContext: {{- include "sotto.securityContext" $root | nindent 2 }}
env:
  {{- include "sotto.settings" $root | nindent 2 }}
  {{- with $root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $root.Values.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - {name: http, containerPort: {{ include "sotto.httpPort" $root }}, protocol: TCP}
{{- if .lifecycle }}
{{ include "sotto.lifecycle" $root | trim }}
{{- end }}
resources: {{- toYaml $root.Values.canary.resources | nindent 2 }}
{{- $mounts := include "sotto.secretMounts" $root }}
{{- if include "sotto.hashesCallIds" $root }}
{{- $mounts = printf "%s%s" $mounts (include "sotto.stateKeyMount" $root) }}
{{- end }}
{{- with trim $mounts }}
volumeMounts: {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "sotto.canaryVolumes" -}}
{{- include "sotto.secretVolumes" . }}
{{- if include "sotto.hashesCallIds" . }}
{{- include "sotto.stateKeyVolume" . }}
{{- end }}
{{- end -}}
