package org.rowlock.jdbc.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.jdbc.corpus.Corpus.Entry;
import org.rowlock.jdbc.corpus.Corpus.Lock;
import org.rowlock.testing.TestDatabase;

/** The server itself says which row each statement of the corpus locks: the one that the corpus says, and no other. */
class CorpusOnServerTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(Corpus.schema());

    @Test
    void eachStatementLocksTheRowThatTheCorpusNames() throws Exception {
        SoftAssertions all = new SoftAssertions();
        try (Connection program = TestDatabase.begin(database.dataSource());
                Connection other = TestDatabase.begin(database.dataSource())) {
            for (Entry template : Corpus.entries()) {
                Entry entry = template.in(database.schema());
                try (PreparedStatement statement = entry.prepare(program)) {
                    statement.execute();
                    if (entry.expected() instanceof Lock lock) {
                        check(
                                all,
                                entry,
                                lock,
                                LockedRows.of(other, lock.table(), lock.key().keySet()));
                    }
                } catch (Exception e) {
                    all.fail(entry + " failed: " + e.getMessage());
                } finally {
                    program.rollback();
                    other.rollback();
                }
            }
        }
        all.assertAll();
    }

    private static void check(SoftAssertions all, Entry entry, Lock lock, Map<List<String>, String> locked) {
        all.assertThat(locked.keySet())
                .as("rows that are locked by %s", entry)
                .containsExactly(lock.values(entry.parameters()));
        // An update of a key is stronger than its text says.
        String mode = locked.values().stream().findFirst().orElse("");
        if (!(Corpus.verb(entry.sql()).equals("update") && mode.equals("FOR_UPDATE"))) {
            all.assertThat(mode).as("mode of %s", entry).isEqualTo(lock.mode());
        }
    }

    @Test
    void theCorpusIsLargeAndOfManyPrograms() {
        List<Entry> entries = Corpus.entries();

        assertThat(entries).hasSizeGreaterThanOrEqualTo(150);
        assertThat(entries)
                .filteredOn(entry -> entry.expected() instanceof Lock)
                .hasSizeGreaterThanOrEqualTo(100);
        assertThat(entries.stream()
                        .map(entry -> entry.source().split("[:,]")[0])
                        .distinct())
                .hasSizeGreaterThanOrEqualTo(15);
        assertThat(entries).extracting(Entry::sql).doesNotHaveDuplicates();
    }
}
