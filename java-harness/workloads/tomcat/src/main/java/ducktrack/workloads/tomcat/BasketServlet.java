package ducktrack.workloads.tomcat;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;

/** A basket kept in the session, shown as a page after each change. */
final class BasketServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        TreeMap<String, Integer> basket = basket(request.getSession(true));
        basket.merge(request.getParameter("item"), Integer.parseInt(request.getParameter("amount")), Integer::sum);
        response.setContentType("text/html");
        response.setCharacterEncoding("UTF-8");
        PrintWriter page = response.getWriter();
        page.println("<html><body><table>");
        int total = 0;
        for (Map.Entry<String, Integer> line : basket.entrySet()) {
            page.println("<tr><td>" + line.getKey() + "</td><td>" + line.getValue() + "</td></tr>");
            total += line.getValue();
        }
        page.println("</table><p>" + total + "</p></body></html>");
    }

    @SuppressWarnings("unchecked") // nothing else is ever put there
    private static TreeMap<String, Integer> basket(HttpSession session) {
        TreeMap<String, Integer> basket = (TreeMap<String, Integer>) session.getAttribute("basket");
        if (basket == null) {
            basket = new TreeMap<>();
            session.setAttribute("basket", basket);
        }
        return basket;
    }
}
