package ducktrack.published;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/**
 * Connections from a pool, which ask and update a table of two thousand customers.
 *
 * <p>KIND connection pool HEAP 64 LIBRARY hikari CONTROL
 */
public final class HikariPool {
    private static HikariDataSource source;

    private HikariPool() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop");
        config.setMaximumPoolSize(4);
        source = new HikariDataSource(config);
        try (Connection connection = source.getConnection()) {
            connection.createStatement().execute("create table customers(id int primary key, name varchar(100), orders int)");
            connection.createStatement().execute("insert into customers select x, 'customer ' || x, 0 from system_range(0, 1999)");
        }
        for (int request = 0; request < 30_000; request++) {
            try (Connection connection = source.getConnection();
                    PreparedStatement update = connection.prepareStatement("update customers set orders = orders + 1 where id = ?");
                    PreparedStatement query = connection.prepareStatement("select name, orders from customers where id = ?")) {
                update.setInt(1, request % 2_000);
                update.executeUpdate();
                query.setInt(1, request % 2_000);
                try (ResultSet rows = query.executeQuery()) {
                    rows.next();
                    rows.getString(1);
                }
            }
        }
    }
}
