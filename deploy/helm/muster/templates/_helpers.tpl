{{- define "muster.name" -}}
{{- if contains "muster" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-muster" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "muster.secret" -}}
{{- .Values.existingSecret | default (include "muster.name" .) }}
{{- end }}

{{- /* Rejects combinations of values that do not work. */}}
{{- define "muster.check" -}}
{{- $external := or .Values.databaseUrl .Values.existingSecret }}
{{- if and (gt (int .Values.replicas) 1) (not $external) }}{{ fail "replicas above 1 require databaseUrl or existingSecret: otherwise, each pod would have a separate embedded database" }}{{ end }}
{{- if and (gt (int .Values.replicas) 1) (not (or .Values.masterKey .Values.existingSecret)) }}{{ fail "replicas above 1 require masterKey or existingSecret: otherwise, each pod would create a different master key" }}{{ end }}
{{- if and .Values.citus.enabled (not $external) }}{{ fail "citus.enabled requires databaseUrl or existingSecret: the embedded database is not a Citus cluster" }}{{ end }}
{{- if and .Values.citus.workerUrls (not .Values.citus.enabled) }}{{ fail "citus.workerUrls requires citus.enabled" }}{{ end }}
{{- if and .Values.citus.workerUrls .Values.existingSecret }}{{ fail "citus.workerUrls has no effect with existingSecret: add DATABASE_URLS to that secret instead" }}{{ end }}
{{- if and .Values.ingress.enabled (not (or .Values.ingress.host .Values.publicUrl)) }}{{ fail "ingress.enabled requires ingress.host or publicUrl" }}{{ end }}
{{- if and .Values.serviceMonitor.enabled (not .Values.settings.MUSTER_METRICS_TOKEN) }}{{ fail "serviceMonitor.enabled requires settings.MUSTER_METRICS_TOKEN" }}{{ end }}
{{- end }}
