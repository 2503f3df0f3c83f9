"""The base of the end-to-end tests: the server, the browsers, and checks of decoded media."""
