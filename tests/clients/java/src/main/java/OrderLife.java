import buttonwood.v1.Buttonwood.CancelOrderRequest;
import buttonwood.v1.Buttonwood.LoginRequest;
import buttonwood.v1.Buttonwood.OrderReply;
import buttonwood.v1.Buttonwood.OrderRequest;
import buttonwood.v1.Buttonwood.OrderRequests;
import buttonwood.v1.Buttonwood.OrderResponse;
import buttonwood.v1.Buttonwood.OrderResponses;
import buttonwood.v1.Buttonwood.OrderType;
import buttonwood.v1.Buttonwood.PlaceOrderRequest;
import buttonwood.v1.Buttonwood.ReplaceOrderRequest;
import buttonwood.v1.Buttonwood.Side;
import buttonwood.v1.SessionsGrpc;
import buttonwood.v1.TradingGrpc;
import com.google.rpc.ErrorInfo;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** An order's life by grpc-java, a line for each step: OrderLife ADDRESS API_KEY SECRET_KEY. */
public final class OrderLife {
  private static final String SYMBOL = "BTCUSDT";
  private static final int PATIENCE_S = 20;

  public static void main(String[] arguments) throws Exception {
    String address = arguments[0];
    var channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
    try {
      var signed = signed(arguments[1], arguments[2], "/buttonwood.v1.Sessions/Login");
      var login = SessionsGrpc.newBlockingStub(channel)
          .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(signed))
          .login(LoginRequest.getDefaultInstance());
      var token = new Metadata();
      put(token, "authorization", "Bearer " + login.getToken());
      var byToken = MetadataUtils.newAttachHeadersInterceptor(token);
      liveOf(
          TradingGrpc.newBlockingStub(channel).withInterceptors(byToken),
          TradingGrpc.newStub(channel).withInterceptors(byToken));
    } finally {
      channel.shutdownNow().awaitTermination(PATIENCE_S, TimeUnit.SECONDS);
    }
  }

  private static void liveOf(TradingGrpc.TradingBlockingStub trading, TradingGrpc.TradingStub async)
      throws Exception {
    var order = PlaceOrderRequest.newBuilder()
        .setSymbol(SYMBOL)
        .setSide(Side.SIDE_BUY)
        .setType(OrderType.ORDER_TYPE_LIMIT)
        .setQuantity("0.003")
        .setPrice("50000")
        .setClientOrderId("by-java")
        .build();
    print("placed", trading.placeOrder(order));
    try {
      print("doubled", trading.placeOrder(order));
    } catch (StatusRuntimeException refused) {
      var details = StatusProto.fromThrowable(refused).getDetails(0).unpack(ErrorInfo.class);
      System.out.println("refused " + refused.getStatus().getCode() + " " + details.getReason());
    }
    var replace = ReplaceOrderRequest.newBuilder()
        .setSymbol(SYMBOL)
        .setClientOrderId("by-java")
        .setQuantity("0.004")
        .setPrice("49000")
        .build();
    print("replaced", trading.replaceOrder(replace));
    var canceled = streamed(async, 1, "by-java");
    print("canceled", canceled.getReply());
    System.out.println("unknown " + streamed(async, 2, "never").getRefusal().getReason());
  }

  /** The answer to a cancel on a stream of its own. */
  private static OrderResponse streamed(TradingGrpc.TradingStub trading, long id, String name)
      throws Exception {
    var answered = new CompletableFuture<OrderResponse>();
    var requests = trading.streamOrders(new StreamObserver<OrderResponses>() {
      @Override
      public void onNext(OrderResponses responses) {
        answered.complete(responses.getResponses(0));
      }

      @Override
      public void onError(Throwable error) {
        answered.completeExceptionally(error);
      }

      @Override
      public void onCompleted() {
        answered.completeExceptionally(new IllegalStateException("the stream has ended"));
      }
    });
    var cancel = CancelOrderRequest.newBuilder().setSymbol(SYMBOL).setClientOrderId(name);
    var request = OrderRequest.newBuilder().setRequestId(id).setCancel(cancel);
    requests.onNext(OrderRequests.newBuilder().addRequests(request).build());
    var response = answered.get(PATIENCE_S, TimeUnit.SECONDS);
    requests.onCompleted();
    if (response.getRequestId() != id) {
      throw new IllegalStateException("the answer to another request: " + response);
    }
    return response;
  }

  private static void print(String step, OrderReply reply) {
    var order = reply.getOrder();
    System.out.println(
        step + " " + order.getStatus() + " " + order.getPrice() + " " + order.getQuantity());
  }

  /** The metadata of a call that is signed with a key. */
  private static Metadata signed(String key, String secret, String path) throws Exception {
    var hex = HexFormat.of();
    var timestamp = Long.toString(System.currentTimeMillis());
    var nonce = UUID.randomUUID().toString().replace("-", "");
    var empty = hex.formatHex(MessageDigest.getInstance("SHA-256").digest());
    var payload = String.join("\n", "POST", path, "", empty, timestamp, nonce);
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    var signature = hex.formatHex(mac.doFinal(payload.getBytes(StandardCharsets.UTF_8)));
    var metadata = new Metadata();
    put(metadata, "x-bw-api-key", key);
    put(metadata, "x-bw-timestamp", timestamp);
    put(metadata, "x-bw-nonce", nonce);
    put(metadata, "x-bw-signature", signature);
    return metadata;
  }

  private static void put(Metadata metadata, String name, String value) {
    metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
  }

  private OrderLife() {}
}
