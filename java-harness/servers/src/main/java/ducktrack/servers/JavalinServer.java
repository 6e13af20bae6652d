package ducktrack.servers;

import io.javalin.Javalin;

/** Javalin on Jetty. usage: JavalinServer REQUESTS */
public final class JavalinServer {
    private JavalinServer() {}

    public static void main(String[] args) throws Exception {
        Javalin server = Javalin.create(config -> config.showJavalinBanner = false);
        server.get("/orders/{id}", context -> context.result(Work.order(context.pathParam("id"))));
        server.post("/orders", context -> context.result(Work.newOrder()));
        server.start(0);
        new Requests(server.port()).send(Integer.parseInt(args[0]), "/orders/{id}", "/orders");
        System.out.flush();
        System.exit(0);
    }
}
