package ducktrack.servers;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Spring WebFlux on Reactor Netty. usage: FluxServer REQUESTS */
public final class FluxServer {
    /** The controller. */
    @RestController
    @RequestMapping("/orders")
    public static class Orders {
        @GetMapping("/{id}")
        public Mono<String> order(@PathVariable("id") String id) {
            return Mono.just(Work.order(id));
        }

        @PostMapping
        public String add() {
            return Work.newOrder();
        }
    }

    /** The beans. */
    @Configuration
    @EnableWebFlux
    public static class Beans {
        @Bean
        public Orders orders() {
            return new Orders();
        }
    }

    private FluxServer() {}

    public static void main(String[] args) throws Exception {
        var context = new AnnotationConfigApplicationContext(Beans.class);
        var handler = WebHttpHandlerBuilder.applicationContext(context).build();
        DisposableServer server = HttpServer.create().host("localhost").port(0).handle(new ReactorHttpHandlerAdapter(handler)).bindNow();
        new Requests(server.port()).send(Integer.parseInt(args[0]), "GET /orders/{id}", "POST /orders");
        System.out.flush();
        System.exit(0);
    }
}
