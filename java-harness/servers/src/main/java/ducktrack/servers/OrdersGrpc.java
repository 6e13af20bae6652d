package ducktrack.servers;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** As the compiler of Protocol Buffers writes it, with texts as messages. */
final class OrdersGrpc {
    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String text) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
    }

    static final MethodDescriptor<String, String> ORDER = method("Order");
    static final MethodDescriptor<String, String> ADD = method("Add");

    private OrdersGrpc() {}

    private static MethodDescriptor<String, String> method(String name) {
        return MethodDescriptor.<String, String>newBuilder().setType(MethodType.UNARY).setFullMethodName("shop.Orders/" + name)
                .setRequestMarshaller(new Text()).setResponseMarshaller(new Text()).build();
    }

    /** What a service extends. */
    abstract static class OrdersImplBase implements BindableService {
        abstract void order(String id, StreamObserver<String> answer);

        abstract void add(String order, StreamObserver<String> answer);

        @Override
        public ServerServiceDefinition bindService() {
            return ServerServiceDefinition.builder("shop.Orders").addMethod(ORDER, ServerCalls.asyncUnaryCall(this::order))
                    .addMethod(ADD, ServerCalls.asyncUnaryCall(this::add)).build();
        }
    }
}
