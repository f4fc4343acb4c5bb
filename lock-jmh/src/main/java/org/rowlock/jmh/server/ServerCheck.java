package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.internal.text.TableName;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/** Rejects an unsuitable server before the program creates anything on the server. */
public final class ServerCheck {
    private ServerCheck() {}

    /** Checks that the benchmarks can run on the server. */
    public static ServerFacts forBenchmarks(ServerAddress address) {
        ServerFacts facts;
        // A pooler rejects startup settings that it does not support, so this connection detects the pooler.
        try (Connection connection =
                BenchmarkSchema.dataSource(address, "check").getConnection()) {
            ServerFailures.refuseOthers(
                    address,
                    Jdbc.text(connection, "select version()"),
                    connection.getMetaData().getDatabaseMajorVersion());
            facts = ServerFacts.of(connection);
            refuseReadOnly(address, facts);
            BenchmarkSchema.removeLeftovers(connection);
        } catch (SQLException e) {
            throw ServerFailures.at(address, e);
        }
        refuseMissingPrivilege(address, facts);
        refuseOtherIsolation(address, facts);
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

    private static void refuseReadOnly(ServerAddress address, ServerFacts facts) {
        if (facts.isInRecovery()) {
            throw new UserError("The server at " + address + " is in recovery: a standby, which takes no writes and"
                    + " whose locks do not exclude sessions on its primary. Give the primary with --url.");
        }
        if (facts.isReadOnly()) {
            throw new UserError("Transactions at " + address + " are read-only (default_transaction_read_only is on),"
                    + " and the benchmarks have to write. Give a user that may write with --user, or another server"
                    + " with --url.");
        }
    }

    private static void refuseMissingPrivilege(ServerAddress address, ServerFacts facts) {
        if (!facts.mayCreateSchema()) {
            throw new UserError("The user " + facts.user() + " may not create the schema " + BenchmarkSchema.NAME
                    + " at " + address + ". Run there as the owner of the database: grant create on database "
                    + TableName.quoteIdentifier(facts.database()) + " to " + TableName.quoteIdentifier(facts.user())
                    + "; or give another user with --user.");
        }
    }

    private static void refuseOtherIsolation(ServerAddress address, ServerFacts facts) {
        String isolation = facts.setting("default_transaction_isolation");
        if (!isolation.equals("read committed")) {
            throw new UserError("Transactions of the user " + facts.user() + " at " + address + " begin in "
                    + isolation + " (default_transaction_isolation), where a wait for a row lock ends in 40001; the"
                    + " strategies are compared in read committed. Run there: alter role "
                    + TableName.quoteIdentifier(facts.user())
                    + " set default_transaction_isolation = 'read committed'; or give another user with --user.");
        }
    }

    /** Returns sentences about conditions that affect the figures but do not prevent the benchmarks. */
    public static List<String> remarks(ServerFacts facts) {
        List<String> remarks = new ArrayList<>();
        if (facts.setting("fsync").equals("off")) {
            remarks.add("fsync is off there: commits and locks end sooner than on a durable server.");
        }
        if (facts.setting("synchronous_commit").equals("off")) {
            remarks.add("synchronous_commit is off there: locks end before the commit is on disk.");
        }
        for (String timeout : List.of("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")) {
            if (!facts.setting(timeout).equals("0")) {
                remarks.add(timeout + " is " + facts.setting(timeout) + " there: with many clients a wait may take"
                        + " longer, and its scenario then fails.");
            }
        }
        if (facts.setting("track_activities").equals("off")) {
            remarks.add("track_activities is off there: there will be no wait events.");
        }
        return remarks;
    }
}
