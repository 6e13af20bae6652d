package shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Takes orders into an H2 database in memory, and prints a receipt of each. `java -cp .:h2.jar shop.Orders 20000 [MILLIS BETWEEN TWO]` */
public class Orders {
    /** The leak: a session is put here and never removed. */
    private static final Map<Integer, Session> SESSIONS = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        int orders = Integer.parseInt(arguments[0]);
        try (Connection database = DriverManager.getConnection("jdbc:h2:mem:shop")) {
            database.createStatement().execute("create table orders(id int primary key, item varchar, price int)");
            long characters = 0;
            for (int order = 0; order < orders; order += next(arguments)) {
                Session session = open(order);
                take(database, order);
                characters += receipt(database, order, session).length();
            }
            System.out.println(orders + " orders, " + characters + " characters of receipts");
        }
    }

    private static Session open(int order) {
        Session session = new Session("customer " + order % 100);
        SESSIONS.put(order, session);
        return session;
    }

    private static void take(Connection database, int order) throws Exception {
        try (PreparedStatement insert = database.prepareStatement("insert into orders values(?, ?, ?)")) {
            insert.setInt(1, order);
            insert.setString(2, "item " + order % 1000);
            insert.setInt(3, order % 97);
            insert.execute();
        }
    }

    private static String receipt(Connection database, int order, Session session) throws Exception {
        List<String> lines = new ArrayList<>();
        try (PreparedStatement select = database.prepareStatement("select item, price from orders where id = ?")) {
            select.setInt(1, order);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    lines.add(String.format("%s: %d EUR", rows.getString(1), rows.getInt(2)));
                }
            }
        }
        return session.customer + ": " + String.join(", ", lines);
    }

    /** The next order comes at once, or after a pause: then the program is a service that lives for a while. */
    private static int next(String[] arguments) throws InterruptedException {
        if (arguments.length > 1) {
            Thread.sleep(Integer.parseInt(arguments[1]));
        }
        return 1;
    }

    private static final class Session {
        final String customer;
        final byte[] buffer = new byte[256];

        Session(String customer) {
            this.customer = customer;
        }
    }
}
