package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Wait.Doing;
import org.rowlock.tool.HotStatement;

/**
 * The findings of the doctor. Immutable.
 *
 * @param verdict the verdict in one or two sentences
 * @param advice the recommended changes, the most important first; empty if there are none
 */
public record Diagnosis(Kind kind, String verdict, List<Advice> advice, Seen seen) {
    public enum Kind {
        /** Row locks cost so much that a remedy would have a measurable effect. */
        HURT,
        /** Row locks cost something, but they do not limit the server. */
        FELT,
        /** Few sessions wait for rows, but there is other advice. */
        OTHER,
        /** Locks do not hurt the server, and there is no advice. */
        HEALTHY,
        /** The server does too little work for a verdict. */
        IDLE,
        /** The server is a standby, where there are no row locks. */
        STANDBY
    }

    static Diagnosis of(Seen seen) {
        Kind kind = kind(seen);
        List<Advice> advice = Rules.advice(seen, kind);
        Kind told = kind == Kind.HEALTHY && !advice.isEmpty() ? Kind.OTHER : kind;
        return new Diagnosis(told, verdict(told, advice, seen), advice, seen);
    }

    private static Kind kind(Seen seen) {
        if (seen.server().standby()) {
            return Kind.STANDBY;
        }
        // If the role cannot see which sessions are busy, the number of waiting sessions alone decides.
        double share = seen.rowWaitsOfBusy().orElse(1.0);
        if (seen.rowWaits() >= HURT_SESSIONS && share >= HURT_SHARE) {
            return Kind.HURT;
        }
        if (seen.rowWaits() >= FELT_SESSIONS && share >= FELT_SHARE) {
            return Kind.FELT;
        }
        double transactions = seen.perSecond("transactions");
        boolean isIdle = seen.busySessions() < IDLE_SESSIONS
                && (transactions < IDLE_PER_SECOND || transactions * seen.seconds() < IDLE_TRANSACTIONS);
        return !seen.isHidden() && isIdle ? Kind.IDLE : Kind.HEALTHY;
    }

    private static String verdict(Kind kind, List<Advice> advice, Seen seen) {
        double share = seen.rowWaitsOfBusy().orElse(0.0);
        String waits = Figures.fill(
                seen.isHidden()
                        ? "{rowWaits} sessions wait for a row"
                        : "of {busySessions} busy sessions {rowWaits} wait for a row ({waitingShare})",
                seen,
                Map.of("waitingShare", share));
        String form = kind == Kind.IDLE && advice.isEmpty() ? "IDLE-ALONE" : kind.name();
        String first = advice.isEmpty() ? "" : " But see " + advice.get(0).subject() + ", below.";
        return Figures.words("verdict." + form, Map.of("waits", waits, "first", first), seen.server());
    }

    /**
     * Formats the diagnosis for a terminal.
     *
     * @param details whether to print all details, even if the text is then longer than one screen
     */
    public String text(int width, boolean details) {
        return new Screen(this, width, details).text();
    }

    /** Formats the diagnosis as a JSON object, for programs and for a later {@code --compare}. */
    public String json() {
        Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
        JsonObject all = gson.toJsonTree(this).getAsJsonObject();
        all.add("figures", gson.toJsonTree(figures()));
        all.add("forecast", gson.toJsonTree(forecast()));
        all.add("hotStatement", gson.toJsonTree(hotStatement()));
        return gson.toJson(all);
    }

    /**
     * Formats the diagnosis as an HTML page without scripts. If an earlier diagnosis is given, the page also shows the
     * earlier figures.
     */
    String html(@Nullable Before before) {
        return new Page(this, before).text();
    }

    @Nullable
    Forecast forecast() {
        if (seen.tables().isEmpty()) {
            return null;
        }
        Table table = seen.tables().get(0);
        double updates = updates(table.name());
        // A program may lock many more rows than it updates.
        boolean isOfWrites = table.share(Table.Of.CAUSE, StatementKind.WRITE) >= MOST;
        double most = Math.max(locks(table.name()), isOfWrites ? updates : 0);
        return Forecast.of(table, most > 0 ? most : Double.POSITIVE_INFINITY);
    }

    /**
     * Returns the statement that the benchmarks can measure. Returns null if no session waited for a row of a known
     * table, or if the role sees no statement.
     */
    private @Nullable HotStatement hotStatement() {
        Forecast forecast = forecast();
        Table table = seen.tables().stream().findFirst().orElse(null);
        if (table == null) {
            return null;
        }
        String statement = table.shares(Table.Of.STATEMENT).keySet().stream()
                .map(String::valueOf)
                .filter(each -> StatementKind.clause(each).isPresent())
                .findFirst()
                .orElse(table.most(Table.Of.STATEMENT));
        if (statement == null) {
            return null;
        }
        double locks = locks(table.name());
        double perSecond = locks > 0 ? locks : updates(table.name());
        return new HotStatement(
                statement,
                table.name(),
                StatementKind.mode(statement).map(Enum::name).orElse(null),
                forecast == null || !(perSecond > 0)
                        ? null
                        : Math.min(100, 100 * table.busyShare() * forecast.perSecond() / perSecond),
                forecast == null
                        ? 0
                        : (1 - table.share(Table.Of.HOLDER, Doing.NONE_YET)) * 1_000 / forecast.perSecond(),
                (int) Math.round(table.waiting()) + 1);
    }

    /** Returns how many statements with a locking clause lock rows of the table per second. */
    private double locks(String table) {
        return seen.locking().stream()
                        .filter(each -> each.locks(table)
                                && StatementKind.clause(each.query()).isPresent())
                        .mapToLong(LockingStatement::calls)
                        .sum()
                / seen.seconds();
    }

    /** Returns how many rows of the table are updated or deleted per second. */
    private double updates(String table) {
        return seen.used().stream()
                        .filter(each -> each.table().equals(table))
                        .mapToLong(Seen.TableUse::updates)
                        .sum()
                / seen.seconds();
    }

    /** Returns the figures that a later {@code --compare} uses, by name. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        Forecast forecast = forecast();
        if (forecast != null) {
            double turn = 1_000 / forecast.perSecond();
            figures.put("hottestPerSecond", forecast.perSecond());
            figures.put("turnMillis", turn);
            figures.put("waitMillis", turn * (seen.tables().get(0).contenders() - 1));
        }
        figures.put("waiting", seen.rowWaits());
        seen.rowWaitsOfBusy().ifPresent(share -> figures.put("waitingShare", share));
        if (!seen.perSecond().isEmpty()) {
            figures.put("transactions", seen.perSecond("transactions"));
            figures.put("rollbacks", seen.perSecond("rollbacks"));
            figures.put("deadlocks", seen.perSecond("deadlocks") * 60);
            figures.put("wal_bytes", seen.perSecond("wal_bytes"));
        }
        return figures;
    }
}
