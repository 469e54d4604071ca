{{- define "sotto.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the suffixes of pods and controller hashes within 63. */}}
{{- define "sotto.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "sotto.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sotto.selector" -}}
app.kubernetes.io/name: {{ include "sotto.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sotto.labels" -}}
{{ include "sotto.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of pods: none that a new version of the chart changes, which would restart them. */}}
{{- define "sotto.podLabels" -}}
{{ include "sotto.selector" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sotto.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sotto.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sotto.image" -}}
{{- include "sotto.imageOf" (list .Values.image .) -}}
{{- end -}}

{{- define "sotto.fullImage" -}}
{{- include "sotto.imageOf" (list .Values.fullImage .) -}}
{{- end -}}

{{- define "sotto.imageOf" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default (index . 1).Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "sotto.httpPort" -}}
{{- regexFind ":[0-9]+$" .Values.config.httpAddr | trimPrefix ":" -}}
{{- end -}}

{{/* A chart value as the value of an environment variable. Helm passes whole numbers as floats;
they must not become 1e+06. */}}
{{- define "sotto.envValue" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* Bytes of a memory quantity. */}}
{{- define "sotto.bytes" -}}
{{- $q := toString . -}}
{{- $units := dict "" 1 "k" 1000 "K" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $unit := regexFind "[A-Za-z]*$" $q -}}
{{- if not (hasKey $units $unit) -}}
{{- fail (printf "resources.limits.memory: %s is not a memory quantity" $q) -}}
{{- end -}}
{{- mulf (float64 (trimSuffix $unit $q)) (get $units $unit) | int64 -}}
{{- end -}}

{{/* Bytes that a pod needs before its first call, by the rule in docs/operating.md: 256 MiB. */}}
{{- define "sotto.baseMemory" -}}268435456{{- end -}}

{{/* Bytes that a pod needs when each of its partitions has config.maxOpenCalls open calls, by the rule
in docs/operating.md: the memory of a pod without calls, and 5 KiB for each call. The pods share the partitions. */}}
{{- define "sotto.memoryAtBound" -}}
{{- $v := .Values -}}
{{- $pods := max 1 (int64 (eq $v.autoscaling.type "none" | ternary $v.replicas $v.autoscaling.minReplicas)) -}}
{{- $partitions := div (add (int64 $v.topics.partitions) $pods -1) $pods -}}
{{- add (include "sotto.baseMemory" . | int64) (mul $partitions (int64 $v.config.maxOpenCalls) 5120) -}}
{{- end -}}

{{/* The settings that the chart derives. Values in config take precedence. */}}
{{- define "sotto.derived" -}}
{{- $v := .Values -}}
{{- $d := dict -}}
{{- if $v.kafka.sasl.existingSecret -}}
{{- $_ := set $d "kafkaSaslPasswordFile" (printf "/etc/sotto/sasl/%s" $v.kafka.sasl.passwordKey) -}}
{{- with $v.kafka.sasl.usernameKey }}{{ $_ := set $d "kafkaSaslUserFile" (printf "/etc/sotto/sasl/%s" .) }}{{ end -}}
{{- end -}}
{{- with $v.kafka.tls -}}
{{- if .existingSecret -}}
{{- if .caKey }}{{ $_ := set $d "kafkaTlsCaFile" (printf "/etc/sotto/tls/%s" .caKey) }}{{ end -}}
{{- if .certKey -}}
{{- $_ := set $d "kafkaTlsCertFile" (printf "/etc/sotto/tls/%s" .certKey) -}}
{{- $_ := set $d "kafkaTlsKeyFile" (printf "/etc/sotto/tls/%s" .keyKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $v.schemaRegistry.existingSecret -}}
{{- $_ := set $d "schemaRegistryPasswordFile" (printf "/etc/sotto/schema-registry/%s" $v.schemaRegistry.passwordKey) -}}
{{- end -}}
{{- if $v.stateKey.existingSecret -}}
{{- $_ := set $d "stateKeyFile" (printf "/etc/sotto/state-key/%s" $v.stateKey.key) -}}
{{- end -}}
{{- if include "sotto.hasDictionaries" . -}}
{{- $_ := set $d "dictionaryDir" "/etc/sotto/dictionaries" -}}
{{- end -}}
{{- toJson $d -}}
{{- end -}}

{{- define "sotto.hasDictionaries" -}}
{{- with .Values.dictionaries }}{{ if or .files .existingConfigMap .existingSecret }}true{{ end }}{{ end -}}
{{- end -}}

{{/* The ConfigMap key of a file in dictionaries.files. A key has no slash, so that a file in a
tenant's folder gets a key that ends with a hash of its path. */}}
{{- define "sotto.dictionaryKey" -}}
{{- if regexMatch "^[-._a-zA-Z0-9]+$" . -}}
{{- . -}}
{{- else -}}
{{- printf "%s-%s" (regexReplaceAll "[^-._a-zA-Z0-9]" . "_") (sha256sum . | trunc 8) -}}
{{- end -}}
{{- end -}}

{{/* The settings as environment variables. A key in config is the setting's
name in camel case: kafkaTlsCaFile is SOTTO_KAFKA_TLS_CA_FILE. Settings in extraEnv are omitted,
because an upgrade's merge mixes up duplicate names. */}}
{{- define "sotto.settings" -}}
{{- include "sotto.settingsWithout" (dict "root" . "without" list) }}
{{- end -}}

{{/* The settings except for those whose keys in config begin with one of the words in "without"; with "only", none but
those that begin with one of its words. */}}
{{- define "sotto.settingsWithout" -}}
{{- $root := .root -}}
{{- $without := .without -}}
{{- $only := .only -}}
{{- $derived := include "sotto.derived" $root | fromJson -}}
{{- range $key, $given := $root.Values.config }}
{{- $value := include "sotto.envValue" $given | trim }}
{{- if or (eq $value "") (kindIs "invalid" $given) }}{{ $value = get $derived $key | default "" }}{{ end }}
{{- $name := printf "SOTTO_%s" (snakecase $key | upper) }}
{{- $wanted := not $only }}
{{- range $only }}{{ if hasPrefix . $key }}{{ $wanted = true }}{{ end }}{{ end }}
{{- range $without }}{{ if hasPrefix . $key }}{{ $wanted = false }}{{ end }}{{ end }}
{{- if and $wanted (ne $value "") (not (include "sotto.hasEnv" (dict "env" $root.Values.extraEnv "name" $name))) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A setting as the pods have it, in extraEnv or in config; "?" if its value comes from elsewhere. */}}
{{- define "sotto.setting" -}}
{{- $value := include "sotto.envValue" (get .root.Values.config .key) | trim -}}
{{- $name := printf "SOTTO_%s" (snakecase .key | upper) -}}
{{- range .root.Values.extraEnv }}{{ if eq .name $name }}{{ $value = .value | default "?" }}{{ end }}{{ end -}}
{{- $value -}}
{{- end -}}

{{/* Whether a pod that only hashes call IDs needs the state key. */}}
{{- define "sotto.hashesCallIds" -}}
{{- if has (include "sotto.setting" (dict "root" . "key" "callId")) (list "hash" "?") }}true{{ end -}}
{{- end -}}

{{/* Whether the HTTP service needs the state key: it hashes with it, and draws surrogates. */}}
{{- define "sotto.serveNeedsKey" -}}
{{- if or .Values.serve.stateKey (include "sotto.hashesCallIds" .) (has (include "sotto.setting" (dict "root" . "key" "tenant")) (list "hash" "?"))
  (not (has (include "sotto.setting" (dict "root" . "key" "strategy")) (list "" "typed-numbered"))) }}true{{ end -}}
{{- end -}}

{{/* What the HTTP service does not get of the settings: it uses neither Kafka nor the registry. */}}
{{- define "sotto.serveWithout" -}}
{{- $without := list "kafka" "schemaRegistry" "topic" -}}
{{- if not (include "sotto.serveNeedsKey" .) }}{{ $without = append $without "stateKeyFile" }}{{ end -}}
{{- toJson $without -}}
{{- end -}}

{{- define "sotto.securityContext" -}}
{{- toYaml .Values.securityContext -}}
{{- end -}}

{{/* Secrets are mounted as folders, because a subPath mount does not follow a rotation. */}}
{{- define "sotto.secretMounts" -}}
{{- if .Values.kafka.sasl.existingSecret }}
- {name: sasl, mountPath: /etc/sotto/sasl, readOnly: true}
{{- end }}
{{- if .Values.kafka.tls.existingSecret }}
- {name: tls, mountPath: /etc/sotto/tls, readOnly: true}
{{- end }}
{{- if .Values.schemaRegistry.existingSecret }}
- {name: schema-registry, mountPath: /etc/sotto/schema-registry, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sotto.secretVolumes" -}}
{{- with .Values.kafka.sasl.existingSecret }}
- name: sasl
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.kafka.tls.existingSecret }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.schemaRegistry.existingSecret }}
- name: schema-registry
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sotto.stateKeyMount" -}}
{{- if .Values.stateKey.existingSecret }}
- {name: state-key, mountPath: /etc/sotto/state-key, readOnly: true}
{{- end }}
{{- end -}}

{{- define "sotto.stateKeyVolume" -}}
{{- with .Values.stateKey }}
{{- if .existingSecret }}
- name: state-key
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- end -}}

{{/* Shared by every pod of the release. */}}
{{- define "sotto.podCommon" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.hostAliases }}
hostAliases: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "sotto.validate" -}}
{{- $v := .Values -}}
{{- if not $v.config.kafkaBrokers -}}
{{- fail "config.kafkaBrokers is not set: give the Kafka bootstrap brokers, host:port" -}}
{{- end -}}
{{- if not (or $v.stateKey.existingSecret $v.config.stateKeyFile) -}}
{{- fail (printf "stateKey.existingSecret is not set: make the key with  kubectl -n %s create secret generic sotto-state-key --from-literal=state.key=\"1 $(head -c 32 /dev/urandom | base64)\"  and set stateKey.existingSecret=sotto-state-key" .Release.Namespace) -}}
{{- end -}}
{{- if and (has $v.config.kafkaSaslMechanism (list "plain" "scram-sha-256" "scram-sha-512")) (not (or $v.kafka.sasl.existingSecret $v.config.kafkaSaslPasswordFile (include "sotto.hasEnv" (dict "env" $v.extraEnv "name" "SOTTO_KAFKA_SASL_PASSWORD")))) -}}
{{- fail "config.kafkaSaslMechanism needs kafka.sasl.existingSecret" -}}
{{- end -}}
{{- if eq $v.autoscaling.type "keda" -}}
{{- if and (eq $v.config.kafkaSaslMechanism "aws-msk-iam") (not $v.autoscaling.keda.awsRegion) -}}
{{- fail "autoscaling.type=keda needs autoscaling.keda.awsRegion with config.kafkaSaslMechanism=aws-msk-iam" -}}
{{- end -}}
{{- if and (eq $v.config.kafkaSaslMechanism "oauthbearer") (not $v.autoscaling.keda.oauthSecret) -}}
{{- fail "autoscaling.type=keda needs autoscaling.keda.oauthSecret with config.kafkaSaslMechanism=oauthbearer" -}}
{{- end -}}
{{- end -}}
{{- if and $v.preflight.hook (or (eq $v.topics.manage "strimzi") $v.strimzi.user.enabled) -}}
{{- fail "preflight.hook runs before Strimzi has made topics and user: set preflight.initContainer instead" -}}
{{- end -}}
{{- if and $v.kafka.tls.existingSecret (not $v.config.kafkaTlsEnable) -}}
{{- fail "kafka.tls.existingSecret needs config.kafkaTlsEnable=true" -}}
{{- end -}}
{{- if and $v.kafka.staticMembership (ne $v.kind "StatefulSet") -}}
{{- fail "kafka.staticMembership needs kind=StatefulSet: only its pods keep their names" -}}
{{- end -}}
{{- if not (include "sotto.httpPort" .) -}}
{{- fail "config.httpAddr must end with a port, such as :9100: the probes need it" -}}
{{- end -}}
{{- if regexMatch "^(127\\.|localhost:|\\[::1\\])" $v.config.httpAddr -}}
{{- fail "config.httpAddr must not be a loopback address: the kubelet, which probes it, is not in the pod" -}}
{{- end -}}
{{- if gt (int $v.config.sessions) (int $v.topics.partitions) -}}
{{- fail "config.sessions exceeds topics.partitions: the other sessions of a pod would be idle" -}}
{{- end -}}
{{- with ($v.resources.limits).memory -}}
{{- if lt (mul (include "sotto.bytes" . | int64) 9 | int64) (mul (include "sotto.baseMemory" $ | int64) 10 | int64) -}}
{{- fail (printf "resources.limits.memory: %v is too little: a pod needs 256 MiB before the first call, and nine tenths of the limit are for it; give it at least 288Mi" .) -}}
{{- end -}}
{{- end -}}
{{- $transaction := include "sotto.seconds" $v.config.kafkaTransactionTimeout | float64 -}}
{{- if lt $transaction (mulf 2 (include "sotto.seconds" $v.config.commitInterval | float64)) -}}
{{- fail "config.kafkaTransactionTimeout must be at least twice config.commitInterval, or the broker aborts transactions in progress" -}}
{{- end -}}
{{- if gt $transaction (float64 $v.terminationGracePeriodSeconds) -}}
{{- fail "terminationGracePeriodSeconds must be at least config.kafkaTransactionTimeout: a transaction may take so long to end" -}}
{{- end -}}
{{- with $v.autoscaling -}}
{{- if and (ne .type "none") (gt (int .minReplicas) (int .maxReplicas)) -}}
{{- fail "autoscaling.minReplicas exceeds autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and (ne .type "none") (gt (mul (int .maxReplicas) (int $v.config.sessions)) (int $v.topics.partitions)) -}}
{{- fail "autoscaling.maxReplicas times config.sessions exceeds topics.partitions: the other sessions would be idle" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sotto.hasEnv" -}}
{{- $name := .name -}}
{{- range .env }}{{ if eq .name $name }}true{{ end }}{{ end -}}
{{- end -}}

{{/* A duration as Go writes it, such as 1m30s or 200ms, in seconds. */}}
{{- define "sotto.seconds" -}}
{{- $units := dict "h" 3600 "m" 60 "s" 1 "ms" 0.001 "us" 0.000001 "ns" 0.000000001 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(h|ms|m|us|ns|s)" . -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (trimSuffix $unit . | float64) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* A duration of whole hours or minutes, such as 72h, in milliseconds. */}}
{{- define "sotto.milliseconds" -}}
{{- $units := dict "m" 60000 "h" 3600000 -}}
{{- $unit := regexFind "[mh]$" . -}}
{{- if not (regexMatch "^[0-9]+[mh]$" .) }}{{ fail (printf "topics.retention: %s must have the form 72h" .) }}{{ end -}}
{{- mul (trimSuffix $unit . | int64) (get $units $unit) -}}
{{- end -}}

{{/* What the pods of the stream, and the job that makes the topics, may connect to. */}}
{{- define "sotto.egress" -}}
{{- $ports := dict }}
{{- range splitList "," (include "sotto.envValue" .Values.config.kafkaBrokers) }}
{{- $_ := set $ports (default "9092" (regexFind ":[0-9]+$" (trim .) | trimPrefix ":")) true }}
{{- end }}
{{- range .Values.networkPolicy.kafkaPorts }}{{ $_ := set $ports (toString .) true }}{{ end }}
{{- range ternary list (compact (list .Values.config.schemaRegistryUrl .Values.config.otlpEndpoint)) (default false .brokersOnly) }}
{{- $url := urlParse . }}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) }}
{{- $_ := set $ports (default (eq $url.scheme "https" | ternary "443" "80") $port) true }}
{{- end }}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
- ports:
    {{- range $port := keys $ports | sortAlpha }}
    - {port: {{ $port }}, protocol: TCP}
    {{- end }}
  {{- with .Values.networkPolicy.kafkaTo }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with .Values.networkPolicy.extraEgress }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- if eq .Values.config.kafkaSaslMechanism "aws-msk-iam" }}
# The credential endpoints of EKS Pod Identity and of ECS, on the node itself.
- ports: [{port: 80, protocol: TCP}]
  to:
    - ipBlock: {cidr: 169.254.170.23/32}
    - ipBlock: {cidr: 169.254.170.2/32}
    - ipBlock: {cidr: "fd00:ec2::23/128"}
{{- if hasKey .Values.serviceAccount.annotations "eks.amazonaws.com/role-arn" }}
# The service that gives credentials for the token of a service account.
- ports: [{port: 443, protocol: TCP}]
{{- end }}
{{- end }}
{{- end -}}

{{/* The IP families of a Service. */}}
{{- define "sotto.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The lifecycle hooks of a container that runs all the time. */}}
{{- define "sotto.lifecycle" -}}
{{- with .Values.lifecycle }}
lifecycle: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
