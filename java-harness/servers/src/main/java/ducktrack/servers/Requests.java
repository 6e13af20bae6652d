package ducktrack.servers;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.TreeMap;

/** A load of known requests: three of four ask for an order, the fourth makes one. */
final class Requests {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String server;

    Requests(int port) {
        server = "http://localhost:" + port;
    }

    /** Sends them one after the other, and prints each answer that differs from the one before, with its headers. */
    void send(int requests, String order, String newOrder) throws Exception {
        String last = "";
        int orders = 0;
        for (int i = 0; i < requests; i++) {
            boolean isOrder = i % 4 != 3;
            orders += isOrder ? 1 : 0;
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + (isOrder ? "/orders/" + i % 2 : "/orders")));
            HttpRequest sent = isOrder ? request.GET().build() : request.POST(BodyPublishers.ofString("one")).build();
            HttpResponse<String> answer = client.send(sent, BodyHandlers.ofString());
            TreeMap<String, Object> headers = new TreeMap<>(answer.headers().map());
            headers.remove("date");
            String text = answer.statusCode() + " " + headers + " " + answer.body();
            if (!text.equals(last) && i < 8) {
                System.out.println("ANSWER\t" + text);
                last = text;
            }
        }
        Work.expect(order, orders, newOrder, requests - orders);
    }
}
