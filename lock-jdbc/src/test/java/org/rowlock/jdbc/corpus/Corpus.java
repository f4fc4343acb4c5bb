package org.rowlock.jdbc.corpus;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of {@code statements.txt}, which says what its fields are, and the tables of {@code schema.sql}. */
public final class Corpus {
    private static final Pattern LOCK = Pattern.compile("(\\S+) \\((.*)\\) (FOR_\\w+)(?: (NOWAIT|SKIP_LOCKED))?");
    private static final Pattern COLUMN = Pattern.compile("(\\w+) = (\\?\\d+|'[^']*')");

    private Corpus() {}

    /**
     * A statement of a program.
     *
     * @param line where it is, for the eye
     * @param expected what is to be seen in it
     */
    public record Entry(int line, String source, String sql, List<String> parameters, Expected expected) {
        Entry in(String schema) {
            return new Entry(line, source, sql.replace("{schema}", schema), parameters, expected.in(schema));
        }

        /** Prepares the statement with its parameters, whose types the server finds. */
        PreparedStatement prepare(Connection connection) throws SQLException {
            PreparedStatement statement = connection.prepareStatement(sql);
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, parameters.get(i), Types.OTHER);
            }
            return statement;
        }

        @Override
        public String toString() {
            return "line " + line + ", " + source + ": " + sql;
        }
    }

    /** What is to be seen in a statement. */
    public sealed interface Expected {
        Expected in(String schema);
    }

    /**
     * One row, by its primary key.
     *
     * @param key each column with the parameter, as {@code ?1}, or the literal, as {@code 'x'}
     * @param waiting empty, NOWAIT or SKIP_LOCKED
     */
    public record Lock(String table, Map<String, String> key, String mode, String waiting) implements Expected {
        @Override
        public Expected in(String schema) {
            return new Lock(table.replace("{schema}", schema), key, mode, waiting);
        }

        /** The values of the key, in its order. */
        List<String> values(List<String> parameters) {
            return key.values().stream()
                    .map(value -> value.startsWith("?")
                            ? parameters.get(Integer.parseInt(value.substring(1)) - 1)
                            : value.substring(1, value.length() - 1))
                    .toList();
        }
    }

    /** Left alone, for this reason. */
    public record Pass(String reason) implements Expected {
        @Override
        public Expected in(String schema) {
            return this;
        }
    }

    /** All statements, in the order of the file. */
    public static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(resource("statements.txt"), StandardCharsets.UTF_8))) {
            Map<String, String> fields = new LinkedHashMap<>();
            String field = "";
            int number = 0;
            int first = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.startsWith("        ")) {
                    fields.merge(field, line.substring(8), (text, more) -> text + '\n' + more);
                } else if (line.isEmpty() && field.equals("sql")) {
                    fields.merge(field, "", (text, more) -> text + '\n');
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    if (line.startsWith("source")) {
                        add(entries, first, fields);
                        first = number;
                    }
                    field = line.substring(0, Math.min(8, line.length())).trim();
                    fields.put(field, line.substring(Math.min(8, line.length())));
                }
            }
            add(entries, first, fields);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return entries;
    }

    private static void add(List<Entry> entries, int line, Map<String, String> fields) {
        if (fields.isEmpty()) {
            return;
        }
        List<String> parameters = new ArrayList<>();
        if (fields.containsKey("params")) {
            for (String value : fields.get("params").split(" \\| ", -1)) {
                parameters.add(value.equals("NULL") ? null : value);
            }
        }
        Expected expected =
                fields.containsKey("pass") ? new Pass(fields.get("pass")) : lock(fields.getOrDefault("lock", ""));
        entries.add(new Entry(line, fields.get("source"), fields.get("sql"), parameters, expected));
        fields.clear();
    }

    private static Lock lock(String text) {
        Matcher lock = LOCK.matcher(text);
        if (!lock.matches()) {
            throw new IllegalStateException("Neither lock nor pass: " + text);
        }
        Map<String, String> key = new LinkedHashMap<>();
        Matcher column = COLUMN.matcher(lock.group(2));
        while (column.find()) {
            key.put(column.group(1), column.group(2));
        }
        String waiting = lock.group(4);
        return new Lock(lock.group(1), key, lock.group(3), waiting == null ? "" : waiting);
    }

    /** What makes the tables. */
    static String schema() {
        try (InputStream schema = resource("schema.sql")) {
            return new String(schema.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The columns of a table's primary key, in its order; none where it has no key. */
    static List<String> primaryKey(String table) {
        Matcher key = Pattern.compile("create table " + Pattern.quote(table.replace("{schema}.", ""))
                        + " \\(.*primary key \\(([^)]*)\\)")
                .matcher(schema());
        return key.find() ? List.of(key.group(1).replace("\"", "").split(", ")) : List.of();
    }

    private static InputStream resource(String name) {
        return Corpus.class.getResourceAsStream(name);
    }

    /** The first word of a statement, in lower case. */
    static String verb(String sql) {
        return sql.strip().split("\\W", 2)[0].toLowerCase(Locale.ROOT);
    }
}
