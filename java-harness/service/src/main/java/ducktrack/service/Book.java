package ducktrack.service;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;

/** A book with the names of its authors. */
public record Book(long id, String title, BigDecimal price, LocalDate published, List<String> authors) {
}
