package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import com.google.gson.GsonBuilder;
import java.util.List;
import java.util.Map;

/**
 * What the doctor found. Immutable.
 *
 * @param kind the answer in a word
 * @param verdict the answer in a sentence or two
 * @param advice what to do, in this order; empty where nothing should change
 * @param seen the figures behind it
 */
public record Diagnosis(Kind kind, String verdict, List<Advice> advice, Seen seen) {
    /** Whether row locks hurt the server. */
    public enum Kind {
        /** They cost so much that changing them shows. */
        HURT,
        /** They can be seen, but are not what holds the server up. */
        FELT,
        /** Few wait for rows, but something else is to be done. */
        OTHER,
        /** Nothing should change. */
        HEALTHY,
        /** Too little goes on to judge by. */
        IDLE,
        /** A standby, where there are no row locks. */
        STANDBY
    }

    static Diagnosis of(Seen seen) {
        Kind kind = kind(seen);
        List<Advice> advice = Rules.advice(seen, kind);
        Kind told = kind == Kind.HEALTHY && !advice.isEmpty() ? Kind.OTHER : kind;
        return new Diagnosis(told, verdict(told, advice, seen), advice, seen);
    }

    /** The answer in a word, before any advice. */
    private static Kind kind(Seen seen) {
        if (seen.server().standby()) {
            return Kind.STANDBY;
        }
        // Where busy sessions cannot be counted, the number of waiters must do.
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
        return Figures.words("verdict." + form, Map.of("waits", waits, "first", first));
    }

    /**
     * For a terminal.
     *
     * @param width of the lines, in columns
     * @param details whether to go beyond one screen
     */
    public String text(int width, boolean details) {
        return new Screen(this, width, details).text();
    }

    /** For programs: this, as an object. */
    public String json() {
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(this);
    }
}
