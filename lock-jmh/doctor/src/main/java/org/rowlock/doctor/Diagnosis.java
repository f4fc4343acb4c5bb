package org.rowlock.doctor;

import java.util.List;

/** What the doctor found. Immutable. */
public final class Diagnosis {
    private final Examination seen;
    private final Judgement diagnosis;

    Diagnosis(Examination seen) {
        this.seen = seen;
        this.diagnosis = Judgement.of(seen);
    }

    Examination seen() {
        return seen;
    }

    Judgement diagnosis() {
        return diagnosis;
    }

    /** Whether row locks hurt the server, in a sentence or two. */
    public String verdict() {
        return diagnosis.verdict().text();
    }

    /** What to do, in this order. */
    public List<Advice> advice() {
        return diagnosis.recommendations();
    }

    /** For a terminal, at most 100 columns wide. */
    public String text() {
        return TextReport.of(seen, diagnosis);
    }

    /** For programs: an object with the diagnosis and the figures. */
    public String json() {
        return JsonReport.of(seen, diagnosis);
    }
}
