package player;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import memorybank.client.MemoryBankChannel;
import memorybank.client.MemoryBankException;
import memorybank.v1.*;

/** The player in Java: methods by their names over a channel of the client's. */
public final class Player {
  private static final Gson JSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
  private static final List<ServiceDescriptor> SERVICES =
      List.of(
          MemoryBankGrpc.getServiceDescriptor(),
          QueryGraphGrpc.getServiceDescriptor(),
          RetrievalGrpc.getServiceDescriptor(),
          DeepRetrievalGrpc.getServiceDescriptor(),
          ConversationGrpc.getServiceDescriptor(),
          InstructionsGrpc.getServiceDescriptor(),
          LongTermGrpc.getServiceDescriptor());

  private final ManagedChannel channel;
  private final Map<String, String> known = new TreeMap<>();

  private Player(ManagedChannel channel) {
    this.channel = channel;
  }

  public static void main(String[] arguments) throws Exception {
    Player player = new Player(MemoryBankChannel.to(arguments[0]).build());
    JsonParser.parseString(arguments[2])
        .getAsJsonObject()
        .entrySet()
        .forEach(each -> player.known.put(each.getKey(), each.getValue().getAsString()));
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (JsonElement raw : JsonParser.parseString(Files.readString(Path.of(arguments[1]))).getAsJsonArray()) {
      JsonObject step = player.filled(raw);
      JsonObject told = new JsonObject();
      if (step.has("turn")) {
        JsonObject turn = new JsonObject();
        turn.add("turn", step.get("turn"));
        tell(turn);
        input.readLine();
      } else {
        told = player.play(step);
      }
      told.add("step", step.get("step"));
      tell(told);
    }
    player.channel.shutdownNow();
  }

  private static void tell(JsonObject told) {
    byte[] line = (JSON.toJson(told) + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    System.out.write(line, 0, line.length);
    System.out.flush();
  }

  private JsonObject filled(JsonElement raw) {
    String text = JSON.toJson(raw);
    for (var each : known.entrySet()) {
      text = text.replace("${" + each.getKey() + "}", each.getValue());
    }
    return JsonParser.parseString(text).getAsJsonObject();
  }

  private JsonObject play(JsonObject step) throws Exception {
    List<JsonObject> answers = new ArrayList<>();
    JsonObject told = new JsonObject();
    try {
      call(step, answers);
    } catch (StatusRuntimeException error) {
      told.add("error", takenApart(MemoryBankException.of(error)));
    }
    if (step.has("save")) {
      for (var each : step.getAsJsonObject("save").entrySet()) {
        JsonElement found = answers.get(answers.size() - 1);
        for (String part : each.getValue().getAsString().split("\\.")) {
          found = found.getAsJsonObject().get(part);
        }
        known.put(each.getKey(), found.getAsString());
      }
    }
    if (step.has("last") && !answers.isEmpty()) {
      answers = answers.subList(answers.size() - 1, answers.size());
    }
    if (step.has("show")) {
      var shown = step.getAsJsonArray("show");
      answers.forEach(each -> List.copyOf(each.keySet()).stream()
          .filter(name -> !shown.contains(JSON.toJsonTree(name)))
          .forEach(each::remove));
    }
    told.add("answers", JSON.toJsonTree(answers));
    return told;
  }

  private void call(JsonObject step, List<JsonObject> answers) throws Exception {
    MethodDescriptor<Message, Message> method = method(step.get("call").getAsString());
    CallOptions options = CallOptions.DEFAULT;
    if (step.has("timeout")) {
      options = options.withDeadlineAfter((long) (step.get("timeout").getAsDouble() * 1000), TimeUnit.MILLISECONDS);
    }
    Channel over = channel;
    if (step.has("key")) {
      Metadata given = new Metadata();
      given.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + step.get("key").getAsString());
      over = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(given));
    }
    if (method.getType() == MethodDescriptor.MethodType.UNARY) {
      Message request = request(method, step.get("request"));
      answers.add(shown(ClientCalls.blockingUnaryCall(over, method, options, request)));
      return;
    }
    List<JsonElement> requests = new ArrayList<>();
    if (step.has("requests")) {
      step.getAsJsonArray("requests").forEach(requests::add);
    } else {
      requests.add(step.get("request"));
    }
    int most = step.has("take") ? step.get("take").getAsInt() : Integer.MAX_VALUE;
    stream(over.newCall(method, options), method, requests, most, answers);
  }

  /** Streams requests up and takes so many answers; the call is then cancelled. */
  private static void stream(
      ClientCall<Message, Message> call,
      MethodDescriptor<Message, Message> method,
      List<JsonElement> requests,
      int most,
      List<JsonObject> answers)
      throws Exception {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>(); // messages, and at the end the status
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(Message message) {
            heard.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            heard.add(new StatusRuntimeException(status, trailers));
          }
        },
        new Metadata());
    call.request(most);
    for (JsonElement each : requests) {
      call.sendMessage(request(method, each));
    }
    call.halfClose();
    while (answers.size() < most) {
      Object next = heard.take();
      if (next instanceof StatusRuntimeException ended) {
        if (ended.getStatus().isOk()) {
          return;
        }
        throw ended;
      }
      answers.add(shown((Message) next));
    }
    call.cancel("enough", null);
  }

  @SuppressWarnings("unchecked")
  private static MethodDescriptor<Message, Message> method(String call) {
    return (MethodDescriptor<Message, Message>)
        SERVICES.stream()
            .flatMap(each -> each.getMethods().stream())
            .filter(each -> each.getFullMethodName().equals("memorybank.v1." + call))
            .findFirst()
            .orElseThrow();
  }

  private static Message request(MethodDescriptor<Message, Message> method, JsonElement json) throws Exception {
    var prototype = ((PrototypeMarshaller<Message>) method.getRequestMarshaller()).getMessagePrototype();
    Message.Builder made = prototype.newBuilderForType();
    JsonFormat.parser().merge(JSON.toJson(json), made);
    return made.build();
  }

  private static JsonObject shown(MessageOrBuilder answer) throws Exception {
    return JsonParser.parseString(JsonFormat.printer().print(answer)).getAsJsonObject();
  }

  private static JsonObject takenApart(MemoryBankException error) {
    JsonObject told = new JsonObject();
    if (error.reason().isEmpty()) {
      System.err.println(error + " of " + error.getCause().getCause());  // what only gRPC knows
    }
    told.addProperty("code", error.code().value());
    told.addProperty("reason", error.reason());
    told.add("metadata", JSON.toJsonTree(error.metadata()));
    JsonArray fields = new JsonArray();
    error.fields().forEach(each -> fields.add(JSON.toJsonTree(Stream.of(each.field(), each.problem()).toList())));
    told.add("fields", fields);
    told.addProperty("retry", error.retryAfter().isPresent());
    told.addProperty("sent", !error.requestId().isEmpty());
    return told;
  }
}
