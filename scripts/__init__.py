"""What a person types: one file a command, each thin over engine and protocol."""
