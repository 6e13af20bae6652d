package ducktrack.workloads.database;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Orders, payments and reports through JDBC: a table set of its own for each connection, made anew in each iteration. */
abstract class OrderEntry implements Workload {
    private static final int TRANSACTIONS = 3000;

    private final String url;
    private final List<Connection> connections = new ArrayList<>();

    OrderEntry(String url) {
        this.url = url;
    }

    @Override
    public void prepare(Run run) throws Exception {
        for (int i = 0; i < run.threads(); i++) {
            Connection connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            connections.add(connection);
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < connections.size(); i++) {
            int branch = i;
            createTables(connections.get(branch), branch);
            tasks.add(() -> new Branch(connections.get(branch), branch).trade(TRANSACTIONS * run.size()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        for (int i = 0; i < connections.size(); i++) {
            dropTables(connections.get(i), i);
        }
        return all.value();
    }

    private static void createTables(Connection connection, int branch) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table stock" + branch + " (item int primary key, amount int not null, name varchar(40))");
            statement.execute("create table customer" + branch + " (id int primary key, balance bigint not null, name varchar(40))");
            statement.execute("create table orders" + branch
                    + " (id int primary key, customer int not null, item int not null, amount int not null)");
            statement.execute("create index byCustomer" + branch + " on orders" + branch + " (customer)");
        }
        connection.commit();
    }

    private static void dropTables(Connection connection, int branch) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : List.of("stock", "customer", "orders")) {
                statement.execute("drop table " + table + branch);
            }
        }
        connection.commit();
    }

    /** The single number a query returns. */
    static long number(ResultSet rows) throws SQLException {
        try (rows) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : connections) {
            connection.rollback();
            connection.close();
        }
    }
}
