package ducktrack.servers;

import com.sun.net.httpserver.HttpServer;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.net.URI;
import org.glassfish.jersey.jdkhttp.JdkHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;

/** JAX-RS by Jersey, on the JDK's own server. usage: JerseyServer REQUESTS */
public final class JerseyServer {
    /** The resource. */
    @Path("orders")
    public static class Orders {
        @GET
        @Path("{id}")
        public String order(@PathParam("id") String id) {
            return Work.order(id);
        }

        @POST
        public String add(String body) {
            return Work.newOrder();
        }
    }

    private JerseyServer() {}

    public static void main(String[] args) throws Exception {
        HttpServer server = JdkHttpServerFactory.createHttpServer(URI.create("http://localhost:0/"), new ResourceConfig(Orders.class));
        new Requests(server.getAddress().getPort()).send(Integer.parseInt(args[0]), "GET /orders/{id}", "POST /orders");
        System.out.flush();
        System.exit(0);
    }
}
