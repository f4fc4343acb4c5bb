package org.rowlock.jdbc.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.jdbc.corpus.Corpus.Entry;
import org.rowlock.jdbc.corpus.Corpus.Lock;
import org.rowlock.jdbc.corpus.Corpus.Pass;
import org.rowlock.jdbc.internal.statement.PassReason;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.PassedThrough;
import org.rowlock.jdbc.internal.statement.StatementShape.Recognised;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;
import org.rowlock.jdbc.internal.statement.StatementShape.Waiting;

/** In each statement of the corpus is seen what is to be seen in it. */
class CorpusTest {
    static List<Entry> locking() {
        return Corpus.entries().stream()
                .filter(entry -> entry.expected() instanceof Lock)
                .map(entry -> entry.in("public"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("locking")
    void theKeyIsSeen(Entry entry) {
        Lock expected = (Lock) entry.expected();

        assertThat(StatementRecogniser.recognise(entry.sql())).isInstanceOfSatisfying(Recognised.class, seen -> {
            assertThat(seen.kind().name()).isEqualToIgnoringCase(Corpus.verb(entry.sql()));
            assertThat(seen.table()).isEqualTo(expected.table());
            assertThat(seen.mode().name()).isEqualTo(expected.mode());
            assertThat(seen.waiting())
                    .isEqualTo(expected.waiting().isEmpty() ? Waiting.WAIT : Waiting.valueOf(expected.waiting()));
            List<Value> key = seen.key(List.copyOf(expected.key().keySet()));
            assertThat(key).isNotNull();
            assertThat(key.stream().map(CorpusTest::text))
                    .containsExactlyElementsOf(expected.key().values());
        });
    }

    static List<Entry> passing() {
        return Corpus.entries().stream()
                .filter(entry -> entry.expected() instanceof Pass)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("passing")
    void theReasonToLeaveItAloneIsSeen(Entry entry) {
        Pass expected = (Pass) entry.expected();
        StatementShape seen = StatementRecogniser.recognise(entry.in("public").sql());

        assertThat(seen.mayLock()).isTrue();
        if (seen instanceof Recognised recognised) {
            List<String> primaryKey = Corpus.primaryKey(recognised.table().replace("public.", ""));
            assertThat(recognised.key(primaryKey)).isNull();
            assertThat(expected.reason()).isEqualTo(PassReason.NO_KEY.name());
        } else {
            assertThat(((PassedThrough) seen).reason().name()).isEqualTo(expected.reason());
        }
    }

    private static String text(Value value) {
        return value instanceof Parameter parameter ? "?" + parameter.index() : "'" + ((Literal) value).text() + "'";
    }
}
