package org.rowlock.jmh.bench;

import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.openjdk.jmh.annotations.Param;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jmh.server.Jdbc;
import org.rowlock.tool.Texts;

/**
 * A workload without Rowlock, written in a file of SQL beside this class. Each section begins with a line such as
 * {@code -- setup}. The section {@code setup} runs first, and the condition in {@code holds} is checked at the end. All
 * other sections are roles. The line of a role, such as {@code -- beside reads 10}, has its kind, its name and its
 * number of clients. The number can be the parameter {@code clients}. A {@code measured} role gives the score, and a
 * {@code beside} role runs at the same time. A {@code connecting} role is measured too, and opens a new connection for
 * each operation. Empty lines separate statements. {@code :variant} is the variant's number, and {@code :measured} is
 * the number of operations of all {@code measured} roles.
 */
public class SqlCase extends Workload {
    private static final int TIMEOUT_SECONDS = 10;

    /** The SQLSTATE of a connection that exceeds the server's limit. */
    private static final String TOO_MANY_CONNECTIONS = "53300";

    @Param("150")
    public int clients;

    @Param("lwlocks-buffers")
    public String script = "lwlocks-buffers";

    @Param("0")
    public int variant;

    private final LongAdder measured = new LongAdder();

    /**
     * @param kind the first word of the section's line
     * @param role the name of the role; empty for setup and holds
     */
    record Section(String kind, String role, String count, List<String> statements) {}

    static List<Section> sections(String script, int variant) {
        String text = Texts.resource(SqlCase.class, script + ".sql").replace(":variant", Integer.toString(variant));
        return Arrays.stream(text.split("(?m)^-- ", -1))
                .skip(1)
                .map(section -> section(section.split("\n", 2)))
                .toList();
    }

    private static Section section(String... text) {
        String[] head = text[0].split(" ", -1);
        boolean isRole = head.length > 1;
        return new Section(
                head[0],
                isRole ? head[1] : "",
                isRole ? head[2] : "0",
                Arrays.stream(text[1].strip().split("\n\n+")).toList());
    }

    @Override
    void prepare() throws SQLException {
        for (Section section : sections(script, variant)) {
            String sql = section.statements().get(0);
            int count = section.count().equals("clients") ? clients : Integer.parseInt(section.count());
            switch (section.kind()) {
                case "setup" -> server.execute(section.statements().toArray(String[]::new));
                case "holds" -> atEnd(() -> check(sql.replace(":measured", Long.toString(measured.sum()))));
                case "connecting" -> threads.add(section.role(), count, number -> connecting(section.role(), sql));
                case "measured" -> threads.add(section.role(), count, working(section.role(), count, sql, measured));
                case "beside" ->
                    threads.addBeside(section.role(), count, working(section.role(), count, sql, new LongAdder()));
                default -> throw new IllegalStateException(script + " has a section " + section.kind());
            }
        }
    }

    private IntFunction<Clients.Operation> working(String role, int count, String sql, LongAdder done)
            throws SQLException {
        List<Connection> sessions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sessions.add(server.closeWith(server.connect()));
        }
        return number -> {
            Latency latency = meter.latency(role);
            Connection session = sessions.get(number);
            return () -> {
                latency.begin();
                Jdbc.run(session, sql);
                latency.end();
                done.increment();
                return 1;
            };
        };
    }

    private Clients.Operation connecting(String role, String sql) {
        PGSimpleDataSource dataSource = server.dataSource();
        dataSource.setSocketTimeout(TIMEOUT_SECONDS);
        Latency latency = meter.latency(role);
        LongAdder out = meter.count("out");
        return () -> {
            latency.begin();
            try (Connection connection = dataSource.getConnection()) {
                latency.end();
                Jdbc.run(connection, sql);
                return 1;
            } catch (SQLException e) {
                if (!TOO_MANY_CONNECTIONS.equals(e.getSQLState())
                        && !(e.getCause() instanceof SocketTimeoutException)) {
                    throw e;
                }
                latency.end();
                out.increment();
                return 0;
            }
        };
    }

    private void check(String sql) throws SQLException {
        try (Connection connection = server.connect()) {
            if (!Jdbc.one(connection, sql, row -> row.getBoolean(1))) {
                throw new InvariantViolation("this does not hold: " + sql);
            }
        }
    }
}
