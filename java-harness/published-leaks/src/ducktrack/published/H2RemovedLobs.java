package ducktrack.published;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;

/**
 * Large texts are put into an in-memory database and deleted again. H2 2.1.214 queues their removal and nobody empties the queue (h2database issues 3633 and
 * 3652); 2.2.220 does.
 *
 * <p>KIND in-memory database HALF held-out HEAP 64 LIBRARY h2-lobs
 *
 * <p>CULPRIT org.h2.mvstore.db.LobStorageMap. org.h2.mvstore.StreamStore.
 */
public final class H2RemovedLobs {
    private static Connection connection;

    private H2RemovedLobs() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        connection = DriverManager.getConnection("jdbc:h2:mem:shop");
        connection.createStatement().execute("create table documents(id int primary key, body clob)");
        PreparedStatement insert = connection.prepareStatement("insert into documents values(?, ?)");
        PreparedStatement delete = connection.prepareStatement("delete from documents where id = ?");
        for (int id = 0; id < 8_000; id++) {
            insert.setInt(1, id);
            insert.setString(2, ("document " + id + " ").repeat(300));
            insert.executeUpdate();
            delete.setInt(1, id);
            delete.executeUpdate();
        }
    }
}
