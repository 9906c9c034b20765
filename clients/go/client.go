// Package memorybank opens connections to Agentic Memory Bank. The stubs of its contract (package memorybankv1) keep the
// law of clients/README.md on them: request ids, affinity, reads of one's own writes, deadlines, retries, typed errors.
//
//	connection, err := memorybank.Dial("127.0.0.1:7700", memorybank.Options{})
//	banks := memorybankv1.NewMemoryBankClient(connection)
package memorybank

import (
	_ "embed"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// What may be tried again, and how: the contract's own file.
//
//go:embed service_config.json
var serviceConfig string

const (
	messageBytes  = 64 << 20 // the largest response taken; what the service takes is the service's to say
	repeatedBytes = 16 << 20 // the largest request that is kept to be tried again
)

// Options of a connection. The zero value is right for a service on the same machine, and for one whose credentials the
// environment names.
type Options struct {
	// KeyFile holds an API key, and only its owner may read it. Empty: the file that MEMORYBANK_API_KEY_FILE names, if any.
	KeyFile string
	// CAFile holds the authorities, in PEM, that the server's certificate is trusted by; "system": this machine's.
	// Empty: what MEMORYBANK_TLS_CA names; without either the connection is not encrypted.
	CAFile string
	// Credentials of the transport in the place of CAFile: mutual TLS, say.
	Credentials credentials.TransportCredentials
	// PlaintextKey says that a proxy on the way encrypts: the key may then leave this machine as it is.
	PlaintextKey bool
	// AnyRevision leaves out that reads see at least what this connection has seen.
	AnyRevision bool
}

// Dial returns a connection to a target of gRPC's (HOST:PORT, dns:///memory:443). Nothing is sent until the first call.
// It fails for a key that others can read, or that would leave this machine unencrypted, and for a file it cannot read.
func Dial(target string, options Options, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	transport, err := options.transport()
	if err != nil {
		return nil, err
	}
	key, err := options.key(target, transport)
	if err != nil {
		return nil, err
	}
	law := newLaw(key, !options.AnyRevision)
	own := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithChainUnaryInterceptor(law.unary),
		grpc.WithChainStreamInterceptor(law.stream),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageBytes), grpc.MaxRetryRPCBufferSize(repeatedBytes)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.WithConnectParams(reconnect()),
	}
	return grpc.NewClient(target, append(own, more...)...)
}

// reconnect lets a server that was restarted be found again as soon as it is there.
func reconnect() grpc.ConnectParams {
	pauses := backoff.DefaultConfig
	pauses.MaxDelay = 2 * time.Second
	return grpc.ConnectParams{Backoff: pauses, MinConnectTimeout: 20 * time.Second}
}
