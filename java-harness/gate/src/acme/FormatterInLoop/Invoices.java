package acme;

import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;

/** Formats the dates of invoices with a formatter that is made for each line. The program beside it makes one: the gate must see the difference. */
public class Invoices {
    private static final int LINES = 2_000;

    public static void main(String[] words) {
        Invoices invoices = new Invoices();
        int length = 0;
        for (int i = 0; i < LINES; i++) {
            length += invoices.line(i).length();
        }
        System.out.println(length);
    }

    private String line(int number) {
        SimpleDateFormat format = new SimpleDateFormat("yyyy-MM-dd", Locale.ROOT);
        return format.format(new Date(number * 86_400_000L));
    }
}
