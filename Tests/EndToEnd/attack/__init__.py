"""An hour of hostile input to a server with a healthy stream on air."""
