package org.rowlock.jmh.scenario;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where a scenario is run: parameters of its benchmark, and what they take of a server.
 *
 * @param label short
 * @param params of the benchmark, by name
 * @param connections at a time
 * @param locks places in the server's lock table at a time
 */
public record Point(String label, Map<String, String> params, int connections, long locks) {
    /** The benchmark's parameter for the number of clients. */
    public static final String CLIENTS = "clients";

    /** That for the round trip. */
    public static final String RTT = "rttMillis";

    /** So many clients, each with a connection. */
    public static Point clients(int clients) {
        return of(clients + (clients == 1 ? " client" : " clients"), clients);
    }

    /** The same under another label, with more parameters: name, value, name, value. */
    public static Point of(String label, int clients, String... params) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(CLIENTS, Integer.toString(clients));
        for (int i = 0; i < params.length; i += 2) {
            all.put(params[i], params[i + 1]);
        }
        return new Point(label, all, clients, clients);
    }

    /** With so many connections, where that is not one for each client. */
    public Point connecting(int number) {
        return new Point(label, params, number, locks);
    }

    /** With so many locks in each transaction. */
    public Point locking(int perClient) {
        return new Point(label, params, connections, (long) clients() * perClient);
    }

    public int clients() {
        return Integer.parseInt(params.getOrDefault(CLIENTS, "1"));
    }

    /** The same with another parameter. */
    public Point with(String name, String value) {
        Map<String, String> changed = new TreeMap<>(params);
        changed.put(name, value);
        return new Point(label, changed, connections, locks);
    }

    /** Over a network of this round trip. */
    public Point over(double rttMillis) {
        Point changed = with(RTT, Double.toString(rttMillis));
        String network = rttMillis == 0 ? "" : ", " + rttMillis + " ms";
        return new Point(label.replaceFirst(", [0-9.]+ ms$", "") + network, changed.params, connections, locks);
    }

    public double rttMillis() {
        return Double.parseDouble(params.getOrDefault(RTT, "0"));
    }
}
