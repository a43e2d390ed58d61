#!/usr/bin/env bash
# This script sends a signed GraphQL request to Muster with bash, openssl, and curl, and prints the response:
#
#   bash examples/curl.sh                          # the first devices
#   bash examples/curl.sh '{ login { email } }'
#   bash examples/curl.sh 'query ($n: Int) { login { devices(size: $n) { total } } }' '{"n": 5}'
#
# It reads MUSTER_URL, MUSTER_ACCESS_KEY_ID, and MUSTER_SECRET_ACCESS_KEY from the environment, or from the section
# [default] of the file that MUSTER_CREDENTIALS names. If that variable is not set, the script reads the file
# $MUSTER_DATA/credentials (by default, data/credentials) or, if that file does not exist, ~/.muster/credentials. It
# exits with 0 only if there is a response without errors. The signature follows RFC 9421 with hmac-sha256 and covers a
# digest of the body (RFC 9530).
set -euo pipefail

fail() { printf '%s\n' "$1" >&2; exit 2; }
[ $# -le 2 ] || fail "usage: bash $0 ['query' ['variables as JSON']]"
query=${1:-'{ login { devices(size: 5) { total items { id name state } } } }'}

file=${MUSTER_CREDENTIALS:-${MUSTER_DATA:-data}/credentials}
[ -n "${MUSTER_CREDENTIALS:-}" ] || [ -e "$file" ] || file=$HOME/.muster/credentials
setting() { # Prints a setting from the environment or, if it is not set there, from the file.
  local value=${!1:-}
  if [ -z "$value" ] && [ -r "$file" ]; then
    value=$(tr -d '\r' <"$file" | sed -n '/^ *\[default\]/,/^ *\[/ s/^ *'"$1"' *= *\(.*[^ ]\) *$/\1/p')
  fi
  [ -n "$value" ] || fail "$1 is not set. Set it in the environment, or in the section [default] of the file $file."
  printf '%s' "$value"
}
url=$(setting MUSTER_URL) key_id=$(setting MUSTER_ACCESS_KEY_ID) secret=$(setting MUSTER_SECRET_ACCESS_KEY)

# Escape the query as a JSON string (RFC 8259 §7).
query=${query//\\/\\\\}
query=${query//\"/\\\"}
for number in {1..31}; do
  printf -v code '%02x' "$number"
  printf -v character "\\x$code"
  query=${query//"$character"/\\u00$code}
done
body="{\"query\":\"$query\",\"variables\":${2:-null}}"

url=${url%/}/graphql/v1
address=${url#*://}
digest="sha-256=:$(printf '%s' "$body" | openssl dgst -sha256 -binary | openssl base64 -A):"
parameters='("@method" "@authority" "@path" "content-type" "content-digest")'
parameters+=";created=$(date +%s);keyid=\"$key_id\";alg=\"hmac-sha256\""
printf -v base '%s\n' '"@method": POST' "\"@authority\": ${address%%/*}" "\"@path\": /${address#*/}" \
  '"content-type": application/json' "\"content-digest\": $digest" "\"@signature-params\": $parameters"

# The secret is the key in base64. The script passes the key to openssl in hexadecimal, because the key can contain any
# bytes. Other users of this machine could briefly see the key in the list of processes. If that matters, use
# another example.
key=$(printf '%s' "$secret" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
signature=$(printf '%s' "${base%$'\n'}" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)

response=$(printf '%s' "$body" | curl --silent --show-error --max-time 60 --data-binary @- \
  --header 'Content-Type: application/json' --header "Content-Digest: $digest" \
  --header "Signature-Input: sig1=$parameters" --header "Signature: sig1=:$signature:" "$url") || exit 1
printf '%s\n' "$response"
[[ $response == '{"data":'* ]]
