package ducktrack.workloads.database;

import ducktrack.harness.Checksum;
import ducktrack.harness.Words;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** One connection's trade on its own tables. */
final class Branch {
    private static final int ITEMS = 500;
    private static final int CUSTOMERS = 200;

    private final Connection connection;
    private final int number;
    private final Words words;
    private final Checksum checksum = new Checksum();

    Branch(Connection connection, int number) {
        this.connection = connection;
        this.number = number;
        this.words = new Words(100 + number, 2000);
    }

    long trade(int transactions) throws SQLException {
        fill("insert into stock" + number + " values (?, ?, ?)", ITEMS);
        fill("insert into customer" + number + " values (?, ?, ?)", CUSTOMERS);
        try (PreparedStatement take = statement("update stock# set amount = amount - ? where item = ?");
                PreparedStatement order = statement("insert into orders# values (?, ?, ?, ?)");
                PreparedStatement pay = statement("update customer# set balance = balance + ? where id = ?");
                PreparedStatement history = statement("select o.id, s.name, c.name, o.amount from orders# o"
                        + " join stock# s on s.item = o.item join customer# c on c.id = o.customer where c.id = ? order by o.id")) {
            for (int i = 0; i < transactions; i++) {
                order(take, order, i);
                pay(pay);
                if (i % 10 == 0) {
                    history(history);
                }
                connection.commit();
            }
        }
        report();
        return checksum.value();
    }

    private PreparedStatement statement(String sql) throws SQLException {
        return connection.prepareStatement(sql.replace("#", Integer.toString(number)));
    }

    private void fill(String sql, int rows) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (int i = 0; i < rows; i++) {
                insert.setInt(1, i);
                insert.setInt(2, 10_000);
                insert.setString(3, words.sentence(2));
                insert.executeUpdate();
            }
        }
        connection.commit();
    }

    private void order(PreparedStatement take, PreparedStatement order, int id) throws SQLException {
        int item = words.number(ITEMS);
        int amount = 1 + words.number(9);
        take.setInt(1, amount);
        take.setInt(2, item);
        checksum.add(take.executeUpdate());
        order.setInt(1, id);
        order.setInt(2, words.number(CUSTOMERS));
        order.setInt(3, item);
        order.setInt(4, amount);
        order.executeUpdate();
    }

    private void pay(PreparedStatement pay) throws SQLException {
        pay.setInt(1, words.number(500));
        pay.setInt(2, words.number(CUSTOMERS));
        checksum.add(pay.executeUpdate());
    }

    private void history(PreparedStatement history) throws SQLException {
        history.setInt(1, words.number(CUSTOMERS));
        try (ResultSet rows = history.executeQuery()) {
            while (rows.next()) {
                checksum.add(rows.getInt(1)).add(rows.getString(2)).add(rows.getString(3)).add(rows.getInt(4));
            }
        }
    }

    private void report() throws SQLException {
        try (PreparedStatement low = statement("select count(*) from stock# where amount < 9950");
                PreparedStatement owed = statement("select sum(balance) from customer#");
                PreparedStatement busy = statement("select count(*) from (select customer from orders# group by customer having count(*) > 3) b")) {
            checksum.add(OrderEntry.number(low.executeQuery()));
            checksum.add(OrderEntry.number(owed.executeQuery()));
            checksum.add(OrderEntry.number(busy.executeQuery()));
        }
        connection.commit();
    }
}
