package example;

import com.google.gson.Gson;
import com.google.rpc.ErrorInfo;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import memorybank.v1.*;

/**
 * Agentic Memory Bank from Java: create, memorize, search, read your own write, follow a merged node, stream, watch.
 *
 * <p>{@code mvn compile exec:java -Dexec.args=127.0.0.1:7700}
 */
public final class Example {
  private static final String BANK = "from-java";

  public static void main(String[] arguments) throws Exception {
    // What may be tried again, and how.
    Path shipped = Path.of("../../protos/memorybank/v1/service_config.json");
    Map<?, ?> config = new Gson().fromJson(Files.readString(shipped), Map.class);
    // A proxy keeps the calls of one bank on the process where it is warm.
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("x-memory-bank", Metadata.ASCII_STRING_MARSHALLER), BANK);
    @SuppressWarnings("unchecked")
    ManagedChannel channel =
        Grpc.newChannelBuilder(arguments[0], InsecureChannelCredentials.create())
            .defaultServiceConfig((Map<String, ?>) config)
            .intercept(MetadataUtils.newAttachHeadersInterceptor(metadata))
            .build();
    try {
      tour(channel);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static void tour(ManagedChannel channel) throws Exception {
    var banks = MemoryBankGrpc.newBlockingStub(channel);
    banks
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .createBank(CreateBankRequest.newBuilder().setBankId(BANK).setRequestId("create-" + BANK).build());
    MemorizeResponse memorized =
        banks
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .memorize(
                MemorizeRequest.newBuilder()
                    .setBankId(BANK)
                    .setText("The ferry to Naxos leaves at nine from pier 3.")
                    .setRequestId("memorize-1")
                    .build());
    // The revision of a write, given to a read: whichever process answers has seen it.
    SearchResponse found =
        RetrievalGrpc.newBlockingStub(channel)
            .withDeadlineAfter(10, TimeUnit.SECONDS)
            .search(
                SearchRequest.newBuilder()
                    .setBankId(BANK)
                    .setText("when does the ferry leave?")
                    .setMinRevision(memorized.getRevision())
                    .build());
    System.out.println("found: " + found.getHits(0).getNode().getSummary());
    follow(QueryGraphGrpc.newBlockingStub(channel));
    stream(MemoryBankGrpc.newStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS));
    watch(banks);
  }

  /** Reads a node that was merged into another, and goes to the one that stands for it today. */
  private static void follow(QueryGraphGrpc.QueryGraphBlockingStub graph) {
    AddNodeRequest node = AddNodeRequest.newBuilder().setBankId(BANK).buildPartial();
    graph.addNode(
        node.toBuilder()
            .setNodeId("n-ticket")
            .setSummary("A ferry ticket to Naxos costs 42 euro.")
            .setRequestId("add-ticket")
            .build());
    graph.addNode(
        node.toBuilder()
            .setNodeId("n-fare")
            .setSummary("The fare to Naxos is 42 euro.")
            .setRequestId("add-fare")
            .build());
    graph.mergeNodes(
        MergeNodesRequest.newBuilder()
            .setBankId(BANK)
            .addNodeIds("n-ticket")
            .addNodeIds("n-fare")
            .setNewNodeId("n-price")
            .setSummary("Naxos by ferry: 42 euro.")
            .setRequestId("merge-1")
            .build());
    GetNodeRequest fare = GetNodeRequest.newBuilder().setBankId(BANK).setNodeId("n-fare").build();
    try {
      graph.getNode(fare);
    } catch (StatusRuntimeException error) {
      String into = absorbedInto(error).orElseThrow(() -> error);
      GetNodeResponse today = graph.getNode(fare.toBuilder().setNodeId(into).build());
      System.out.println("followed: " + today.getNode().getSummary());
    }
  }

  /** The node that stands today for the one that was asked for, from an error's details. */
  private static Optional<String> absorbedInto(StatusRuntimeException error) {
    return StatusProto.fromThrowable(error).getDetailsList().stream()
        .filter(detail -> detail.is(ErrorInfo.class))
        .map(
            detail -> {
              try {
                return detail.unpack(ErrorInfo.class);
              } catch (com.google.protobuf.InvalidProtocolBufferException malformed) {
                throw new IllegalStateException(malformed);
              }
            })
        .filter(info -> info.getReason().equals("NODE_ABSORBED"))
        .map(info -> info.getMetadataOrThrow("into"))
        .findFirst();
  }

  /** Memorizes a text in pieces, as one would a file of any size. */
  private static void stream(MemoryBankGrpc.MemoryBankStub banks) throws Exception {
    var answered = new CompletableFuture<MemorizeResponse>();
    StreamObserver<MemorizeStreamRequest> parts =
        banks.memorizeStream(
            new StreamObserver<>() {
              @Override
              public void onNext(MemorizeStreamResponse news) {
                if (news.hasResult()) {
                  answered.complete(news.getResult());
                }
              }

              @Override
              public void onError(Throwable error) {
                answered.completeExceptionally(error);
              }

              @Override
              public void onCompleted() {}
            });
    MemorizeRequest header =
        MemorizeRequest.newBuilder().setBankId(BANK).setSource("notes.md").setRequestId("stream-1").build();
    parts.onNext(MemorizeStreamRequest.newBuilder().setHeader(header).build());
    parts.onNext(MemorizeStreamRequest.newBuilder().setText("The museum of Naxos opens at eight. ").build());
    parts.onNext(MemorizeStreamRequest.newBuilder().setText("It is closed on Tuesdays.").build());
    parts.onCompleted();
    System.out.println("streamed: " + (answered.get().getNodeIdsCount() > 0));
  }

  /** Follows the bank from its beginning, until a node was added. */
  private static void watch(MemoryBankGrpc.MemoryBankBlockingStub banks) {
    Iterator<WatchBankResponse> changes =
        banks.watchBank(WatchBankRequest.newBuilder().setBankId(BANK).setFromRevision(0).build());
    while (changes.hasNext()) {
      for (ChangeEvent event : changes.next().getEventsList()) {
        if (event.hasNodeAdded()) {
          System.out.println("watched: " + event.getNodeAdded().getSummary());
          return;
        }
      }
    }
  }
}
