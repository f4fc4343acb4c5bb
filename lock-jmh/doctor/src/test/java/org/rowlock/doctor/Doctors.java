package org.rowlock.doctor;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.rowlock.testing.TestPostgres;

/** Short examinations of servers of the tests. */
final class Doctors {
    /** Some samples. */
    static final Duration A_MOMENT = Duration.ofMillis(300);

    private Doctors() {}

    static Diagnosis examine(TestPostgres server) {
        return Doctor.examine(new ServerAddress(server.url(), server.user(), server.password()), A_MOMENT);
    }

    static Diagnosis examineAs(String role, TestPostgres server) {
        return Doctor.examine(new ServerAddress(server.url(), role, role), A_MOMENT);
    }

    static TableWaits table(Diagnosis report, String name) {
        return report.seen().samples().tables().stream()
                .filter(table -> table.table().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No waits at " + name + " in\n" + report.text()));
    }

    /** What is recommended for a table or another subject. */
    static List<String> advice(Diagnosis report, String subject) {
        return report.diagnosis().recommendations().stream()
                .filter(recommendation -> recommendation.subject().equals(subject))
                .map(Advice::action)
                .toList();
    }

    static String unseen(Diagnosis report) {
        return report.diagnosis().unseen().stream()
                .map(unseen -> unseen.what() + ": " + unseen.why() + " " + unseen.remedy())
                .collect(Collectors.joining("\n"));
    }
}
