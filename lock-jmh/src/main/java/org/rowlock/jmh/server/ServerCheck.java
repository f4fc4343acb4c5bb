package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.Texts;
import org.rowlock.tool.UserError;

/** Rejects an unsuitable server before the program creates anything on the server. */
public final class ServerCheck {
    private static final String CHECKS = Texts.resource(ServerCheck.class, "checks.sql");

    private ServerCheck() {}

    /**
     * Checks that the benchmarks can run on the server.
     *
     * @param remarks receives sentences about conditions that affect the figures
     */
    public static ServerFacts forBenchmarks(ServerAddress address, List<String> remarks) {
        ServerFacts facts;
        // A pooler rejects startup settings that it does not support, so this connection detects the pooler.
        try (Connection connection =
                BenchmarkSchema.dataSource(address, "check").getConnection()) {
            ServerFailures.refuseOthers(
                    address,
                    Jdbc.text(connection, "select version()"),
                    connection.getMetaData().getDatabaseMajorVersion());
            BenchmarkSchema.removeLeftovers(connection);
            List<String> refusals = new ArrayList<>();
            Jdbc.list(connection, CHECKS, row -> (row.getBoolean(1) ? refusals : remarks).add(row.getString(2)));
            if (!refusals.isEmpty()) {
                throw new UserError("The benchmarks cannot run at " + address + ": " + refusals.get(0));
            }
            facts = ServerFacts.of(connection);
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        }
        try {
            RowLocks.of(address.dataSource(BenchmarkSchema.applicationName("check")))
                    .verify();
        } catch (RowlockException e) {
            throw e.getCause() == null
                    ? new UserError("Advisory locks do not work at " + address + ": " + e.getMessage(), e)
                    : ServerFailures.at(address, e);
        }
        return facts;
    }
}
