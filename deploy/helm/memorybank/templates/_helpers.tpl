{{- define "memorybank.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "memorybank.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "memorybank.labels" -}}
{{ include "memorybank.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "memorybank.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "memorybank.variable" -}}
MEMORYBANK_{{ . | replace "." "__" | upper }}
{{- end }}

{{- /* What settings say, the chart's own first: a setting of the caller's comes later and wins. */ -}}
{{- define "memorybank.env" -}}
{{- $own := dict "grpc.lame_duck_seconds" .Values.lameDuckSeconds "grpc.drain_seconds" .Values.drainSeconds "banks.memory_budget_bytes" (.Values.memoryBudgetBytes | int64) "log.format" "json" "auth.required" (ternary "true" "auto" .Values.auth.required) }}
{{- if .Values.tls.secretName }}
{{- $own = merge $own (dict "tls.certificate" "/secrets/tls/tls.crt" "tls.key" "/secrets/tls/tls.key") }}
{{- else }}
{{- $own = merge $own (dict "grpc.plaintext_behind_mesh" true) }}
{{- end }}
{{- if .Values.otlp.endpoint }}
{{- $own = merge $own (dict "otlp.endpoint" .Values.otlp.endpoint "otlp.sampling" .Values.otlp.sampling "otlp.memory_spans" .Values.otlp.memorySpans) }}
{{- end }}
{{- if eq .Values.store.kind "postgres" }}
{{- $own = merge $own (dict "store.url" (required "store.url is needed where store.kind is postgres" .Values.store.url)) }}
{{- if .Values.store.passwordSecret.name }}
{{- $own = merge $own (dict "store.password_file" (printf "/secrets/store/%s" .Values.store.passwordSecret.key)) }}
{{- end }}
{{- end }}
{{- range $name, $value := mergeOverwrite $own .Values.settings }}
- name: {{ include "memorybank.variable" $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $secret := .Values.secretSettings }}
- name: {{ include "memorybank.variable" $name }}
  valueFrom:
    secretKeyRef: {name: {{ $secret.name | quote }}, key: {{ $secret.key | quote }}}
{{- end }}
{{- end }}

{{- define "memorybank.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "memorybank.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- /* The kubelet's gRPC probes speak no TLS: health has a port of its own. */ -}}
{{- define "memorybank.probe" -}}
grpc:
  port: 7701
{{- end }}

{{- define "memorybank.secretMounts" -}}
{{- if .Values.tls.secretName }}
- name: tls
  mountPath: /secrets/tls
  readOnly: true
{{- end }}
{{- if and (eq .Values.store.kind "postgres") .Values.store.passwordSecret.name }}
- name: store-password
  mountPath: /secrets/store
  readOnly: true
{{- end }}
{{- end }}

{{- define "memorybank.secretVolumes" -}}
{{- if .Values.tls.secretName }}
- name: tls
  secret:
    secretName: {{ .Values.tls.secretName }}
    defaultMode: 0440
{{- end }}
{{- if and (eq .Values.store.kind "postgres") .Values.store.passwordSecret.name }}
- name: store-password
  secret:
    secretName: {{ .Values.store.passwordSecret.name }}
    defaultMode: 0440
{{- end }}
{{- end }}
