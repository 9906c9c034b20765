package memorybank.client;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.function.UnaryOperator;

/**
 * A call that begins with its first message, which says what the call is about: its headers and its deadline depend on it.
 */
abstract class DelayedCall<Q, A> extends ClientCall<Q, A> {
  /** What listens in on a call's answers. */
  interface Hearing<A> extends UnaryOperator<ClientCall.Listener<A>> {}

  private final boolean streamsUp;
  private ClientCall<Q, A> opened; // null: nothing was sent yet
  private Listener<A> listener;
  private Metadata headers;
  private int requested;
  private boolean ended;

  DelayedCall(boolean streamsUp) {
    this.streamsUp = streamsUp;
  }

  /** Opens the call for its first message (null: there is none) and returns the message to send. */
  abstract Q begin(Q first, Metadata headers);

  /** Starts the call, with all that was asked of it before. */
  final void open(ClientCall<Q, A> call, Hearing<A> hearing, Metadata completed) {
    call.start(hearing.apply(listener), completed);
    opened = call;
    if (requested > 0) {
      call.request(requested);
    }
  }

  @Override
  public final void start(Listener<A> responses, Metadata given) {
    synchronized (this) {
      listener = responses;
      headers = given;
    }
    if (streamsUp) {
      responses.onReady(); // a caller that waits for it would wait for what it starts itself
    }
  }

  @Override
  public final synchronized void request(int messages) {
    if (opened == null) {
      requested += messages;
    } else {
      opened.request(messages);
    }
  }

  @Override
  public final synchronized void sendMessage(Q message) {
    if (ended) {
      return;
    }
    Q sent = opened == null ? begin(message, headers) : message;
    opened.sendMessage(sent);
  }

  @Override
  public final synchronized void halfClose() {
    if (ended) {
      return;
    }
    if (opened == null) {
      begin(null, headers);
    }
    opened.halfClose();
  }

  @Override
  public final void cancel(String message, Throwable cause) {
    synchronized (this) {
      if (opened != null) {
        opened.cancel(message, cause);
        return;
      }
      if (ended) {
        return;
      }
      ended = true;
    }
    if (listener != null) {
      listener.onClose(Status.CANCELLED.withDescription(message).withCause(cause), new Metadata());
    }
  }

  @Override
  public final synchronized boolean isReady() {
    return opened == null || opened.isReady();
  }
}
