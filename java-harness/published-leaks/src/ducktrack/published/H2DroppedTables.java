package ducktrack.published;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

/**
 * Tables of an in-memory database are made and dropped. H2 2.1.210 keeps the map of each dropped table (h2database issue 3473); 2.1.212 does not.
 *
 * <p>KIND in-memory database HALF held-out HEAP 64 LIBRARY h2-tables
 *
 * <p>CULPRIT org.h2.mvstore.MVStore.maps
 */
public final class H2DroppedTables {
    private static Connection connection;

    private H2DroppedTables() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        connection = DriverManager.getConnection("jdbc:h2:mem:shop");
        Statement statement = connection.createStatement();
        for (int table = 0; table < 8_000; table++) {
            statement.execute("create table t_" + table + "(id int primary key, name varchar(100))");
            statement.execute("insert into t_" + table + " values(1, 'one')");
            statement.execute("drop table t_" + table);
        }
    }
}
