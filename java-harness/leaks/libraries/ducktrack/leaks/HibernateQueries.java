package ducktrack.leaks;

import java.util.logging.Level;
import java.util.logging.Logger;
import javax.persistence.Entity;
import javax.persistence.Id;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/**
 * Queries whose text is new every time, over H2 in memory. Hibernate 5.6.2 keeps each word of a query that might be the name of a class (HHH-14948). It
 * looks for that class first, and the JDK's class loaders keep a lock for each name that was ever looked for; this does not change in 5.6.3. So the
 * control is the same text every time, and what counts is the table of Hibernate.
 *
 * <p>LIBRARY hibernate
 *
 * <p>CULPRIT java.lang.String made in java.lang.StringLatin1.newString held by imports
 */
public final class HibernateQueries {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");
    private static final int QUERIES = 4;

    private static SessionFactory factory;

    private HibernateQueries() {}

    /** What is asked for. */
    @Entity(name = "Customer")
    public static class Customer {
        @Id
        long id;

        String name;
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Logger.getLogger("org.hibernate").setLevel(Level.SEVERE);
        Configuration configuration = new Configuration().addAnnotatedClass(Customer.class);
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:shop");
        configuration.setProperty("hibernate.connection.driver_class", "org.h2.Driver");
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        // Plans of queries are kept as well, so many at most.
        configuration.setProperty("hibernate.query.plan_cache_max_size", "16");
        configuration.setProperty("hibernate.query.plan_parameter_metadata_max_size", "16");
        factory = configuration.buildSessionFactory();
        Work.steps(number -> {
            try (Session session = factory.openSession()) {
                for (int query = 0; query < QUERIES; query++) {
                    String customer = IS_REPAIRED ? "customer" : "customer_" + number + "_" + query;
                    String order = " order by " + customer + ".id, " + customer + ".name";
                    session.createQuery("from Customer " + customer + order).list();
                }
            }
        });
    }
}
