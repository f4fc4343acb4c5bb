package org.rowlock.doctor;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;

/** How a statement comes to lock rows. */
enum StatementKind {
    /** It has a locking clause. */
    LOCKING,
    /** It changes the rows, as an upsert does. */
    WRITE,
    /** Or a COPY of new rows. */
    INSERT,
    /** Something that it calls does it: a function, procedure or cursor. */
    CALL,
    /** The role may not see the statement. */
    HIDDEN;

    private static final Pattern CLAUSE =
            Pattern.compile("\\bfor\\s+(update|no\\s+key\\s+update|share|key\\s+share)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern VERB = Pattern.compile("\\b(update|delete|merge|insert)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern UPSERT = Pattern.compile("\\bdo\\s+update\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern TABLE = Pattern.compile(
            "(?:\\bfrom|^update)\\s+(?:only\\s+)?((?:\"[^\"]+\"|\\w+)(?:\\.(?:\"[^\"]+\"|\\w+))?)",
            Pattern.CASE_INSENSITIVE);
    /** Several statements in one message: the first is not the one that waits. */
    private static final Pattern BEGIN =
            Pattern.compile("^\\s*(?:begin|start transaction)\\b[^;]*;", Pattern.CASE_INSENSITIVE);

    /** Also of the query in a COPY. */
    private static final Pattern FIRST = Pattern.compile("^\\W*(?:copy\\s*\\()?\\W*(\\w+)", Pattern.CASE_INSENSITIVE);

    /** As the server writes the check of a foreign key in a trigger of its own. */
    private static final Pattern FOREIGN_KEY_CHECK =
            Pattern.compile("^select \\S+ from only .* for key share of x$", Pattern.CASE_INSENSITIVE);

    private static final Pattern JOIN =
            Pattern.compile("\\bjoin\\b|\\bfrom [\\w.\"]+(?: (?:as )?\\w+)?,", Pattern.CASE_INSENSITIVE);
    private static final Pattern QUEUE =
            Pattern.compile("\\border by [^;]*\\b(?:limit|fetch first) [^;]*\\bfor ", Pattern.CASE_INSENSITIVE);

    /** Of a normalized statement; null is one that may not be seen. */
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
            case "insert" -> UPSERT.matcher(sql).find() ? WRITE : INSERT;
            case "copy" -> INSERT;
            default -> clause(sql).isPresent() ? LOCKING : CALL;
        };
    }

    /** The mode of the first locking clause. */
    static Optional<RowLockMode> clause(String sql) {
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                ? Optional.of(RowLockMode.valueOf(
                        "FOR_" + clause.group(1).toUpperCase(Locale.ROOT).replaceAll("\\s+", "_")))
                : Optional.empty();
    }

    /** The mode that it locks rows in: that of its clause, or of an UPDATE or DELETE. */
    static Optional<RowLockMode> mode(String sql) {
        String verb = sql.substring(0, Math.min(sql.length(), 7)).toLowerCase(Locale.ROOT);
        return verb.startsWith("update ")
                ? Optional.of(RowLockMode.FOR_NO_KEY_UPDATE)
                : verb.startsWith("delete ") ? Optional.of(RowLockMode.FOR_UPDATE) : clause(sql);
    }

    /** The first table that it reads; null if its text does not show it. */
    static @Nullable String table(String sql) {
        Matcher table = TABLE.matcher(sql);
        return table.find() ? table.group(1) : null;
    }

    /** Whether it locks the rows of several tables, and does not say of which. */
    static boolean locksAll(String sql) {
        Matcher clause = CLAUSE.matcher(sql);
        return clause.find()
                && !sql.regionMatches(true, clause.end(), " of ", 0, 4)
                && JOIN.matcher(sql.substring(0, clause.start())).find();
    }

    /** Whether it waits for the first of ordered rows; for one row by its key an ORM writes LIMIT without an order. */
    static boolean takesFirst(String sql) {
        return clause(sql).isPresent()
                && QUEUE.matcher(sql).find()
                && !sql.toLowerCase(Locale.ROOT).contains("skip locked");
    }

    /** Whether one of several statements begins with these words, which hyphens join. */
    static boolean runs(String statements, String words) {
        String begin = "(^|; )" + words.replace("create-", "create (unique )?").replace('-', ' ');
        return Pattern.compile(begin + "\\b(?![^;]*\\bconcurrently\\b)", Pattern.CASE_INSENSITIVE)
                .matcher(statements)
                .find();
    }

    /** Whether the server itself runs it to check a foreign key. */
    static boolean isForeignKeyCheck(String sql) {
        return FOREIGN_KEY_CHECK.matcher(sql).matches();
    }
}
