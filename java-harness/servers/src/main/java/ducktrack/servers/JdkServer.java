package ducktrack.servers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The JDK's own server. usage: JdkServer REQUESTS */
public final class JdkServer {
    private static final class Order implements HttpHandler {
        @Override
        public void handle(HttpExchange exchange) throws IOException {
            answer(exchange, Work.order(exchange.getRequestURI().getPath().substring("/orders/".length())));
        }
    }

    private static final class NewOrder implements HttpHandler {
        @Override
        public void handle(HttpExchange exchange) throws IOException {
            exchange.getRequestBody().readAllBytes();
            answer(exchange, Work.newOrder());
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.createContext("/orders/", new Order());
        server.createContext("/orders", new NewOrder());
        server.start();
        new Requests(server.getAddress().getPort()).send(Integer.parseInt(args[0]), JdkServer.class.getName() + "$Order.handle",
                JdkServer.class.getName() + "$NewOrder.handle");
        System.out.flush();
        System.exit(0);
    }
}
