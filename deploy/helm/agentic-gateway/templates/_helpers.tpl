{{- define "agentic.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "agentic.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := include "agentic.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "agentic.selector" -}}
app.kubernetes.io/name: {{ include "agentic.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agentic.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "agentic.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "agentic.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "agentic.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* The configuration with the defaults of the chart, as YAML. */}}
{{- define "agentic.config" -}}
{{- $own := dict "gateway" (dict "host" "0.0.0.0" "port" 8080 "drain_delay_seconds" 5 "drain_seconds" 25) }}
{{- $config := mustMergeOverwrite $own (deepCopy .Values.config) }}
{{- if not $config.routes }}
{{- fail "config.routes is empty: the gateway would answer every request with 404" }}
{{- end }}
{{- $drain := add $config.gateway.drain_delay_seconds $config.gateway.drain_seconds }}
{{- if le (int .Values.terminationGracePeriodSeconds) (int $drain) }}
{{- fail (printf "terminationGracePeriodSeconds has to be longer than drain_delay_seconds and drain_seconds together, which are %d" $drain) }}
{{- end }}
{{- if eq (($config.gateway.tls).client_certificate | default "") "require" }}
{{- fail "config.gateway.tls.client_certificate: require refuses the probes of the kubelet, which have no certificate: use request" }}
{{- end }}
{{- $text := toYaml $config }}
{{- $mounts := .Values.extraVolumeMounts | toJson }}
{{- range regexFindAll "/etc/agentic/secrets/[^/\\s\"',\\]}]+" $text -1 | uniq }}
{{- if not (or (has (base .) $.Values.secretFiles) (contains . $mounts)) }}
{{- fail (printf "config names a file in %s: add %s to secretFiles" . (base .)) }}
{{- end }}
{{- end }}
{{- $redis := ($config.gateway.shared).redis_url | default "" }}
{{- if regexMatch "^rediss?://[^/]*:[^/$]+@" $redis }}
{{- fail "config.gateway.shared.redis_url has a password, and a ConfigMap is no place for it: use redis_url_file with secretFiles" }}
{{- end }}
{{- $text }}
{{- end }}

{{- define "agentic.scheme" -}}
{{- $config := include "agentic.config" . | fromYaml }}
{{- if $config.gateway.tls }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{- define "agentic.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}
