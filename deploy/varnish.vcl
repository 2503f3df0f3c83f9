# Varnish in front of Roomcast, for streams with many viewers: equal requests become one. For Varnish
# 6 and later, which speaks no TLS: hitch or nginx in front of it do, by the PROXY protocol, so that
# Roomcast sees whose requests these are.
#
#   varnishd -a 127.0.0.1:6081,PROXY -f /etc/varnish/varnish.vcl -s malloc,1g
vcl 4.1;

backend roomcast {
    .host = "127.0.0.1";
    .port = "8080";
    # A reload waits for three segments at most.
    .first_byte_timeout = 75s;
}

sub vcl_recv {
    # Attempts at room codes count for this address; a client's own header must not pass.
    set req.http.X-Forwarded-For = client.ip;
    if (req.http.Upgrade ~ "(?i)websocket") {
        return (pipe);
    }
    # Recordings of any length go through as they are read. What Varnish does not keep it would read
    # ahead into memory without a limit.
    if (req.url ~ "^/(openvidu/)?recordings/") {
        return (pipe);
    }
    # Only public streams are kept. A signed address, which has two dots, is for one viewer.
    if (req.url !~ "^/hls/" || req.url ~ "^/hls/[^/]+/[^/]+\.[0-9]+\."
        || (req.method != "GET" && req.method != "HEAD")) {
        return (pass);
    }
    unset req.http.Cookie;
    unset req.http.Authorization;
    # What players add for themselves makes no other answer; the fields of a playlist's reload do.
    if (req.url ~ "^[^?]*\.m3u8\?(.*&)?_HLS_") {
        set req.url = regsuball(regsub(req.url, "\?", "?&"), "&(?!_HLS_)[^&]*", "");
    } else {
        set req.url = regsub(req.url, "\?.*$", "");
    }
    return (hash);
}

sub vcl_pipe {
    if (req.http.Upgrade ~ "(?i)websocket") {
        set bereq.http.Upgrade = req.http.Upgrade;
        set bereq.http.Connection = req.http.Connection;
    } else {
        # A later request on the same connection would come with any address that it names.
        set bereq.http.Connection = "close";
    }
}

sub vcl_backend_response {
    if (bereq.uncacheable || bereq.url !~ "^/hls/") {
        return (deliver);
    }
    # What has expired is never served.
    set beresp.grace = 0s;
    if (beresp.status >= 400) {
        # Those who waited for the same get it, and nobody later.
        set beresp.ttl = 100ms;
        return (deliver);
    }
    if (beresp.http.Cache-Control == "no-cache") {
        # The newest playlist, for those who ask at the same time.
        set beresp.ttl = 200ms;
        return (deliver);
    }
}

sub vcl_backend_error {
    # Without it, a player sees an opaque network failure.
    set beresp.http.Access-Control-Allow-Origin = "*";
    # Varnish would keep it for seconds for those who came meanwhile.
    set beresp.ttl = 100ms;
    set beresp.grace = 0s;
    set beresp.keep = 0s;
}
