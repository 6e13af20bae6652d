package ducktrack.service;

import java.util.List;
import java.util.Map;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** JSON, text and a stream over HTTP. */
@RestController
class BookController {
    private final BookTable books;
    private final Greeting greeting;

    BookController(BookTable books, Greeting greeting) {
        this.books = books;
        this.greeting = greeting;
    }

    @GetMapping("/books")
    List<Book> all() {
        return books.all();
    }

    @GetMapping("/search")
    List<Book> search(@RequestParam String words) {
        return books.search(words);
    }

    @GetMapping("/years")
    List<Map<String, Object>> years() {
        return books.yearly();
    }

    @PostMapping("/books")
    @ResponseStatus(HttpStatus.CREATED)
    Book add(@RequestBody Book book) {
        return books.add(book);
    }

    @DeleteMapping("/books")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void clear() {
        books.clear();
    }

    @GetMapping(path = "/greeting", produces = MediaType.TEXT_PLAIN_VALUE)
    String greeting(@RequestParam String name) {
        return greeting.to(name);
    }

    @GetMapping(path = "/lines", produces = MediaType.TEXT_PLAIN_VALUE)
    StreamingResponseBody lines() {
        List<Book> all = books.all();
        return out -> {
            for (Book book : all) {
                out.write((book.id() + " " + book.title() + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
                out.flush();
            }
        };
    }

    @org.springframework.web.bind.annotation.ExceptionHandler(DuplicateKeyException.class)
    ResponseEntity<Map<String, String>> exists(DuplicateKeyException exception) {
        return ResponseEntity.status(HttpStatus.CONFLICT).body(Map.of("error", "this book is there"));
    }
}
