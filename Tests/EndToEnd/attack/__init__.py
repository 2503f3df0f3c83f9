"""A hostile hour: strangers send what nobody should, to a server with a healthy stream on air."""
