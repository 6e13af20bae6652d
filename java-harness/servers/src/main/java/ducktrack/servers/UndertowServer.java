package ducktrack.servers;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import java.net.InetSocketAddress;

/** Undertow, which handles requests on the thread that has read them. usage: UndertowServer REQUESTS */
public final class UndertowServer {
    private static final class Order implements HttpHandler {
        @Override
        public void handleRequest(HttpServerExchange exchange) {
            exchange.getResponseSender().send(Work.order(exchange.getQueryParameters().get("id").getFirst()));
        }
    }

    private static final class NewOrder implements HttpHandler {
        @Override
        public void handleRequest(HttpServerExchange exchange) {
            exchange.getResponseSender().send(Work.newOrder());
        }
    }

    private UndertowServer() {}

    public static void main(String[] args) throws Exception {
        HttpHandler routes = Handlers.routing().get("/orders/{id}", new Order()).post("/orders", new NewOrder());
        Undertow server = Undertow.builder().addHttpListener(0, "localhost").setHandler(routes).build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        new Requests(port).send(Integer.parseInt(args[0]), UndertowServer.class.getName() + "$Order.handleRequest",
                UndertowServer.class.getName() + "$NewOrder.handleRequest");
        System.out.flush();
        System.exit(0);
    }
}
