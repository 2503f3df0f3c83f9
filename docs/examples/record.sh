#!/bin/bash
# Puts a room on air for some seconds, recorded, and downloads the MP4 as soon as it is ready.
#
#     record.sh ROOM [SECONDS]
#
# The room's people meet at http://localhost:8080/rooms/ROOM. README.md beside this file lists the
# variables that it reads, and the settings that the server needs. It uses curl, jq and openssl, and
# python3 to receive webhooks.
set -euo pipefail

server=${SERVER:-http://localhost:8080}
listen=${LISTEN:-127.0.0.1:9000}
name=$1
seconds=${2:-10}

# A management token: a JWT with these claims, signed with HS256. (openssl shows keys to whoever may
# list this machine's processes: sign in your application where others work on it, too.)

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }

management_token() {
    local now text
    now=$(date +%s)
    text=$(printf '{"alg": "HS256", "typ": "JWT"}' | base64url).$(jq --null-input --join-output \
        --arg key "$ROOMCAST_AUTH_ACCESS_KEY" --arg id "$RANDOM$RANDOM-$now" --argjson now "$now" \
        '{access_key: $key, type: "management", version: 2, iat: $now, nbf: $now,
          exp: ($now + 3600), jti: $id} | tojson' | base64url)
    printf '%s.%s' "$text" "$(printf '%s' "$text" \
        | openssl dgst -sha256 -hmac "$ROOMCAST_AUTH_SECRET" -binary | base64url)"
}

post() { # path body
    curl --silent --show-error --fail-with-body --request POST \
        --header "Authorization: Bearer $(management_token)" \
        --header "Content-Type: application/json" --data "$2" "$server$1"
}

# The receiver of webhooks writes a line for each: its time, its signature and its body, which has no
# line feeds.

exec {hooks}< <(exec python3 -c '
import http.server, sys

class Hooks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        print(self.headers["X-Roomcast-Timestamp"], self.headers["X-Roomcast-Signature"], body,
              flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

host, port = sys.argv[1].split(":")
http.server.HTTPServer((host, int(port)), Hooks).serve_forever()' "$listen")
trap "kill $!" EXIT

wait_for() { # the data of the stream's event of this type
    local stamp signature body expected
    while read -r -t 300 -u "$hooks" stamp signature body; do
        expected=$(printf '%s.%s' "$stamp" "$body" \
            | openssl dgst -sha256 -hmac "$ROOMCAST_WEBHOOKS_SECRET" -r | cut -d ' ' -f 1)
        # Only what the server has signed, and that not long ago.
        [[ $signature == "v1=$expected" && $stamp -gt $(($(date +%s) - 300)) ]] || continue
        [[ $(jq -r .data.beam_id <<<"$body") == "$2" ]] || continue
        case $(jq -r .type <<<"$body") in
            "$1") jq .data <<<"$body" && return ;;
            hls.failure) jq -r .data.error_message <<<"$body" >&2 && return 1 ;;
        esac
    done
    echo "There was no $1 for five minutes." >&2
    return 1
}

room=$(post /v2/rooms "$(jq --null-input --arg name "$name" --arg url "http://$listen/" \
    '{name: $name, webhook: {url: $url}}')" | jq -r .id)
stream=$(post "/v2/live-streams/room/$room/start" \
    '{"recording": {"single_file_per_layer": true}}' | jq -r .id)
url=$(wait_for hls.started.success "$stream" | jq -r .url)
echo "On air: $url"
sleep "$seconds"
post "/v2/live-streams/$stream/stop" '{}' >/dev/null
echo "Stopped. The MP4 is being made."

recorded=$(wait_for hls.recording.success "$stream")
# The link needs no token, and is valid for a week.
curl --silent --show-error --fail --output "$name.mp4" \
    "$(jq -r '.recording_single_files[0].recording_presigned_url' <<<"$recorded")"
echo "Downloaded $name.mp4, $(jq .duration <<<"$recorded") s."
