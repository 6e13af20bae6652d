package ducktrack.service;

import org.mockito.Mockito;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** A service on 127.0.0.1 that prints {@code READY port} and ends when its standard input does. */
@SpringBootApplication
public class Service {
    public static void main(String[] words) throws Exception {
        try (var context = SpringApplication.run(Service.class, words)) {
            while (System.in.read() >= 0) {
                // until the process that started it closes its end
            }
        }
    }

    @EventListener
    void ready(ServletWebServerInitializedEvent event) {
        System.out.println("READY " + event.getWebServer().getPort());
    }

    /** The real one, or with {@code --mocked=true} one of Mockito that calls the real method and adds to it. */
    @Bean
    Greeting greeting(@Value("${mocked:false}") boolean mocked) {
        if (!mocked) {
            return new Greeting();
        }
        Greeting mock = Mockito.mock(Greeting.class);
        Mockito.when(mock.to(Mockito.anyString())).thenAnswer(call -> call.callRealMethod() + ", says the mock");
        return mock;
    }
}
