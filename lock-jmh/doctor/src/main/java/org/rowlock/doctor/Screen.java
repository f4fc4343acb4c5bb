package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.internal.text.Docs;

/** A diagnosis for a terminal: one screen, and more of everything on request. */
final class Screen {
    /** Narrower is not readable. */
    private static final int LEAST_WIDTH = 60;

    /** On one screen. */
    private static final int FEW = 3;

    private static final int MOST = 8;
    private static final String INDENT = "    ";

    private final Diagnosis diagnosis;
    private final Seen seen;
    private final int width;
    private final StringBuilder text = new StringBuilder();

    Screen(Diagnosis diagnosis, int width) {
        this.diagnosis = diagnosis;
        this.seen = diagnosis.seen();
        this.width = Math.max(LEAST_WIDTH, width);
    }

    String text(boolean details) {
        Seen.Server server = seen.server();
        lines("PostgreSQL " + server.version() + (server.standby() ? " (standby)" : "") + " at " + server.address()
                + " as " + server.role() + (server.pooled() ? ", behind a pooler or proxy" : "") + "; "
                + Figures.seconds(seen.seconds()) + ", " + seen.samples()
                + (seen.samples() == 1 ? " sample" : " samples") + ", round trip "
                + Figures.millis(seen.roundTripMillis()));
        lines(diagnosis.verdict());
        advice(details);
        links(details);
        tables(details);
        text.append('\n');
        lines("Per second: " + perSecond() + ". Busy: " + busy(details ? MOST : FEW) + '.');
        if (details) {
            more();
            unseen();
        } else {
            lines("Not seen: " + seen.unseen().stream().map(Unseen::what).collect(Collectors.joining(", "))
                    + ". --details has more of all this, and why.");
        }
        return text.toString();
    }

    private void advice(boolean details) {
        int number = 0;
        String last = null;
        for (Advice each : diagnosis.advice()) {
            if (++number > FEW && !details) {
                lines((diagnosis.advice().size() - FEW) + " more with --details.");
                return;
            }
            if (number == 1 || details) {
                text.append('\n');
            }
            wrap(String.format("%-4s", number + "."), INDENT, each.subject() + ": " + each.action());
            lines(INDENT + Figures.upper(each.figure()) + '.' + (details ? ' ' + each.reason() : ""));
            if (details || !Objects.equals(each.statement(), last)) {
                statement(
                        INDENT + (each.queryId() == null ? "" : "query_id " + each.queryId() + ": "),
                        each.statement(),
                        details);
            }
            last = each.statement();
        }
    }

    /** Where the docs have each advice, by its rule. */
    private void links(boolean details) {
        if (!diagnosis.advice().isEmpty()) {
            lines("Read " + Docs.URL + "measure.md#"
                    + diagnosis.advice().stream()
                            .limit(details ? Long.MAX_VALUE : FEW)
                            .map(Advice::rule)
                            .distinct()
                            .collect(Collectors.joining(", #")));
        }
    }

    private void tables(boolean details) {
        if (seen.tables().isEmpty()) {
            return;
        }
        text.append('\n');
        List<Table> shown = seen.tables().stream().limit(details ? MOST : FEW).toList();
        int longest =
                shown.stream().mapToInt(each -> each.name().length()).max().orElse(0);
        int name = Math.min(width / 3, Math.max(longest, "Waited for".length()) + 2);
        String columns = "%-" + name + '.' + (name - 1) + "s%-9s%-12s%s";
        text.append(String.format(columns, "Waited for", "Waiting", "At one row", "Meanwhile the holder is"))
                .append('\n');
        for (Table each : shown) {
            text.append(String.format(
                                    columns,
                                    each.name(),
                                    Figures.sessions(each.waiting()),
                                    Figures.sessions(each.contenders()) + " (" + each.mostContenders() + ")",
                                    fitting(shares(each.holders(), FEW, doing -> doing.title), width - name - 22))
                            .stripTrailing())
                    .append('\n');
        }
    }

    private String perSecond() {
        Map<String, Double> rates = seen.perSecond();
        if (rates.isEmpty()) {
            return "not known";
        }
        return Figures.number(seen.perSecond("transactions")) + " transactions, "
                + (rates.containsKey("wal_bytes") ? Figures.bytes(seen.perSecond("wal_bytes")) + " WAL, " : "")
                + Figures.number(seen.perSecond("xids")) + " xids, " + Figures.number(seen.perSecond("multixacts"))
                + " MultiXacts";
    }

    private String busy(int most) {
        double all = seen.busySessions();
        if (all == 0) {
            return seen.hidden() > 0 ? "not visible" : "nobody";
        }
        return seen.busy().entrySet().stream()
                .limit(most)
                .map(entry -> entry.getKey() + ' ' + Figures.percent(entry.getValue() / all))
                .collect(Collectors.joining(", "));
    }

