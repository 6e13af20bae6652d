import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Customers with their orders, small objects as programs of business have them, and a heap dump of them all: eleven objects and some 530
 * bytes of the dump for each customer.
 *
 * <p>{@code java LargeHeap CUSTOMERS FILE}
 */
public final class LargeHeap {
    private static final Map<Long, Customer> CUSTOMERS = new HashMap<>();
    private static final int ORDERS = 4;
    private static final long FIRST = 1_000_000_000L;

    private LargeHeap() {}

    public static void main(String[] words) throws Exception {
        long customers = Long.parseLong(words[0]);
        for (long number = 0; number < customers; number++) {
            register(FIRST + number);
        }
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        jvm.dumpHeap(words[1], true);
        System.out.println(CUSTOMERS.size() + " customers");
    }

    private static void register(long number) {
        Customer customer = new Customer(number, "Customer " + number);
        Customer friend = CUSTOMERS.get(FIRST + (number - FIRST) / 2);
        for (int order = 0; order < ORDERS; order++) {
            customer.orders.add(new Order(order, friend == null ? customer : friend, customer.name));
        }
        CUSTOMERS.put(number, customer);
    }

    private static final class Customer {
        final long number;
        final String name;
        final List<Order> orders = new ArrayList<>(ORDERS);

        Customer(long number, String name) {
            this.number = number;
            this.name = name;
        }
    }

    private static final class Order {
        final int number;
        final Customer payer;
        final String label;

        Order(int number, Customer payer, String label) {
            this.number = number;
            this.payer = payer;
            this.label = label;
        }
    }
}
