package org.rowlock.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rowlock.doctor.LockingStatements.Installation;

/**
 * Looks at a running server for a while and says whether row locks hurt it. It only reads, in read-only transactions of
 * milliseconds, and rests between two looks for longer than a look takes. Any role that may connect will do; what it may
 * not see is said. PostgreSQL 14 and newer.
 */
public final class Doctor {
    private static final String READ_ALL = "pg_read_all_stats";
    private static final String STATEMENTS = "pg_stat_statements";

    private final ServerAddress address;
    private final ReadOnlySession session;
    private final List<Unseen> unseen = new ArrayList<>();

    private Doctor(ServerAddress address, ReadOnlySession session) {
        this.address = address;
        this.session = session;
    }

    /**
     * Looks at a server.
     *
     * @param duration for how long; one look at least
     * @throws UserError if it cannot be looked at
     */
    public static Diagnosis examine(ServerAddress address, Duration duration) {
        try (ReadOnlySession session = ReadOnlySession.open(address)) {
            return new Diagnosis(new Doctor(address, session).look(duration));
        } catch (SQLException e) {
            throw new UserError(
                    "The server at " + address.shown() + " did not let the doctor look at its locks and sessions: "
                            + Figures.sentence(e.getMessage())
                            + " Each look may take " + Figures.duration(ReadOnlySession.STATEMENT_TIMEOUT)
                            + " and reads pg_locks and pg_stat_activity, which any role may on PostgreSQL.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError("The doctor was interrupted before it had seen enough.", e);
        }
    }

    private Examination look(Duration duration) throws SQLException, InterruptedException {
        Instant started = Instant.now();
        Server server = session.read(Server::read);
        notePrivileges(server);
        Optional<Counters> before = tryRead("Counters (xids, MultiXacts, deadlocks)", Counters::read);
        Optional<Map<String, TableUpdates>> updatesBefore = tryRead("Updates per table", TableUpdates::read);
        Optional<Installation> installation = server.inRecovery() ? Optional.empty() : installation(server);
        Optional<LockingStatements> statementsBefore = statements(installation);
        Sampler sampler = new Sampler(session);
        Samples samples = sampler.sample(duration);
        Optional<Counters> after = before.flatMap(any -> tryRead("Counters, again", Counters::read));
        Optional<Map<String, TableUpdates>> updatesAfter =
                updatesBefore.flatMap(any -> tryRead("Updates per table, again", TableUpdates::read));
        Optional<LockingStatements> statements =
                statementsBefore.flatMap(first -> statements(installation).map(second -> second.after(first)));
        statements.ifPresent(now -> noteHidden(server, now));
        sampler.names().unreadable().forEach(this::noteUnreadable);
        Examination seen = new Examination(
                address.shown(),
                started,
                server,
                samples,
                before.flatMap(first -> after.map(second -> Counters.growth(first, second))),
                tryRead("Ages of xids and MultiXacts", Ages::read),
                server.listsDirectories()
                        ? tryRead("The size of pg_multixact", MultiXactFiles::read)
                        : Optional.empty(),
                statements,
                updatesBefore
                        .flatMap(first -> updatesAfter.map(second -> TableUpdates.growth(first, second)))
                        .orElse(List.of()),
                tryRead("Who holds the vacuum horizon", HorizonHolder::read).orElse(List.of()),
                tryRead("Writers that do not lock through Rowlock", Audit::read).filter(Audit::isOn),
                session.announcedPid() != server.pid(),
                unseen);
        notePool();
        return seen;
    }

    private void notePrivileges(Server server) {
        if (!server.readsAllStats()) {
            unseen.add(new Unseen(
                    "What sessions and statements of other roles do",
                    "the role " + server.role()
                            + " may not read it. Row lock waits are seen without, in pg_locks; how many"
                            + " sessions are busy, other wait events, the statements that wait and what a holder does are"
                            + " not.",
                    "Run as a superuser: grant " + READ_ALL + " to " + server.role() + " (or pg_monitor)."));
        }
        if (!server.isOn("track_activities")) {
            unseen.add(new Unseen("What sessions do", "track_activities is off.", "Set it on."));
        }
        if (!server.isOn("track_counts")) {
            unseen.add(new Unseen(
                    "Updates and dead rows of tables", "track_counts is off, and autovacuum with it.", "Set it on."));
        }
    }

    private void noteUnreadable(String table) {
        unseen.add(new Unseen(
                "Which rows of " + table + " are hot",
                "their primary key could not be read (no SELECT on it, no primary key, row security, or a table lock).",
                "They are known by page and tuple in pg_locks only."));
    }

    /** True on every server. */
    private void notePool() {
        unseen.add(
                new Unseen(
                        "Threads that wait for a connection of their pool, in the application or in a pooler",
                        "the server does not know of them.",
                        "Look at the pool's own metrics (HikariCP: hikaricp.connections.pending; PgBouncer: show pools, cl_waiting)."));
    }

    private Optional<Installation> installation(Server server) {
        Optional<Optional<Installation>> asked = tryRead(STATEMENTS, Installation::find);
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        Optional<Installation> installation = asked.get();
        if (installation.isEmpty()) {
            unseen.add(new Unseen(
                    "Statements that lock rows, their calls and times",
                    STATEMENTS + " is not installed in database " + server.database() + ".",
                    (server.preloads(STATEMENTS).orElse(false)
                                    ? "Run there: "
                                    : "Add it to shared_preload_libraries, restart, and run there: ")
                            + "create extension " + STATEMENTS + "."));
        } else if (!installation.get().isCurrent()) {
            unseen.add(new Unseen(
                    "Statements that lock rows, their calls and times",
                    STATEMENTS + " is of version " + installation.get().version() + ", which is too old.",
                    "Run in " + server.database() + ": alter extension " + STATEMENTS + " update."));
            return Optional.empty();
        }
        return installation;
    }

    private Optional<LockingStatements> statements(Optional<Installation> installation) {
        return installation.flatMap(found -> tryRead(
                "Statements that lock rows, their calls and times",
                connection -> LockingStatements.read(connection, found)));
    }

    private void noteHidden(Server server, LockingStatements statements) {
        if (statements.hidden() > 0) {
            unseen.add(new Unseen(
                    "Statements of other roles in " + STATEMENTS,
                    Figures.count(statements.hidden()) + " are hidden from the role " + server.role() + ".",
                    "Run as a superuser: grant " + READ_ALL + " to " + server.role() + "."));
        }
    }

    /** What a probe sees, or a note of why it does not. */
    private <T> Optional<T> tryRead(String what, Probe<T> probe) {
        try {
            return Optional.of(session.read(probe));
        } catch (SQLException e) {
            unseen.add(
                    switch (String.valueOf(e.getSQLState())) {
                        case "42501" ->
                            new Unseen(
                                    what,
                                    "the role may not: " + Figures.sentence(e.getMessage()),
                                    "A superuser may grant pg_monitor.");
                        case "57014" ->
                            new Unseen(
                                    what,
                                    "the server took longer than " + Figures.duration(ReadOnlySession.STATEMENT_TIMEOUT)
                                            + " to tell.",
                                    "Try again when it is less busy.");
                        case "55000" ->
                            new Unseen(
                                    what,
                                    Figures.sentence(e.getMessage()),
                                    "Add it to shared_preload_libraries and restart.");
                        default -> new Unseen(what, "the server refused: " + Figures.sentence(e.getMessage()), "");
                    });
            return Optional.empty();
        }
    }
}