    private void more() {
        for (Table table : seen.tables().stream().limit(MOST).toList()) {
            heading(table.name());
            lines("Wait because of: " + shares(table.causes(), MOST, cause -> cause.title) + "; want it: "
                    + (table.modes().isEmpty() ? "not known" : shares(table.modes(), MOST, Screen::title)) + '.');
            lines("Longest wait " + Figures.millis(table.longestWaitMillis()) + "; the first in line had waited "
                    + Figures.millis(table.firstWaitMillis()) + " (median).");
            if (!table.holderEvents().isEmpty()) {
                lines("Holders that are not idle: " + shares(table.holderEvents(), MOST, event -> event) + '.');
            }
            if (!table.hotRows().isEmpty()) {
                lines("Hottest rows: " + shares(table.hotRows(), MOST, key -> key) + '.');
            }
            statements(table.statements(), " wait in: ");
            statements(table.holderStatements(), " of holders, last: ");
        }
        if (seen.locking() != null) {
            heading("Statements that lock rows, while looking");
            seen.locking().stream().limit(MOST).forEach(each -> {
                lines(Figures.sessions(each.sessions()) + " sessions in it, " + Figures.count(each.calls())
                        + " calls of "
                        + Figures.millis(each.millis()) + ", " + Figures.number((double) each.rows() / each.calls())
                        + " rows and " + Figures.bytes(each.walPerCall()) + " WAL a call, "
                        + Figures.percent(each.walShare())
                        + " of the WAL");
                statement("  ", each.sql(), true);
            });
        }
        heading("Server");
        lines("Idle in transaction: "
                + (seen.hidden() > 0 ? "not visible" : Figures.sessions(seen.idleInTransaction()) + " sessions")
                + "; row waits at a table that nobody names: " + Figures.sessions(seen.unnamedRowWaits())
                + "; deadlocks: "
                + Figures.count(seen.deadlocks()) + "; lock table: "
                + Figures.count(seen.lockTable() == null ? 0 : seen.lockTable().entries()) + " of "
                + Figures.count(seen.server().lockRoom()) + " places.");
        seen.horizon().forEach(each -> lines("Vacuum horizon held by " + each.text() + '.'));
        seen.strayWriters()
                .forEach((table, writers) ->
                        writers.forEach(writer -> statement(table + " without its lock: ", writer, true)));
    }

    private void statements(Map<String, Double> shares, String role) {
        shares.entrySet().stream()
                .filter(each -> each.getValue() >= Threshold.NOISE)
                .limit(MOST)
                .forEach(each -> statement(Figures.percent(each.getValue()) + role, each.getKey(), true));
    }

    private void unseen() {
        heading("Not seen");
        for (Unseen each : seen.unseen()) {
            lines(Figures.upper(each.what()) + ": " + each.why() + ". " + each.remedy());
        }
    }

    private static String title(RowLockMode mode) {
        return mode.name().replace('_', ' ');
    }

    private static <K> String shares(Map<K, Double> shares, int most, Function<K, String> title) {
        return shares.entrySet().stream()
                .filter(entry -> entry.getValue() >= Threshold.NOISE)
                .limit(most)
                .map(entry -> title.apply(entry.getKey()) + ' ' + Figures.percent(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** As many of the parts of a list as there is room for. */
    private static String fitting(String list, int width) {
        int end = list.length() <= width ? list.length() : list.lastIndexOf(',', width);
        return end < 0 ? list : list.substring(0, end);
    }

    private void heading(String title) {
        text.append('\n').append(title).append(":\n");
    }

    /** On one line, cut where it is longer, or on as many as it takes. */
    private void statement(String indent, @Nullable String sql, boolean whole) {
        if (sql == null) {
            return;
        }
        if (whole) {
            lines(indent + Figures.statement(sql));
        } else {
            String line = indent + sql;
            text.append(line.length() <= width ? line : line.substring(0, width - 3) + "...")
                    .append('\n');
        }
    }

    private void lines(String words) {
        String indent = " ".repeat(words.length() - words.stripLeading().length());
        wrap(indent, indent, words.strip());
    }

    /** Breaks at spaces only, so that names stay whole and can be copied. */
    private void wrap(String first, String indent, String words) {
        StringBuilder line = new StringBuilder(first);
        for (String word : words.split(" ", -1)) {
            if (line.length() > indent.length()) {
                if (line.length() + 1 + word.length() > width) {
                    text.append(line).append('\n');
                    line.replace(0, line.length(), indent);
                } else {
                    line.append(' ');
                }
            }
            line.append(word);
        }
        text.append(line).append('\n');
    }
}
