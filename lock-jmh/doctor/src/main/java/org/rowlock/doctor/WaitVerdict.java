package org.rowlock.doctor;

import java.util.Optional;
import org.rowlock.doctor.Verdict.Kind;

/** Whether row locks hurt. */
final class WaitVerdict {
    private WaitVerdict() {}

    static Verdict of(Examination seen) {
        if (seen.server().inRecovery()) {
            return new Verdict(
                    Kind.STANDBY,
                    "This is a standby. Nobody can lock a row here, so row locks cannot hurt it, and nothing that is seen"
                            + " here tells whether they hurt the primary: run the doctor there. What a standby can do to"
                            + " the primary is to hold its vacuum horizon, see below.");
        }
        Kind kind = kind(seen);
        return new Verdict(kind, sentence(kind) + figures(seen) + remark(kind, seen.samples()));
    }

    static Kind kind(Examination seen) {
        Samples samples = seen.samples();
        // Where busy sessions cannot be counted, the number of waiters must do.
        double share = samples.rowWaitShare().orElse(1.0);
        double multixacts = share(samples, WaitEvents.MULTIXACT);
        if ((samples.rowWaits() >= Thresholds.HURT_SESSIONS && share >= Thresholds.HURT_SHARE)
                || multixacts >= Thresholds.HURT_SHARE) {
            return Kind.HURT;
        }
        if ((samples.rowWaits() >= Thresholds.FELT_SESSIONS && share >= Thresholds.FELT_SHARE)
                || multixacts >= Thresholds.LWLOCK_SHARE
                || multixactRate(seen) >= Thresholds.MULTIXACT_RATE) {
            return Kind.FELT;
        }
        return Kind.NONE;
    }

    /** Part of the busy time in events that begin so; 0 of nothing. */
    static double share(Samples samples, String event) {
        double busy = samples.busySessions();
        // A single session in a single sample is no measurement.
        return busy < Thresholds.FELT_SESSIONS ? 0 : samples.sessionsIn(event) / busy;
    }

    /** MultiXacts made a second, or 0 if that is not known. */
    static double multixactRate(Examination seen) {
        return seen.growth()
                .map(growth -> growth.perSecond(growth.multixacts()))
                .orElse(0.0);
    }

    /** Whether a table is one to do something about. */
    static boolean matters(Examination seen, TableWaits table) {
        Samples samples = seen.samples();
        return kind(seen) != Kind.NONE
                && samples.rowWaits(table) >= Thresholds.FELT_SESSIONS
                && samples.shareOfRowWaits(table) >= Thresholds.TABLE_SHARE;
    }

    private static String sentence(Kind kind) {
        return switch (kind) {
            case HURT -> "Row locks hurt this server: ";
            case FELT -> "Row locks are felt here, but are not what holds this server up: ";
            default -> "Row locks do not hurt this server, and nothing should change: ";
        };
    }

    private static String figures(Examination seen) {
        Samples samples = seen.samples();
        Optional<Double> share = samples.rowWaitShare();
        String waits = Figures.sessions(samples.rowWaits());
        double multixacts = share(samples, WaitEvents.MULTIXACT);
        return (share.isPresent()
                        ? "of " + Figures.sessions(samples.busySessions()) + " busy sessions on average, " + waits
                                + " waited for a row (" + Figures.percent(share.get()) + ")"
                        : waits + " sessions on average waited for a row")
                + (multixacts >= Thresholds.LWLOCK_SHARE
                        ? ", " + Figures.percent(multixacts) + " of the busy time went into MultiXacts"
                        : "")
                + (multixactRate(seen) >= Thresholds.MULTIXACT_RATE
                        ? ", and " + Figures.number(multixactRate(seen)) + " MultiXacts were made a second"
                        : "")
                + ".";
    }

    /** Whether there is too little to see for a verdict on the server's busy hours. */
    static boolean isIdle(Samples samples) {
        return samples.hiddenSessions() == 0 && samples.busySessions() < Thresholds.IDLE_SESSIONS;
    }

    private static String remark(Kind kind, Samples samples) {
        if (kind != Kind.NONE) {
            return "";
        }
        if (samples.hiddenSessions() > 0) {
            return " How many were busy is not visible to this role.";
        }
        return isIdle(samples)
                ? " But the server was all but idle, so this says nothing about its busy hours: look again in one."
                : "";
    }
}
