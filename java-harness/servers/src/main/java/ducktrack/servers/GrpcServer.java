package ducktrack.servers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;

/** gRPC on Netty. usage: GrpcServer REQUESTS */
public final class GrpcServer {
    private static final class Orders extends OrdersGrpc.OrdersImplBase {
        @Override
        void order(String id, StreamObserver<String> answer) {
            answer.onNext(Work.order(id));
            answer.onCompleted();
        }

        @Override
        void add(String order, StreamObserver<String> answer) {
            answer.onNext(Work.newOrder());
            answer.onCompleted();
        }
    }

    private GrpcServer() {}

    public static void main(String[] args) throws Exception {
        Server server = NettyServerBuilder.forPort(0).addService(new Orders()).build().start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
        int requests = Integer.parseInt(args[0]);
        int orders = 0;
        for (int i = 0; i < requests; i++) {
            boolean isOrder = i % 4 != 3;
            orders += isOrder ? 1 : 0;
            String answer = ClientCalls.blockingUnaryCall(channel, isOrder ? OrdersGrpc.ORDER : OrdersGrpc.ADD, CallOptions.DEFAULT, "1");
            if (i < 4) {
                System.out.println("ANSWER\t" + answer);
            }
        }
        Work.expect("Orders/order", orders, "Orders/add", requests - orders);
        System.out.flush();
        System.exit(0);
    }
}
