"""What the end-to-end tests stand on: the server, the browsers, and eyes for decoded media."""
