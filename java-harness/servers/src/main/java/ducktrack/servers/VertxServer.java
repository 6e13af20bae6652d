package ducktrack.servers;

import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

/** Vert.x, with its router. usage: VertxServer REQUESTS */
public final class VertxServer {
    private VertxServer() {}

    public static void main(String[] args) throws Exception {
        Vertx vertx = Vertx.vertx();
        Router router = Router.router(vertx);
        router.get("/orders/:id").handler(context -> context.end(Work.order(context.pathParam("id"))));
        router.post("/orders").handler(context -> context.end(Work.newOrder()));
        var server = vertx.createHttpServer().requestHandler(router).listen(0).toCompletionStage().toCompletableFuture().get();
        new Requests(server.actualPort()).send(Integer.parseInt(args[0]), "/orders/:id", "/orders");
        System.out.flush();
        System.exit(0);
    }
}
