package memorybank.client;

import com.google.gson.Gson;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes channels to the service.
 *
 * <pre>{@code
 * ManagedChannel channel = MemoryBankChannel.to("127.0.0.1:7700").build();
 * var banks = MemoryBankGrpc.newBlockingStub(channel);
 * }</pre>
 */
public final class MemoryBankChannel {
  private static final int MESSAGE_BYTES = 64 << 20; // the largest response; what the service takes is its own to say
  private static final long REPEATED_BYTES = 16 << 20; // the largest request that is kept to be tried again

  private final String target;
  private Path keyFile;
  private Path caFile;
  private ChannelCredentials credentials;
  private boolean plaintextKey;
  private boolean anyRevision;

  private MemoryBankChannel(String target) {
    this.target = target;
  }

  /** Begins with a target of gRPC's ({@code HOST:PORT}, {@code dns:///memory:443}). */
  public static MemoryBankChannel to(String target) {
    return new MemoryBankChannel(target);
  }

  /** The file of an API key, that only its owner may read; else the one that MEMORYBANK_API_KEY_FILE names, if any. */
  public MemoryBankChannel keyFile(Path file) {
    keyFile = file;
    return this;
  }

  /**
   * The authorities, in PEM, that the server's certificate is trusted by; {@code system}: this machine's; else what
   * MEMORYBANK_TLS_CA names. Without either the connection is not encrypted.
   */
  public MemoryBankChannel caFile(Path file) {
    caFile = file;
    return this;
  }

  /** Credentials of the transport in the place of {@link #caFile}: mutual TLS, say. */
  public MemoryBankChannel credentials(ChannelCredentials given) {
    credentials = given;
    return this;
  }

  /** A proxy on the way encrypts: the key may leave this machine as it is. */
  public MemoryBankChannel plaintextKey() {
    plaintextKey = true;
    return this;
  }

  /** Reads need not see what this channel has seen. */
  public MemoryBankChannel anyRevision() {
    anyRevision = true;
    return this;
  }

  /**
   * Returns the channel. Nothing is sent until the first call.
   *
   * @throws IOException for a file that cannot be read
   * @throws IllegalArgumentException for a key that others can read, or that would leave this machine unencrypted
   */
  public ManagedChannel build() throws IOException {
    ChannelCredentials transport = credentials != null ? credentials : Credentials.transport(caFile);
    String key = Credentials.key(keyFile, target, transport, plaintextKey);
    return Grpc.newChannelBuilder(target, transport)
        .defaultServiceConfig(serviceConfig())
        .enableRetry()
        .perRpcBufferLimit(REPEATED_BYTES)
        .maxInboundMessageSize(MESSAGE_BYTES)
        .keepAliveTime(60, TimeUnit.SECONDS)
        .keepAliveTimeout(20, TimeUnit.SECONDS)
        .intercept(new Law(key, anyRevision ? null : new Revisions()))
        .build();
  }

  /** Returns the contract's retries, and UNKNOWN among them: what this gRPC calls a connection that closes under a call. */
  @SuppressWarnings("unchecked")
  private static Map<String, ?> serviceConfig() throws IOException {
    Map<String, ?> shipped;
    try (var file = MemoryBankChannel.class.getResourceAsStream("service_config.json")) {
      shipped = new Gson().fromJson(new InputStreamReader(file, StandardCharsets.UTF_8), Map.class);
    }
    for (var each : (List<Map<String, Map<String, List<String>>>>) shipped.get("methodConfig")) {
      if (each.containsKey("retryPolicy")) {
        each.get("retryPolicy").get("retryableStatusCodes").add("UNKNOWN");
      }
    }
    return shipped;
  }
}
