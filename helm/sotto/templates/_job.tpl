{{/* A job that runs before each install and upgrade. */}}
{{- define "sotto.hookJob" -}}
{{- $root := .root -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "sotto.fullname" $root }}-{{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "sotto.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: {{ .weight | quote }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- with $root.Values.commonAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  backoffLimit: {{ $root.Values.topics.job.backoffLimit }}
  activeDeadlineSeconds: {{ $root.Values.topics.job.activeDeadlineSeconds }}
  template:
    metadata:
      labels:
        {{- include "sotto.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .name }}
    spec:
      restartPolicy: Never
      # The chart's own service account does not exist yet.
      serviceAccountName: {{ default "default" $root.Values.topics.job.serviceAccountName }}
      {{- include "sotto.podCommon" $root | nindent 6 }}
      containers:
        - name: {{ .name }}
          image: {{ include "sotto.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: {{- toYaml .args | nindent 12 }}
          securityContext: {{- include "sotto.securityContext" $root | nindent 12 }}
          env:
            {{- include "sotto.settings" $root | nindent 12 }}
            {{- with $root.Values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with $root.Values.extraEnvFrom }}
          envFrom: {{- toYaml . | nindent 12 }}
          {{- end }}
          resources: {{- toYaml $root.Values.topics.job.resources | nindent 12 }}
          {{- $mounts := include "sotto.secretMounts" $root }}
          {{- $volumes := include "sotto.secretVolumes" $root }}
          {{- if .stateKey }}
          {{- $mounts = printf "%s%s" $mounts (include "sotto.stateKeyMount" $root) }}
          {{- $volumes = printf "%s%s" $volumes (include "sotto.stateKeyVolume" $root) }}
          {{- end }}
          {{- with trim $mounts }}
          volumeMounts: {{- . | nindent 12 }}
          {{- end }}
      {{- with trim $volumes }}
      volumes: {{- . | nindent 8 }}
      {{- end }}
{{- end -}}
