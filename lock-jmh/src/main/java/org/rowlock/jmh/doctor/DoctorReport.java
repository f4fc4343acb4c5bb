package org.rowlock.jmh.doctor;

/** What the doctor found. Immutable. */
public final class DoctorReport {
    private final Examination seen;
    private final Diagnosis diagnosis;

    DoctorReport(Examination seen) {
        this.seen = seen;
        this.diagnosis = Diagnosis.of(seen);
    }

    Examination seen() {
        return seen;
    }

    Diagnosis diagnosis() {
        return diagnosis;
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
