package org.rowlock.jdbc.internal.turn;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockFront;
import org.rowlock.LockRelease;
import org.rowlock.internal.text.TableName;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jdbc.internal.group.Groups;

/**
 * What one DataSource or URL is set to.
 *
 * @param name what it is called where it is shown
 * @param include the tables that are looked at, or none for all
 * @param exclude the tables that are left out
 * @param release when the commits of transactions that had a turn let go of their locks
 * @param front whether an advisory lock of the row goes in front of a first lock
 * @param largestGroup how many UPDATEs in autocommit may share a transaction; 1 for none
 */
public record JdbcSettings(
        String name,
        RowlockMode mode,
        List<String> include,
        List<String> exclude,
        LockRelease release,
        LockFront front,
        int largestGroup) {
    public JdbcSettings {
        if (largestGroup < 1 || largestGroup > Groups.MOST) {
            throw new IllegalArgumentException("A group cannot have " + largestGroup + " members: use 1 for none, or up"
                    + " to " + Groups.MOST + ", which the driver still sends at once");
        }
        include = normalized(include);
        exclude = normalized(exclude);
    }

    /** What is not given is as the system properties {@code rowlock.jdbc.*} have it. */
    public static JdbcSettings of(
            String name,
            @Nullable RowlockMode mode,
            @Nullable List<String> include,
            @Nullable List<String> exclude,
            @Nullable LockRelease release,
            @Nullable LockFront front,
            @Nullable Integer largestGroup) {
        return new JdbcSettings(
                name,
                mode == null ? RowlockMode.of(System.getProperty("rowlock.jdbc.mode", "queue")) : mode,
                include == null ? tables(System.getProperty("rowlock.jdbc.include", "")) : include,
                exclude == null ? tables(System.getProperty("rowlock.jdbc.exclude", "")) : exclude,
                release == null ? release(System.getProperty("rowlock.jdbc.release", "plain")) : release,
                front == null ? front(System.getProperty("rowlock.jdbc.front", "adaptive")) : front,
                largestGroup == null ? group(System.getProperty("rowlock.jdbc.group", "off")) : largestGroup);
    }

    /**
     * The release of a word, in any case.
     *
     * @throws IllegalArgumentException if there is no such release
     */
    static LockRelease release(String word) {
        return named("release", LockRelease.values(), word, "plain or early");
    }

    /** The same of what goes in front. */
    static LockFront front(String word) {
        return named("front", LockFront.values(), word, "adaptive, always or never");
    }

    private static <E extends Enum<E>> E named(String what, E[] all, String word, String which) {
        for (E each : all) {
            if (each.name().equalsIgnoreCase(word.trim())) {
                return each;
            }
        }
        throw new IllegalArgumentException("There is no " + what + " <" + word + ">; use " + which);
    }

    /**
     * The largest group of a word.
     *
     * @throws IllegalArgumentException if it is none
     */
    static int group(String word) {
        String trimmed = word.trim();
        if (trimmed.equalsIgnoreCase("off") || trimmed.equalsIgnoreCase("on")) {
            return trimmed.equalsIgnoreCase("on") ? Groups.DEFAULT : 1;
        }
        try {
            return Integer.parseInt(trimmed);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "There is no group <" + word + ">; use off, on, or how many may share a transaction", e);
        }
    }

    @Nullable
    Groups groups() {
        return largestGroup < 2 ? null : new Groups(largestGroup);
    }

    JdbcSettings with(RowlockMode other) {
        return new JdbcSettings(name, other, include, exclude, release, front, largestGroup);
    }

    JdbcSettings with(LockRelease other) {
        return new JdbcSettings(name, mode, include, exclude, other, front, largestGroup);
    }

    JdbcSettings withTables(List<String> included, List<String> excluded) {
        return new JdbcSettings(name, mode, included, excluded, release, front, largestGroup);
    }

    JdbcSettings withGroup(int largest) {
        return new JdbcSettings(name, mode, include, exclude, release, front, largest);
    }

    /** Whether statements on a table are looked at. */
    boolean covers(String table) {
        return (include.isEmpty() || matches(include, table)) && !matches(exclude, table);
    }

    /** The tables in a list with commas. */
    static List<String> tables(String list) {
        return Arrays.stream(list.split(",", -1))
                .map(String::trim)
                .filter(table -> !table.isEmpty())
                .toList();
    }

    private static List<String> normalized(List<String> tables) {
        return tables.stream().map(TableName::normalize).toList();
    }

    /** A name without a schema means that of any schema. */
    private static boolean matches(List<String> names, String table) {
        for (String name : names) {
            if (name.equals(table)
                    || (table.endsWith(name) && table.charAt(table.length() - name.length() - 1) == '.')) {
                return true;
            }
        }
        return false;
    }
}
