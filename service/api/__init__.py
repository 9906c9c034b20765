"""The transport: from bytes to use cases and back. Knows gRPC and protobuf; core knows neither."""
