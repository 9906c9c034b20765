package memorybank

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	keyFileVariable = "MEMORYBANK_API_KEY_FILE"
	caVariable      = "MEMORYBANK_TLS_CA"
	systemCA        = "system"
	longestKey      = 4096
)

var (
	keyForm    = regexp.MustCompile(`^[!-~]+$`)
	schemeForm = regexp.MustCompile(`^(?:dns:(?://[^/]*)?/?|ipv4:|ipv6:|passthrough:///)`)
	portForm   = regexp.MustCompile(`:\d+$`)
)

// transport returns how the connection is encrypted, or that it is not.
func (options Options) transport() (credentials.TransportCredentials, error) {
	if options.Credentials != nil {
		return options.Credentials, nil
	}
	file := options.CAFile
	if file == "" {
		file = os.Getenv(caVariable)
	}
	switch file {
	case "":
		return insecure.NewCredentials(), nil
	case systemCA:
		return credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12}), nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", file)
	}
	return credentials.NewTLS(&tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}), nil
}

// key returns the API key that goes with every call; none if no file is named. It is never sent beyond this machine
// unencrypted, unless the options say that a proxy encrypts.
func (options Options) key(target string, transport credentials.TransportCredentials) (string, error) {
	file := options.KeyFile
	if file == "" {
		file = os.Getenv(keyFileVariable)
	}
	if file == "" {
		return "", nil
	}
	key, err := readKey(file)
	if err != nil {
		return "", err
	}
	encrypted := transport.Info().SecurityProtocol != insecure.NewCredentials().Info().SecurityProtocol
	if !encrypted && !options.PlaintextKey && !withinMachine(target) {
		return "", fmt.Errorf("the API key would reach %s unencrypted: name the server's authorities with CAFile (%s), "+
			"or say PlaintextKey where a proxy on the way encrypts", target, caVariable)
	}
	return key, nil
}

func readKey(file string) (string, error) {
	opened, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	about, err := opened.Stat()
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && about.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s holds an API key, and others can read it: chmod 600 %s", file, file)
	}
	read, err := io.ReadAll(io.LimitReader(opened, 8192))
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(read))
	if len(key) > longestKey || !keyForm.MatchString(key) {
		return "", fmt.Errorf("%s: an API key is one word of printable ASCII, as `memorybank keys create` shows it", file)
	}
	return key, nil
}

// withinMachine tells whether what is sent to a target stays on this machine, for all that its name tells.
func withinMachine(target string) bool {
	if strings.HasPrefix(target, "unix:") || strings.HasPrefix(target, "unix-abstract:") {
		return true
	}
	host := portForm.ReplaceAllString(schemeForm.ReplaceAllString(target, ""), "")
	host = strings.Trim(host, "[]")
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}
