package memorybank.client;

import com.google.protobuf.DescriptorProtos.MethodOptions;
import com.google.protobuf.Descriptors;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import memorybank.v1.Calls;

/** Keeps the law of clients/README.md on every call of a channel. */
final class Law implements ClientInterceptor {
  private static final String CONTRACT = "memorybank.v1";
  private static final int READ_SECONDS = 10; // of a method that states none and is harmless to repeat
  private static final int WRITE_SECONDS = 30; // of any other that states none
  private static final int BYTES_A_SECOND = 16 << 10; // of a request, for which its call is given a second more
  private static final Pattern AFFINITY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:%/-]{0,1024}");
  private static final Metadata.Key<String> AFFINITY_KEY = ascii("x-memory-bank");
  private static final Metadata.Key<String> AUTHORIZATION_KEY = ascii("authorization");

  private final String key; // goes with every call; empty: none
  private final Revisions revisions; // null: reads ask for none

  Law(String key, Revisions revisions) {
    this.key = key;
    this.revisions = revisions;
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    Descriptors.MethodDescriptor described = described(method);
    return new DelayedCall<>(described != null && described.isClientStreaming()) {
      @Override
      Q begin(Q first, Metadata headers) {
        Q sent = first;
        Asked asked = null;
        if (described != null && first instanceof Message message) {
          asked = Asked.of(message, described.isClientStreaming(), revisions);
          @SuppressWarnings("unchecked")
          Q completed = (Q) asked.message();
          sent = completed;
        }
        carry(headers, asked);
        CallOptions timed = asked == null ? options : within(described, asked.message(), options);
        open(next.newCall(method, timed), asked == null ? l -> l : heard(asked), headers);
        return sent;
      }
    };
  }

  private void carry(Metadata headers, Asked asked) {
    if (!key.isEmpty() && !headers.containsKey(AUTHORIZATION_KEY)) {
      headers.put(AUTHORIZATION_KEY, "Bearer " + key);
    }
    // A name that gRPC would refuse goes without: the service says what is wrong.
    if (asked != null && AFFINITY.matcher(asked.affinity()).matches() && !headers.containsKey(AFFINITY_KEY)) {
      headers.put(AFFINITY_KEY, asked.affinity());
    }
  }

  private static CallOptions within(Descriptors.MethodDescriptor method, Message request, CallOptions options) {
    int seconds = seconds(method.getOptions());
    if (seconds == 0 || options.getDeadline() != null) {
      return options;
    }
    return options.withDeadlineAfter(seconds + request.getSerializedSize() / BYTES_A_SECOND, TimeUnit.SECONDS);
  }

  private static int seconds(MethodOptions options) {
    if (options.hasExtension(Calls.deadlineSeconds)) {
      return options.getExtension(Calls.deadlineSeconds);
    }
    boolean harmless = options.getIdempotencyLevel() != MethodOptions.IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
    return harmless ? READ_SECONDS : WRITE_SECONDS;
  }

  /** Learns from what comes back; an error's trailers get the request id that was sent. */
  private static <A> DelayedCall.Hearing<A> heard(Asked asked) {
    return listener ->
        new SimpleForwardingClientCallListener<A>(listener) {
          @Override
          public void onMessage(A message) {
            asked.answered((Message) message);
            super.onMessage(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            if (!status.isOk()) {
              if (!asked.requestId().isEmpty()) {
                trailers.put(MemoryBankException.REQUEST_ID, asked.requestId());
              }
              asked.failed(MemoryBankException.of(status, trailers));
            }
            super.onClose(status, trailers);
          }
        };
  }

  private static Descriptors.MethodDescriptor described(MethodDescriptor<?, ?> method) {
    boolean isOurs = method.getServiceName() != null && method.getServiceName().startsWith(CONTRACT + ".");
    return isOurs && method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier known
        ? known.getMethodDescriptor()
        : null;
  }

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
