package org.rowlock.doctor;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rowlock.doctor.Table.Of;
import org.rowlock.internal.text.Docs;

/** Formats a diagnosis for a terminal: one screen by default, and all details on request. */
final class Screen {
    private static final int LEAST_WIDTH = 60;

    private static final int FEW = 3;

    private static final int MOST = 8;
    private static final String INDENT = "    ";

    private final Diagnosis diagnosis;
    private final Seen seen;
    private final int width;
    private final boolean details;
    private final int most;
    private final StringBuilder text = new StringBuilder();

    Screen(Diagnosis diagnosis, int width, boolean details) {
        this.diagnosis = diagnosis;
        this.seen = diagnosis.seen();
        this.width = Math.max(LEAST_WIDTH, width);
        this.details = details;
        this.most = details ? MOST : FEW;
    }

    String text() {
        figures("PostgreSQL {version}" + (seen.server().standby() ? " (standby)" : "") + " at {address} as {role}"
                + "; {seconds}, {samples} samples, round trip {roundTripMillis}");
        lines(diagnosis.verdict());
        advice();
        text.append('\n');
        seen.tables().stream().limit(most).forEach(this::table);
        Forecast forecast = diagnosis.forecast();
        if (forecast != null && (details || !forecast.levers().isEmpty())) {
            lines(forecast.text());
        }
        String rates = seen.perSecond().isEmpty()
                ? "not known"
                : "{transactions} transactions, {wal_bytes} WAL, {xids} xids, {multixacts} MultiXacts";
        String busy = seen.isHidden() ? "not visible" : shares(seen.busy(), seen.busySessions(), most);
        figures("Per second: " + rates + ". Busy: {busy}.", Map.of("busy", busy.isEmpty() ? "no session" : busy));
        if (details) {
            seen.tables().stream().limit(MOST).forEach(this::more);
            more();
        } else {
            lines("Not seen: " + seen.unseen().stream().map(Unseen::what).collect(Collectors.joining(", "))
                    + ". --details shows more, and the reasons.");
        }
        return text.toString();
    }

    private void advice() {
        List<Advice> shown = diagnosis.advice().stream()
                .limit(details ? Long.MAX_VALUE : FEW)
                .toList();
        String last = null;
        for (int i = 0; i < shown.size(); i++) {
            Advice each = shown.get(i);
            text.append(i == 0 || details ? "\n" : "");
            wrap(String.format("%-4s", i + 1 + "."), INDENT, each.subject() + ": " + each.action());
            lines(INDENT + Figures.upper(each.figure()) + '.' + (details ? ' ' + each.reason() : ""));
            if (each.statement() != null && (details || !Objects.equals(each.statement(), last))) {
                statement(INDENT, each.statement());
            }
            last = each.statement();
        }
        if (shown.size() < diagnosis.advice().size()) {
            lines(diagnosis.advice().size() - shown.size() + " more with --details.");
        }
        if (!shown.isEmpty()) {
            lines("Read " + Docs.URL + "measure.md#"
                    + shown.stream().map(Advice::rule).distinct().collect(Collectors.joining(", #")));
        }
    }

    private void table(Table table) {
        String line =
                "{name}: {waiting} sessions wait, {contenders} (at most {mostContenders}) at one row; holder {doing}.";
        figures(line, Map.of("doing", shares(table.shares(Of.HOLDER), 1, FEW)), table);
    }

    private void more(Table table) {
        heading(table.name());
        figures("Longest wait {longestWaitMillis}; the first in line had waited {firstWaitMillis} (median).", table);
        table.shares()
                .forEach((of, shares) -> shares.entrySet().stream()
                        .filter(each -> each.getValue() >= Threshold.NOISE)
                        .limit(MOST)
                        .forEach(each -> statement(
                                Figures.title(of) + ' ' + Figures.percent(each.getValue()) + ": ",
                                Figures.title(each.getKey()))));
    }

    private void more() {
        if (!seen.locking().isEmpty()) {
            heading("Statements that lock rows, while sampling");
        }
        seen.locking().stream().limit(MOST).forEach(each -> {
            figures("{sessions} sessions run it; {calls} calls, {millis}, {rows} rows, {walShare} of the WAL", each);
            statement("  ", each.query());
        });
        heading("Server");
        figures("Sessions, at a time: {sessions}. Deadlocks: {deadlocks}. Lock table: {lockTableShare} of {lockRoom}.");
        seen.horizon().forEach(each -> figures("Vacuum horizon held by {text}.", each));
        seen.strayWriters()
                .forEach((table, writers) ->
                        writers.forEach(writer -> statement(table + " without its lock: ", writer)));
        heading("Not seen");
        seen.unseen().forEach(each -> lines(Figures.upper(each.what()) + ": " + each.why() + ". " + each.remedy()));
    }

    private static String shares(Map<?, Double> parts, double whole, int most) {
        return parts.entrySet().stream()
                .filter(each -> each.getValue() >= Threshold.NOISE * whole)
                .limit(most)
                .map(each -> Figures.title(each.getKey()) + ' ' + Figures.percent(each.getValue() / whole))
                .collect(Collectors.joining(", "));
    }

    private void heading(String title) {
        text.append('\n').append(title).append(":\n");
    }

    private void statement(String indent, String sql) {
        if (details) {
            lines(indent + Figures.statement(sql));
        } else {
            text.append(indent)
                    .append(Figures.statement(sql, Math.max(1, width - indent.length())))
                    .append('\n');
        }
    }

    private void figures(String template, Object... sources) {
        Object[] all = Stream.concat(Stream.of(sources), Stream.of(seen, seen.server(), seen.perSecond()))
                .toArray();
        lines(Figures.fill(template, all));
    }

    private void lines(String words) {
        String indent = " ".repeat(words.length() - words.stripLeading().length());
        wrap(indent, indent, words.strip());
    }

    /** Wraps the words at spaces only, so that a name is never split and can be copied. */
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
