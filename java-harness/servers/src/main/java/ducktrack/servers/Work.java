package ducktrack.servers;

/** Known objects, by what requests ask for. */
final class Work {
    private static final int OF_ORDER = 3;
    private static final int OF_NEW_ORDER = 2;

    private static final class Item {}

    private Work() {}

    /** What a request for an order makes. */
    static String order(String id) {
        int sum = 0;
        for (int i = 0; i < OF_ORDER; i++) {
            sum += new Item().hashCode() & 0;
        }
        return answer("order", id, sum);
    }

    /** What a new order makes. */
    static String newOrder() {
        int sum = 0;
        for (int i = 0; i < OF_NEW_ORDER; i++) {
            sum += new Item().hashCode() & 0;
        }
        return answer("new", "", sum);
    }

    private static String answer(String what, String id, int sum) {
        return what + " " + id + sum;
    }

    /** Says what a report must have: contexts, the objects in them, executions. */
    static void expect(String order, int orders, String newOrder, int newOrders) {
        System.out.println("EXPECT\thttp\t" + order + "\torder\t" + OF_ORDER * orders);
        System.out.println("EXPECT\thttp\t" + newOrder + "\tnewOrder\t" + OF_NEW_ORDER * newOrders);
        System.out.println("EXPECT\thttp\t-\torder\t0");
        System.out.println("EXPECT\thttp\t-\tnewOrder\t0");
        System.out.println("EXECUTED\t" + order + "\t" + orders);
        System.out.println("EXECUTED\t" + newOrder + "\t" + newOrders);
        System.out.println("EXECUTED\trequest\t" + (orders + newOrders));
    }
}
