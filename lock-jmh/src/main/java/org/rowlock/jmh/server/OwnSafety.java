package org.rowlock.jmh.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jmh.server.OwnSql.Names;
import org.rowlock.tool.Texts;
import org.rowlock.tool.UserError;

/** Protects the user's own tables: rejects statements that could change anything but the copies. */
public final class OwnSafety {
    private static final Set<String> WORK = Tokens.words("select insert update delete merge with values");

    /** Functions that change a sequence. A rollback does not undo such a change. */
    private static final Set<String> SEQUENCES = Set.of("nextval", "setval");

    private static final Predicate<String> WITH_SCHEMA =
            Pattern.compile("[^0-9.][^.]*\\.[^.]+").asMatchPredicate();

    /** User-defined functions that may write to the user's tables. */
    private static final String WRITERS = """
            select p.oid::regprocedure::text from pg_proc p join pg_language l on l.oid = p.prolang
             where p.proname = any (?::text[]) and p.provolatile = 'v' and p.oid >= 16384
               and (l.lanname not in ('c', 'internal') or p.proname like 'dblink%')
            """;

    /** Finds locks that a plain SELECT would not take, on relations other than the copies. */
    private static final String LOCKED = """
            select distinct c.oid::regclass::text from pg_locks l join pg_class c on c.oid = l.relation
             join pg_namespace n on n.oid = c.relnamespace
             where l.pid = pg_backend_pid() and l.mode <> 'AccessShareLock' and c.oid >= 16384
               and n.nspname not in ('%s', 'pg_toast')
            """.formatted(BenchmarkSchema.NAME);

    private OwnSafety() {}

    /** Rejects a kind of statement that could change more than rows of the copies. */
    static void refuseOtherWork(List<OwnSql> statements) {
        for (OwnSql each : statements) {
            if (!WORK.contains(each.verb())) {
                throw new UserError("--work has the statement " + Texts.printable(each.sql()) + ", and only "
                        + String.join(", ", WORK.stream().sorted().toList()) + " are allowed there, because your own"
                        + " tables must not change. Leave it out.");
            }
        }
    }

    /**
     * Rejects relations that cannot be copied, and statements that could change the user's own tables. A view would
     * read the user's own rows.
     */
    static void refuseOthers(Connection connection, Names names, List<OwnTable> tables) throws SQLException {
        for (OwnTable each : tables) {
            boolean isView = !each.isTable() && !each.kind().equals("S");
            if (isView && names.sources().contains(each.name())) {
                throw new UserError("The statements name " + each.original() + ", which is a view or a foreign table:"
                        + " it reads your own rows and not the copies. Name the tables behind it.");
            }
        }
        List<String> qualified = names.called().stream().anyMatch(SEQUENCES::contains)
                ? names.words().stream().filter(WITH_SCHEMA).toList()
                : List.of();
        if (!qualified.isEmpty()) {
            throw new UserError("The statements name a sequence with its schema, " + String.join(", ", qualified)
                    + ", and would advance your own sequence. Leave the schema out, so that the copy of the sequence"
                    + " is used.");
        }
        List<String> writers = Jdbc.list(connection, WRITERS, row -> row.getString(1), (Object)
                names.called().toArray(String[]::new));
        if (!writers.isEmpty()) {
            throw new UserError("The statements call " + String.join(", ", writers) + ", and a volatile function may"
                    + " change your own tables. Write its statements out, or leave it out.");
        }
    }

    /**
     * Rejects statements that have locked tables other than the copies. For example, the default of a column may call a
     * function that locks a table.
     *
     * @param connection a connection in the transaction that ran the statements
     */
    public static void refuseWhatIsLocked(Connection connection) throws SQLException {
        List<String> locked = Jdbc.list(connection, LOCKED, row -> row.getString(1));
        if (!locked.isEmpty()) {
            throw new UserError("The statements lock " + String.join(", ", locked) + ", which is yours, and only"
                    + " copies may change. Everything was rolled back. Leave out the statement or function that"
                    + " locks it.");
        }
    }
}
