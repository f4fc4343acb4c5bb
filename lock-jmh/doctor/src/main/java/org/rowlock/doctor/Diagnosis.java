package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import com.google.gson.GsonBuilder;
import java.util.List;

/**
 * What the doctor found. Immutable.
 *
 * @param kind the answer in a word
 * @param verdict the answer in a sentence or two
 * @param advice what to do, in this order; empty where nothing should change
 * @param seen the figures behind it
 */
public record Diagnosis(Kind kind, String verdict, List<Advice> advice, Seen seen) {
    private static final int WIDTH = 100;

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
        double share = seen.rowWaitShare().orElse(1.0);
        if (seen.rowWaits() >= HURT_SESSIONS && share >= HURT_SHARE) {
            return Kind.HURT;
        }
        if (seen.rowWaits() >= FELT_SESSIONS && share >= FELT_SHARE) {
            return Kind.FELT;
        }
        double transactions = seen.perSecond("transactions");
        boolean isIdle = seen.busySessions() < IDLE_SESSIONS
                && (transactions < IDLE_PER_SECOND || transactions * seen.seconds() < IDLE_TRANSACTIONS);
        return seen.hidden() == 0 && isIdle ? Kind.IDLE : Kind.HEALTHY;
    }

    private static String verdict(Kind kind, List<Advice> advice, Seen seen) {
        String waits = seen.rowWaitShare().isPresent()
                ? "of " + Figures.sessions(seen.busySessions()) + " busy sessions " + Figures.sessions(seen.rowWaits())
                        + " wait for a row ("
                        + Figures.percent(seen.rowWaitShare().get()) + ")"
                : Figures.sessions(seen.rowWaits()) + " sessions wait for a row";
        String first = advice.isEmpty() ? "" : " But see " + advice.get(0).subject() + ", below.";
        return switch (kind) {
            case HURT -> "Row locks hurt this server: " + waits + ".";
            case FELT -> "Row locks are felt, but are not what holds this server up: " + waits + ".";
            case OTHER -> "Few wait for row locks: " + waits + "." + first;
            case HEALTHY -> "Row locks do not hurt this server, and nothing should change: " + waits + ".";
            case IDLE ->
                "This server is all but idle, which says nothing about its busy hours: " + waits + "."
                        + (advice.isEmpty() ? " Look again in one." : first);
            case STANDBY -> "This is a standby, where nobody can lock a row: run the doctor on the primary." + first;
        };
    }

    /** One screen for a terminal, 100 columns wide. */
    public String text() {
        return text(WIDTH, false);
    }

    /**
     * For a terminal.
     *
     * @param width of the lines, in columns
     * @param details whether to go beyond one screen
     */
    public String text(int width, boolean details) {
        return new Screen(this, width).text(details);
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
