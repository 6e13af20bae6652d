package ducktrack.workloads.jackson;

import ducktrack.harness.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A document as services exchange it. */
public final class Invoice {
    public int number;
    public String customer;
    public boolean paid;
    public double discount;
    public List<Line> lines = new ArrayList<>();
    public Map<String, String> notes = new LinkedHashMap<>();

    /** One line of an invoice. */
    public static final class Line {
        public String article;
        public int amount;
        public int price;
        public List<String> tags = new ArrayList<>();
    }

    static Invoice generate(Words words, int lines) {
        Invoice invoice = new Invoice();
        invoice.number = words.number(1_000_000);
        invoice.customer = words.sentence(3);
        invoice.paid = words.number(2) == 0;
        invoice.discount = words.number(64) / 64.0;
        for (int i = 0; i < lines; i++) {
            Line line = new Line();
            line.article = words.sentence(4);
            line.amount = 1 + words.number(20);
            line.price = words.number(10_000);
            line.tags.add(words.word());
            line.tags.add(words.word());
            invoice.lines.add(line);
            invoice.notes.put(words.word(), words.sentence(5));
        }
        return invoice;
    }

    long total() {
        long total = number;
        for (Line line : lines) {
            total += (long) line.amount * line.price + line.tags.hashCode();
        }
        return total + notes.hashCode();
    }
}
