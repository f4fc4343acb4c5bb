package org.rowlock.jdbc.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.corpus.Corpus.Entry;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;
import org.rowlock.jdbc.internal.statement.StatementShape;
import org.rowlock.jdbc.internal.statement.StatementShape.Literal;
import org.rowlock.jdbc.internal.statement.StatementShape.Parameter;
import org.rowlock.jdbc.internal.statement.StatementShape.Value;
import org.rowlock.testing.TestDatabase;

/**
 * Statements that are nearly those of the corpus. {@code -Drowlock.test.seed=} and {@code -Drowlock.test.tries=} look
 * for more; without them they are always the same.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("rowlock.test.seed", 14);
    private static final int TRIES = Integer.getInteger("rowlock.test.tries", 600);

    @RegisterExtension
    final TestDatabase database = new TestDatabase(Corpus.schema());

    private List<Entry> entries() {
        return Corpus.entries().stream()
                .map(entry -> entry.in(database.schema()))
                .toList();
    }

    @Test
    void nothingIsTooStrangeToBeRead() {
        Mutations mutations = new Mutations(SEED, entries());
        for (int i = 0; i < 50 * TRIES; i++) {
            String sql = mutations.next().sql();
            assertThat(StatementRecogniser.recognise(sql)).as(sql).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXTENDED", "SIMPLE"})
    void theServerAnswersTheSameWithAndWithout(PreferQueryMode queryMode) throws Exception {
        SoftAssertions all = new SoftAssertions();
        Mutations mutations = new Mutations(SEED, entries());
        PGSimpleDataSource dataSource = database.dataSource();
        dataSource.setPreferQueryMode(queryMode);
        try (RowlockDataSource queue = RowlockDataSource.wrap(dataSource);
                Connection plain = TestDatabase.begin(dataSource);
                Connection wrapped = TestDatabase.begin(queue)) {
            for (int i = 0; i < TRIES; i++) {
                Entry mutated = mutations.next();
                all.assertThat(answer(wrapped, mutated)).as(mutated.sql()).isEqualTo(answer(plain, mutated));
            }
        }
        all.assertAll();
    }

    /** How many rows, or the SQLSTATE. */
    private static String answer(Connection connection, Entry entry) throws SQLException {
        try (PreparedStatement statement = prepare(connection, entry)) {
            StringBuilder answer = new StringBuilder();
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() >= 0) {
                int count = statement.getUpdateCount();
                if (rows) {
                    count = 0;
                    while (statement.getResultSet().next()) {
                        count++;
                    }
                }
                answer.append(rows ? "rows " : "count ").append(count).append(' ');
                rows = statement.getMoreResults();
            }
            return answer.toString();
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        } finally {
            connection.rollback();
        }
    }

    @Test
    void aKeyThatIsSeenIsTheRowThatIsLocked() throws Exception {
        SoftAssertions all = new SoftAssertions();
        Mutations mutations = new Mutations(SEED, entries());
        int locking = 0;
        try (Connection program = TestDatabase.begin(database.dataSource());
                Connection other = TestDatabase.begin(database.dataSource())) {
            for (int i = 0; i < 2 * TRIES; i++) {
                Entry mutated = mutations.next();
                StatementShape seen = StatementRecogniser.recognise(mutated.sql());
                List<String> columns = Corpus.primaryKey(seen.table().replace(database.schema() + ".", ""));
                List<Value> key = seen.key(columns);
                if (key == null) {
                    continue;
                }
                try (PreparedStatement statement = prepare(program, mutated)) {
                    statement.execute();
                    Map<List<String>, String> locked = LockedRows.of(other, seen.table(), columns);
                    locking += locked.size();
                    if (!locked.isEmpty()) {
                        all.assertThat(locked.keySet()).as(mutated.sql()).containsExactly(values(key, mutated));
                    }
                } catch (SQLException e) {
                    // As the server has it.
                } finally {
                    program.rollback();
                    other.rollback();
                }
            }
        }
        all.assertAll();
        assertThat(locking).as("statements that locked a row").isGreaterThan(TRIES / 20);
    }

    private static List<String> values(List<Value> key, Entry entry) {
        return key.stream()
                .map(value -> value instanceof Parameter parameter
                        ? entry.parameters().get(parameter.index() - 1)
                        : ((Literal) value).text())
                .toList();
    }

    /** As many parameters as the mutated text has. */
    private static PreparedStatement prepare(Connection connection, Entry entry) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(entry.sql());
        for (int i = 1; i <= entry.parameters().size(); i++) {
            try {
                statement.setObject(i, entry.parameters().get(i - 1), Types.OTHER);
            } catch (SQLException e) {
                break; // The text has lost some of its parameters.
            }
        }
        return statement;
    }
}
