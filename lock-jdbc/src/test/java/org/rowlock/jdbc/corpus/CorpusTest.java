package org.rowlock.jdbc.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.jdbc.corpus.Corpus.Entry;
import org.rowlock.jdbc.corpus.Corpus.Lock;
import org.rowlock.jdbc.corpus.Corpus.Pass;
import org.rowlock.jdbc.internal.observe.Figure;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;

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

        StatementShape seen = StatementRecogniser.recognise(entry.sql());
        if (!expected.waiting().isEmpty()) {
            assertThat(seen).isEqualTo(StatementShape.OTHER);
            return;
        }
        assertThat(seen.table()).isEqualTo(expected.table());
        assertThat(seen.mode().name()).isEqualTo(expected.mode());
        List<Value> key = seen.key(List.copyOf(expected.key().keySet()));
        assertThat(key).isNotNull();
        assertThat(key.stream().map(CorpusTest::text))
                .containsExactlyElementsOf(expected.key().values());
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
        assertThat(seen.key(Corpus.primaryKey(seen.table().replace("public.", ""))))
                .isNull();
        assertThat(expected.reason()).isEqualTo((seen.isRecognised() ? Figure.NO_KEY : Figure.OTHER_FORM).name());
    }

    private static String text(Value value) {
        return value instanceof Parameter parameter ? "?" + parameter.index() : "'" + ((Literal) value).text() + "'";
    }
}
