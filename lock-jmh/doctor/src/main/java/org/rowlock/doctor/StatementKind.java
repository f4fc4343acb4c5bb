package org.rowlock.doctor;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/** The reason why a statement locks rows. */
enum StatementKind {
    /** The statement has a locking clause. */
    LOCKING,
    /** The statement changes the rows; an upsert is one of them. */
    WRITE,
    /** The statement, an INSERT or a COPY, adds rows, which may wait for a unique key. */
    INSERT,
    /** The statement calls a function, procedure or cursor, which locks rows. */
    CALL,
    /** The server itself checks a foreign key. */
    FOREIGN_KEY,
    /** The role may not see the statement. */
    HIDDEN;

    private static final Pattern CLAUSE =
            Pattern.compile("(?i)\\bfor\\s+(update|no\\s+key\\s+update|share|key\\s+share)\\b");
    private static final Pattern VERB = Pattern.compile("(?i)\\b(update|delete|merge|insert)\\b");
    private static final Pattern UPSERT = Pattern.compile("(?i)\\bdo\\s+update\\b");
    private static final Pattern TABLE =
            Pattern.compile("(?i)(?:\\bfrom|^update)\\s+(?:only\\s+)?((?:\"[^\"]+\"|\\w+)(?:\\.(?:\"[^\"]+\"|\\w+))?)");
    /** The beginning of several statements in one message, where the first is not the one that waits. */
    private static final Pattern BEGIN = Pattern.compile("(?i)^\\s*(?:begin|start transaction)\\b[^;]*;");

    /** The first word of a statement, or of the query in a COPY. */
    private static final Pattern FIRST = Pattern.compile("(?i)^\\W*(?:copy\\s*\\()?\\W*(\\w+)");

    /** The statement by which the server's own trigger checks a foreign key. */
    private static final Pattern FOREIGN_KEY_CHECK =
            Pattern.compile("(?i)^select \\S+ from only .* for key share of x$");

    private static final Pattern JOIN = Pattern.compile("(?i)\\bjoin\\b|\\bfrom [\\w.\"]+(?: (?:as )?\\w+)?,");
    private static final Pattern QUEUE = Pattern.compile("(?i)\\border by [^;]*\\b(?:limit|fetch (?:first|next)) ");

    /** Classifies a normalized statement; null is one that the role may not see. */
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

    /** Returns the mode of the first locking clause. */
    static Optional<RowLockMode> clause(String sql) {
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                ? Optional.of(RowLockMode.valueOf(
                        "FOR_" + clause.group(1).toUpperCase(Locale.ROOT).replaceAll("\\s+", "_")))
                : Optional.empty();
    }

    /** Returns where the last locking clause begins; -1 if there is none. */
    static int clauseAt(String sql) {
        return CLAUSE.matcher(sql).results().mapToInt(MatchResult::start).reduce(-1, (before, last) -> last);
    }

    /**
     * Returns the mode in which the statement locks rows: that of its clause, or of an UPDATE or DELETE. The check of a
     * foreign key has none.
     */
    static Optional<RowLockMode> mode(String sql) {
        String verb = sql.substring(0, Math.min(sql.length(), 7)).toLowerCase(Locale.ROOT);
        return switch (verb) {
            case "update " -> Optional.of(RowLockMode.FOR_NO_KEY_UPDATE);
            case "delete " -> Optional.of(RowLockMode.FOR_UPDATE);
            default -> FOREIGN_KEY_CHECK.matcher(sql).matches() ? Optional.empty() : clause(sql);
        };
    }

    /** Returns the first table that the statement reads; null if its text does not show it. */
    static @Nullable String table(String sql) {
        Matcher table = TABLE.matcher(sql);
        return table.find() ? table.group(1) : null;
    }

    /** Whether it locks the rows of several tables because its clause does not name one. */
    static boolean locksAll(@Nullable String statement) {
        String sql = String.valueOf(statement);
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                && !sql.regionMatches(true, clause.end(), " of ", 0, 4)
                && JOIN.matcher(sql.substring(0, clause.start())).find();
    }

    /**
     * Whether it locks the first of several ordered rows. An ORM also writes LIMIT for one row by its key, but without
     * an order.
     */
    static boolean takesFirst(@Nullable String sql) {
        String text = String.valueOf(sql);
        boolean isOfRows = of(text) == WRITE || of(text) == LOCKING;
        return isOfRows && QUEUE.matcher(text).find() && !skipsLocked(text);
    }

    static boolean skipsLocked(String sql) {
        return sql.toLowerCase(Locale.ROOT).contains("skip locked");
    }

    /** Whether one of several statements begins with these words, which hyphens join. */
    static boolean runs(String statements, String words) {
        String begin =
                "(?i)(^|; )" + words.replace("create-", "create (unique )?").replace('-', ' ');
        Pattern regular = Pattern.compile(begin + "\\b(?![^;]*\\bconcurrently\\b)");
        return regular.matcher(statements).find();
    }
}
