package org.rowlock.jmh.scenario;

import java.util.Map;
import java.util.TreeMap;

/**
 * One set of conditions of a scenario: the parameters of its benchmark, and the server resources that they need.
 *
 * @param connections the number of connections at a time
 * @param locks the number of entries in the server's lock table at a time
 */
public record Point(String label, Map<String, String> params, int connections, long locks) {
    public static final String CLIENTS = "clients";

    public static final String RTT = "rttMillis";

    public static final String ROWS = "rows";

    public static Point clients(int clients) {
        String label = clients + (clients == 1 ? " client" : " clients");
        return new Point(label, Map.of(CLIENTS, Integer.toString(clients)), clients, clients);
    }

    public String directLabel() {
        return over(0).label;
    }

    /**
     * Returns this point with another number of clients and without a proxy. The label must begin with the number of
     * clients.
     */
    public Point of(int clients) {
        String direct = directLabel().replaceFirst("^\\d+ (\\w+?)s?\\b", clients + " $1" + (clients == 1 ? "" : "s"));
        Map<String, String> changed = new TreeMap<>(params);
        changed.remove(RTT);
        changed.put(CLIENTS, Integer.toString(clients));
        return new Point(direct, changed, connections - clients() + clients, locks / clients() * clients);
    }

    /** Whether the label begins with the number of clients, and each client has a connection. */
    public boolean isOfClients() {
        return label.startsWith(clients() + " ") && connections >= clients();
    }

    public int clients() {
        return Integer.parseInt(params.getOrDefault(CLIENTS, "1"));
    }

    public Point with(String name, String value) {
        Map<String, String> changed = new TreeMap<>(params);
        changed.put(name, value);
        return new Point(label, changed, connections, locks);
    }

    public Point needing(int otherConnections) {
        return new Point(label, params, otherConnections, locks);
    }

    public Point over(double rttMillis) {
        Point changed = with(RTT, Double.toString(rttMillis));
        String network = rttMillis == 0 ? "" : ", " + rttMillis + " ms";
        return new Point(label.replaceFirst(", [0-9.]+ ms$", "") + network, changed.params, connections, locks);
    }

    public double rttMillis() {
        return Double.parseDouble(params.getOrDefault(RTT, "0"));
    }
}
