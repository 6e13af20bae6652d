package ducktrack.workloads.tomcat;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;

/** An embedded server on 127.0.0.1 and its clients in one JVM: sessions, parameters, generated pages. */
public final class Tomcat implements Workload {
    private static final int REQUESTS = 1000;
    private static final int SERVER_THREADS = 4;
    /** Held, because a logger without a reference forgets its level. */
    private static final Logger LOGGER = Logger.getLogger("org.apache");

    private org.apache.catalina.startup.Tomcat server;
    private Path folder;
    private URI address;

    @Override
    public void prepare(Run run) throws Exception {
        LOGGER.setLevel(Level.SEVERE);
        folder = Files.createTempDirectory("harness-tomcat");
        server = new org.apache.catalina.startup.Tomcat();
        server.setBaseDir(folder.toString());
        // A fixed pool whose threads outlive the iterations, so that none of their counters is lost.
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", Integer.toString(SERVER_THREADS));
        connector.setProperty("minSpareThreads", Integer.toString(SERVER_THREADS));
        connector.setProperty("maxKeepAliveRequests", "-1");
        server.setConnector(connector);
        Context context = server.addContext("", folder.toString());
        org.apache.catalina.startup.Tomcat.addServlet(context, "basket", new BasketServlet());
        context.addServletMappingDecoded("/basket", "basket");
        server.start();
        address = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/basket");
    }

    @Override
    public long iterate(Run run) throws Exception {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            int client = i;
            tasks.add(() -> shop(client, REQUESTS * run.size()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    /** The client's own work is done on this thread; its selector thread is the only one besides. */
    private long shop(int client, int requests) throws Exception {
        HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .cookieHandler(new CookieManager())
                .executor(Runnable::run)
                .build();
        Checksum checksum = new Checksum();
        for (int i = 0; i < requests; i++) {
            HttpRequest request = HttpRequest.newBuilder(address)
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(HttpRequest.BodyPublishers.ofString("item=article" + (i * 7 + client) % 50 + "&amount=" + (i % 5 + 1)))
                    .build();
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            checksum.add(response.statusCode()).add(response.body());
        }
        return checksum.value();
    }

    @Override
    public void close() throws Exception {
        if (server != null) {
            server.stop();
            server.destroy();
            try (var files = Files.walk(folder)) {
                files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            }
        }
    }
}
