package memorybank.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A call that failed, taken apart: {@code MemoryBankException.of(error)} of what a stub threw. What the status does not
 * carry is empty.
 */
public final class MemoryBankException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String DOMAIN = "memorybank";
  static final Metadata.Key<String> REQUEST_ID = Metadata.Key.of("request-id-sent", Metadata.ASCII_STRING_MARSHALLER);

  /** A field of the request, by its path, and what is wrong with it. */
  public record FieldViolation(String field, String problem) {}

  private final transient Status status;
  private final String requestId;
  private String reason = "";
  private Map<String, String> metadata = Map.of();
  private final List<FieldViolation> fields = new ArrayList<>();
  private Duration retryAfter;

  private MemoryBankException(Throwable cause) {
    super(cause.getMessage(), cause);
    status = Status.fromThrowable(cause);
    Metadata trailers = Status.trailersFromThrowable(cause);
    String sent = trailers == null ? null : trailers.get(REQUEST_ID);
    requestId = sent == null ? "" : sent;
    com.google.rpc.Status told = StatusProto.fromStatusAndTrailers(status, trailers);
    for (Any detail : told.getDetailsList()) {
      try {
        read(detail);
      } catch (InvalidProtocolBufferException malformed) {
        continue; // a proxy's; the code still stands
      }
    }
  }

  private void read(Any detail) throws InvalidProtocolBufferException {
    if (detail.is(ErrorInfo.class)) {
      ErrorInfo info = detail.unpack(ErrorInfo.class);
      if (info.getDomain().equals(DOMAIN)) {
        reason = info.getReason();
        metadata = info.getMetadataMap();
      }
    } else if (detail.is(BadRequest.class)) {
      for (var each : detail.unpack(BadRequest.class).getFieldViolationsList()) {
        fields.add(new FieldViolation(each.getField(), each.getDescription()));
      }
    } else if (detail.is(RetryInfo.class)) {
      var delay = detail.unpack(RetryInfo.class).getRetryDelay();
      retryAfter = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
    }
  }

  /** Returns the exception that a stub's stands for. */
  public static MemoryBankException of(Throwable error) {
    return new MemoryBankException(error);
  }

  static MemoryBankException of(Status status, Metadata trailers) {
    return new MemoryBankException(new StatusRuntimeException(status, trailers));
  }

  /** gRPC's code. */
  public Status.Code code() {
    return status.getCode();
  }

  /** What the service said, for people. */
  public String details() {
    return status.getDescription() == null ? "" : status.getDescription();
  }

  /** The contract's reason, an ErrorReason without its prefix ({@code NODE_ABSORBED}); empty: the service did not answer. */
  public String reason() {
    return reason;
  }

  /** The keys that the contract lists for the reason. */
  public Map<String, String> metadata() {
    return metadata;
  }

  /** The fields of the request that cannot be accepted. */
  public List<FieldViolation> fields() {
    return List.copyOf(fields);
  }

  /** When it makes sense to try again, if that is told. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /** The request id that was sent: a mutation repeated under it happens once. Empty for reads. */
  public String requestId() {
    return requestId;
  }
}
