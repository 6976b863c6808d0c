#!/bin/sh
# Makes the secrets of compose.yaml, random ones, where they are missing.
# Usage: make-secrets.sh [FOLDER], by default the folder "secrets" beside this file.
set -eu

folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# The containers run as different users and read single files. On this machine nobody else gets into the folder.
chmod 700 "$folder"

keep() {
  if [ -e "$folder/$1" ]; then
    cat >/dev/null
  else
    cat >"$folder/$1"
    chmod 444 "$folder/$1"
  fi
}

# The same password in two files each, so both of a pair are made together.
if [ ! -e "$folder/postgres-password" ] || [ ! -e "$folder/database-url" ]; then
  password=$(openssl rand -hex 32)
  rm -f "$folder/postgres-password" "$folder/database-url"
  printf '%s\n' "$password" | keep postgres-password
  printf 'postgres://campaigns:%s@postgres:5432/campaigns\n' "$password" | keep database-url
fi
if [ ! -e "$folder/redis-config" ] || [ ! -e "$folder/redis-url" ]; then
  password=$(openssl rand -hex 32)
  rm -f "$folder/redis-config" "$folder/redis-url"
  printf 'requirepass %s\nappendonly yes\nmaxmemory-policy noeviction\n' "$password" | keep redis-config
  printf 'redis://:%s@redis:6379/0\n' "$password" | keep redis-url
fi
openssl genpkey -algorithm ed25519 | keep identity-key
openssl rand -hex 32 | keep approvals-key
openssl rand -hex 32 | keep grafana-password
