package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.List;
import org.rowlock.doctor.Verdict.Kind;

/**
 * What was seen, judged. Needs no server.
 *
 * @param verdict the answer
 * @param sections what it rests on
 * @param recommendations what to do, in this order
 * @param unseen what the answer leaves out
 */
record Judgement(Verdict verdict, List<Section> sections, List<Advice> recommendations, List<Unseen> unseen) {

    static Judgement of(Examination seen) {
        Verdict verdict = WaitVerdict.of(seen);
        return new Judgement(verdict, sections(seen), recommendations(seen, verdict), seen.unseen());
    }

    private static List<Section> sections(Examination seen) {
        List<Section> sections = new ArrayList<>();
        sections.add(WaitFindings.events(seen));
        if (!seen.server().inRecovery()) {
            sections.add(WaitFindings.tables(seen));
            seen.statements().ifPresent(statements -> sections.add(StatementFindings.locking(statements)));
            sections.add(StatementFindings.updates(seen));
        }
        seen.audit().ifPresent(audit -> sections.add(AuditFindings.of(audit)));
        sections.add(ServerFindings.counters(seen));
        sections.add(ServerFindings.horizon(seen));
        sections.add(ServerFindings.room(seen));
        return List.copyOf(sections);
    }

    private static List<Advice> recommendations(Examination seen, Verdict verdict) {
        if (verdict.kind() == Kind.STANDBY) {
            return standby(seen);
        }
        List<Advice> advice = new ArrayList<>(ServerAdvice.horizon(seen));
        Samples samples = seen.samples();
        samples.tables().stream()
                .filter(table -> WaitVerdict.matters(seen, table))
                .forEach(table -> advice.addAll(TableAdvice.of(samples, table)));
        if (verdict.kind() != Kind.NONE) {
            advice.addAll(elsewhere(samples));
        }
        seen.audit().ifPresent(audit -> advice.addAll(AuditFindings.advice(audit)));
        advice.addAll(ServerAdvice.multixacts(seen));
        advice.addAll(ServerAdvice.deadlocks(seen));
        advice.addAll(ServerAdvice.vacuum(seen));

        if (verdict.kind() == Kind.NONE) {
            advice.add(0, leaveAlone(samples));
        }
        advice.addAll(ServerAdvice.lockTable(seen));
        if (verdict.kind() != Kind.NONE) {
            advice.addAll(measure(advice));
        }
        return List.copyOf(advice);
    }

    /** For waits at tables that have no name here. */
    private static List<Advice> elsewhere(Samples samples) {
        return samples.otherDatabases().stream()
                .filter(database -> samples.rowWaitsIn(database) >= Thresholds.TABLE_SHARE * samples.rowWaits())
                .map(
                        database -> new Advice(
                                "database " + database,
                                "Run the doctor there: the same server, with " + database + " in --url.",
                                Figures.sessions(samples.rowWaitsIn(database)) + " of the "
                                        + Figures.sessions(samples.rowWaits())
                                        + " sessions that wait for a row do so there, and only there do its tables have names."))
                .toList();
    }

    private static List<Advice> standby(Examination seen) {
        List<Advice> advice = new ArrayList<>();
        advice.add(
                new Advice("row locks", "Run the doctor on the primary.", "Rows are locked there, and nowhere else."));
        if (seen.server().isOn("hot_standby_feedback")) {
            // Without feedback a query here holds back nobody.
            advice.addAll(ServerAdvice.horizon(seen));
        }
        return List.copyOf(advice);
    }

    private static Advice leaveAlone(Samples samples) {
        if (WaitVerdict.isIdle(samples)) {
            return new Advice(
                    "row locks",
                    "Look again when the server is busy.",
                    Figures.sessions(samples.busySessions())
                            + " sessions on average had a statement running, which is too" + " few to judge by.");
        }
        return new Advice(
                "row locks",
                "Change nothing.",
                Figures.sessions(samples.rowWaits()) + " sessions on average waited for a row"
                        + samples.rowWaitShare()
                                .map(share -> ", " + Figures.percent(share) + " of the busy time")
                                .orElse("")
                        + ". Where nobody waits, an advisory lock in front is a cost and no gain.");
    }

    /** How to try out on one's own server what is recommended, if it is a matter of locks. */
    private static List<Advice> measure(List<Advice> advice) {
        List<String> scenarios = advice.stream()
                .flatMap(each -> each.scenarios().stream())
                .distinct()
                .toList();
        return scenarios.isEmpty()
                ? List.of()
                : List.of(new Advice(
                        "before a migration",
                        "Measure on a server like this one: compare --url ... --scenario "
                                + String.join(",", scenarios),
                        "The ratios above were measured on 2 cores with a local PostgreSQL 18; yours depend on the round"
                                + " trip, the disk's fsync and the number of application instances."));
    }
}
