package acme;

import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;

/** Formats the dates of invoices with a formatter that is made once. The program beside it makes one for each line: the gate must see it. */
public class Invoices {
    private static final int LINES = 2_000;

    private final SimpleDateFormat format = new SimpleDateFormat("yyyy-MM-dd", Locale.ROOT);

    public static void main(String[] words) {
        Invoices invoices = new Invoices();
        int length = 0;
        for (int i = 0; i < LINES; i++) length += invoices.line(i).length();
        System.out.println(length);
    }

    private String line(int number) {
        return format.format(new Date(number * 86_400_000L));
    }
}
