package org.rowlock.doctor;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.RequestParts;

/** The reason why a statement locks rows. */
enum StatementKind {
    LOCKING,
    /** The statement updates or deletes rows; an upsert counts too. */
    WRITE,
    /** The statement is an INSERT or COPY, which may wait for a unique key. */
    INSERT,
    /** The statement calls a function, procedure or cursor that locks rows. */
    CALL,
    FOREIGN_KEY,
    HIDDEN;

    private static final Pattern CLAUSE =
            Pattern.compile("(?i)\\bfor\\s+(update|no\\s+key\\s+update|share|key\\s+share)\\b");
    private static final Pattern VERB = Pattern.compile("(?i)\\b(update|delete|merge|insert)\\b");
    private static final Pattern UPSERT = Pattern.compile("(?i)\\bdo\\s+update\\b");
    private static final Pattern TABLE =
            Pattern.compile("(?i)(?:\\bfrom|^update)\\s+(?:only\\s+)?((?:\"[^\"]+\"|\\w+)(?:\\.(?:\"[^\"]+\"|\\w+))?)");
    /** A BEGIN that shares a message with other statements. The statement after BEGIN is the one that waits. */
    private static final Pattern BEGIN = Pattern.compile("(?i)^\\s*(?:begin|start transaction)\\b[^;]*;");

    private static final Pattern FIRST = Pattern.compile("(?i)^\\W*(?:copy\\s*\\()?\\W*(\\w+)");

    /** The statement by which the server's own trigger checks a foreign key. */
    private static final Pattern FOREIGN_KEY_CHECK =
            Pattern.compile("(?i)^select \\S+ from only .* for key share of x$");

    private static final Pattern JOIN = Pattern.compile("(?i)\\bjoin\\b|\\bfrom [\\w.\"]+(?: (?:as )?\\w+)?,");
    private static final Pattern QUEUE = Pattern.compile("(?i)\\border by [^;]*\\b(?:limit|fetch (?:first|next)) ");

    /** Classifies a normalized statement. A statement that the role cannot see is null. */
    static StatementKind of(@Nullable String sql) {
        if (sql == null || sql.isEmpty()) {
            return HIDDEN;
        }
        Matcher first = FIRST.matcher(BEGIN.matcher(sql).replaceFirst(""));
        String verb = first.find() ? first.group(1).toLowerCase(Locale.ROOT) : "";
        if (verb.equals("with")) {
            Matcher inner = VERB.matcher(sql);
            verb = inner.find() && !clause(sql).isPresent() ? inner.group(1).toLowerCase(Locale.ROOT) : "select";
        }
        return switch (verb) {
            case "update", "delete", "merge" -> WRITE;
            case "insert" -> UPSERT.matcher(sql).find() ? WRITE : clause(sql).isPresent() ? LOCKING : INSERT;
            case "copy" -> INSERT;
            default -> clause(sql).isPresent() ? LOCKING : CALL;
        };
    }

    static Optional<RowLockMode> clause(String sql) {
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                ? Optional.of(RowLockMode.valueOf(
                        "FOR_" + clause.group(1).toUpperCase(Locale.ROOT).replaceAll("\\s+", "_")))
                : Optional.empty();
    }

    static int clauseAt(String sql) {
        return CLAUSE.matcher(sql).results().mapToInt(MatchResult::start).reduce(-1, (before, last) -> last);
    }

    /** Returns the lock mode of an UPDATE, a DELETE or a locking clause; empty for the check of a foreign key. */
    static Optional<RowLockMode> mode(String sql) {
        String verb = sql.substring(0, Math.min(sql.length(), 7)).toLowerCase(Locale.ROOT);
        return switch (verb) {
            case "update " -> Optional.of(RowLockMode.FOR_NO_KEY_UPDATE);
            case "delete " -> Optional.of(RowLockMode.FOR_UPDATE);
            default -> FOREIGN_KEY_CHECK.matcher(sql).matches() ? Optional.empty() : clause(sql);
        };
    }

    /** Whether the statement reads a table and locks no rows itself. */
    static boolean isQuery(@Nullable String sql) {
        return sql != null && of(sql) == CALL && table(sql) != null;
    }

    static boolean isShared(String sql) {
        return mode(sql).filter(RequestParts::isShared).isPresent();
    }

    static @Nullable String table(String sql) {
        Matcher table = TABLE.matcher(sql);
        return table.find() ? table.group(1) : null;
    }

    /** Whether the statement joins tables and locks rows of all of them, because its locking clause names no table. */
    static boolean locksAll(@Nullable String statement) {
        String sql = String.valueOf(statement);
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                && !sql.regionMatches(true, clause.end(), " of ", 0, 4)
                && JOIN.matcher(sql.substring(0, clause.start())).find();
    }

    /**
     * Whether the statement has no SKIP LOCKED, and locks the first of several ordered rows. LIMIT without an order
     * proves nothing, because an ORM adds LIMIT to a read by key.
     */
    static boolean takesFirst(@Nullable String sql) {
        String text = String.valueOf(sql);
        boolean isOfRows = of(text) == WRITE || of(text) == LOCKING;
        return isOfRows && QUEUE.matcher(text).find() && !skipsLocked(text);
    }

    static boolean skipsLocked(String sql) {
        return sql.toLowerCase(Locale.ROOT).contains("skip locked");
    }

    static boolean runs(String statements, String words) {
        String begin =
                "(?i)(^|; )" + words.replace("create-", "create (unique )?").replace('-', ' ');
        Pattern regular = Pattern.compile(begin + "\\b(?![^;]*\\bconcurrently\\b)");
        return regular.matcher(statements).find();
    }
}
