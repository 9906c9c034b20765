"""Makes a server of the memory: transport, adapters, configuration, the command line."""
