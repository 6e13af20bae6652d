package ducktrack.service;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Books and authors in the database. */
@Repository
public class BookTable {
    private final JdbcTemplate database;

    BookTable(JdbcTemplate database) {
        this.database = database;
    }

    public List<Book> all() {
        return database.query("select * from book order by id", (row, number) -> book(row));
    }

    public List<Book> search(String words) {
        return database.query("select * from book where lower(title) like ? order by price, id", (row, number) -> book(row),
                "%" + words.toLowerCase() + "%");
    }

    public List<Map<String, Object>> yearly() {
        return database.queryForList("""
                select year(published) as published_in, count(*) as books, sum(price) as total, max(title) as last_title
                from book group by year(published) order by 1""");
    }

    @Transactional
    public Book add(Book book) {
        database.update("insert into book values (?, ?, ?, ?)", book.id(), book.title(), book.price(), book.published());
        for (String author : book.authors()) {
            database.update("insert into author values (?, ?)", book.id(), author);
        }
        return database.queryForObject("select * from book where id = ?", (row, number) -> book(row), book.id());
    }

    @Transactional
    public void clear() {
        database.update("delete from author");
        database.update("delete from book");
    }

    private Book book(ResultSet row) throws SQLException {
        long id = row.getLong("id");
        List<String> authors = database.queryForList("select name from author where book = ? order by name", String.class, id);
        return new Book(id, row.getString("title"), row.getBigDecimal("price"), row.getDate("published").toLocalDate(), authors);
    }
}
