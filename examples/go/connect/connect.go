// Package connect opens a connection to the service, by which calls are tried again as the contract says.
package connect

import (
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Retries is the file that says what may be tried again, and how; seen from this module's folder.
const Retries = "../../protos/memorybank/v1/service_config.json"

// To connects to HOST:PORT without encryption: for a service on the same machine.
func To(address string) (*grpc.ClientConn, error) {
	config, err := os.ReadFile(Retries)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(string(config)))
}
