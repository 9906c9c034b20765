package example;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import memorybank.client.MemoryBankChannel;
import memorybank.client.MemoryBankException;
import memorybank.v1.*;

/**
 * Agentic Memory Bank from Java: create, memorize, search, read your own write, follow a merged node, stream, watch.
 *
 * <p>{@code mvn compile exec:java -Dexec.args=127.0.0.1:7700}
 */
public final class Example {
  private static final String BANK = "from-java";

  public static void main(String[] arguments) throws Exception {
    ManagedChannel channel = MemoryBankChannel.to(arguments[0]).build();
    try {
      tour(channel);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static void tour(ManagedChannel channel) throws Exception {
    var banks = MemoryBankGrpc.newBlockingStub(channel);
    banks.createBank(CreateBankRequest.newBuilder().setBankId(BANK).build());
    String note = "The ferry to Naxos leaves at nine from pier 3.";
    banks.memorize(MemorizeRequest.newBuilder().setBankId(BANK).setText(note).build());
    // It asks for the revision of the write by itself: whichever process answers has seen it.
    SearchResponse found =
        RetrievalGrpc.newBlockingStub(channel)
            .search(SearchRequest.newBuilder().setBankId(BANK).setText("when does the ferry leave?").build());
    System.out.println("found: " + found.getHits(0).getNode().getSummary());
    follow(QueryGraphGrpc.newBlockingStub(channel));
    stream(MemoryBankGrpc.newStub(channel));
    watch(banks);
  }

  /** Reads a node that was merged into another, and goes to the one that stands for it today. */
  private static void follow(QueryGraphGrpc.QueryGraphBlockingStub graph) {
    AddNodeRequest node = AddNodeRequest.newBuilder().setBankId(BANK).buildPartial();
    graph.addNode(
        node.toBuilder()
            .setNodeId("n-ticket")
            .setSummary("A ferry ticket to Naxos costs 42 euro.")
            .build());
    graph.addNode(
        node.toBuilder()
            .setNodeId("n-fare")
            .setSummary("The fare to Naxos is 42 euro.")
            .build());
    graph.mergeNodes(
        MergeNodesRequest.newBuilder()
            .setBankId(BANK)
            .addNodeIds("n-ticket")
            .addNodeIds("n-fare")
            .setNewNodeId("n-price")
            .setSummary("Naxos by ferry: 42 euro.")
            .build());
    GetNodeRequest fare = GetNodeRequest.newBuilder().setBankId(BANK).setNodeId("n-fare").build();
    try {
      graph.getNode(fare);
    } catch (StatusRuntimeException error) {
      MemoryBankException failed = MemoryBankException.of(error);
      if (!failed.reason().equals("NODE_ABSORBED")) {
        throw error;
      }
      String into = failed.metadata().get("into");
      GetNodeResponse today = graph.getNode(fare.toBuilder().setNodeId(into).build());
      System.out.println("followed: " + today.getNode().getSummary());
    }
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
        MemorizeRequest.newBuilder().setBankId(BANK).setSource("notes.md").build();
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
