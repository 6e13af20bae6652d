package ducktrack.published;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.CrawlerSessionManagerValve;
import org.apache.catalina.valves.RemoteIpValve;

/**
 * A crawler whose sessions end. The valve that gives a crawler one session keeps the id of each of them (tomcat change 809).
 *
 * <p>KIND sessions of a web server HALF held-out HEAP 64 LIBRARY tomcat
 *
 * <p>CULPRIT org.apache.catalina.valves.CrawlerSessionManagerValve.
 */
public final class TomcatCrawlers {
    private TomcatCrawlers() {}

    private static final class Shop extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.getSession(true).setAttribute("seen", request.getRequestURI());
            response.setContentLength(2);
            response.getOutputStream().write(new byte[] {'o', 'k'});
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        File folder = Files.createTempDirectory("tomcat").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", folder.getPath());
        // Each crawler has an address of its own.
        context.getPipeline().addValve(new RemoteIpValve());
        CrawlerSessionManagerValve crawlers = new CrawlerSessionManagerValve();
        crawlers.setSessionInactiveInterval(1);
        context.getPipeline().addValve(crawlers);
        Tomcat.addServlet(context, "shop", new Shop());
        context.addServletMappingDecoded("/*", "shop");
        context.setBackgroundProcessorDelay(1);
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        tomcat.start();
        byte[] answer = new byte[1_000];
        try (Socket socket = new Socket("localhost", tomcat.getConnector().getLocalPort())) {
            for (int request = 0; request < 60_000; request++) {
                String text = "GET /shop HTTP/1.1\r\nHost: shop.test\r\nUser-Agent: some bot\r\nX-Forwarded-For: 198." + (request >> 16) + "." + (request >> 8 & 255) + "."
                        + (request & 255) + "\r\n\r\n";
                socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                int read = 0;
                while (!new String(answer, 0, read, StandardCharsets.ISO_8859_1).endsWith("\r\n\r\nok")) {
                    read += socket.getInputStream().read(answer, read, answer.length - read);
                }
            }
        }
        System.exit(0);
    }
}
