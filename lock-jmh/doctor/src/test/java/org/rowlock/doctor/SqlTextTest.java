package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rowlock.RowLockMode;
import org.rowlock.tool.ServerAddress;
import org.rowlock.tool.ServerFailures;
import org.rowlock.tool.UserError;

/** Checks how the texts of statements and servers are classified. */
class SqlTextTest {
    private static final ServerAddress SERVER = new ServerAddress("jdbc:postgresql://db:5432/app", "me", null);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "select 1 from t2 where a = 'it''s -- me' for update; | select ? from t2 where a = ? for update",
                "select * from t where id in (1, 2, 3) | select * from t where id in (...)",
                "select * from t where id in ($1, $2) | select * from t where id in (...)",
                "/* trace 4711 */ select \"col 1\", x1 -- why | select \"col 1\", x1",
                "select 1.5, $1, 'cut off | select ?, $1, ?",
                "select $$it's me$$ for update | select ? for update",
                "select $tag$me $$ $other$ me$tag$ for update | select ? for update",
                "select $tag$me $ta | select ?",
                "select $ta | select ?",
                "select $1$$me$$, a$b$c, $2 | select $1?, a$b$c, $2",
                "select E'it\\'s me', e'\\\\', a for update | select ?, ?, a for update",
                "set local app.tenant = me, me; SET app.user to me;set \"a\"='me'"
                        + " | set local app.tenant = ?; SET app.user to ?;set \"a\"=?",
                "update t set a = b | update t set a = b",
                "set transaction read only | set transaction read only",
                "select n'me', B'101', x'1F', U&'m\\0065', name'me' | select ?, ?, ?, ?, name?",
                "select 'C:\\' or 'me\\' | select ?",
                "select 'C:\\\\', a | select ?, a",
                "/* a /* b */ me */ select a /* me /* me */ | select a",
                "select 1e5, 1.5E-3, .5, 1., 0xFF, 0o17, 0b11, 1_000 | select ?, ?, ?, ?, ?, ?, ?, ?",
                "select a-1, a - -1, -1.5e3 + -0xF, (-1), a[1:2] | select a-?, a - ?, ? + ?, (?), a[?:?]",
                "select \"it's 1\"\"e\", U&\"d\\00612\", \"cut 1' | select \"it's 1\"\"e\", U&\"d\\00612\", \"cut 1'",
                "select f1(t1.c2), \u00e92, \u4e8c3 from \u00e91 where id=42and 0xFFand | select f1(t1.c2), \u00e92, \u4e8c3 from \u00e91 where id=?and ?nd",
            })
    void valuesAndCommentsAreLeftOut(String sql, String normalized) {
        assertThat(SqlText.normalize(sql)).isEqualTo(normalized);
    }

    @Test
    void aCommentEndsWithItsLine() {
        assertThat(SqlText.normalize("select a -- it's me\r, b -- me\n, c -- me"))
                .isEqualTo("select a , b , c");
    }

    @Test
    void theLengthOfAStatementDoesNotMatter() {
        String many = "$1, ".repeat(100_000);
        assertThat(SqlText.normalize("select * from t where id in (" + many + "$2)"))
                .isEqualTo("select * from t where id in (...)");
        assertThat(SqlText.normalize("select '" + "it''s me \n".repeat(100_000) + "' for update"))
                .isEqualTo("select ? for update");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "select * from t where id = ? for update | LOCKING",
                "SELECT * FROM t FOR NO  KEY UPDATE OF t NOWAIT | LOCKING",
                "with x as (select ?) select * from x, t for key share | LOCKING",
                "(select * from t for share) | LOCKING",
                "update t set a = ? where id in (select id from t for update skip locked) | WRITE",
                "with d as (delete from t returning *) select * from d | WRITE",
                "delete from t | WRITE",
                "merge into t using s on true when matched then delete | WRITE",
                "insert into t values (?) on conflict do nothing | INSERT",
                "copy t (a, b) from stdin | INSERT",
                "COPY (select * from t for update) to stdout | LOCKING",
                "copy(update t set a = ? returning a) to stdout | WRITE",
                "select book(?) | CALL",
                "call book(?) | CALL",
                "fetch next from c | CALL",
            })
    void theKindIsWhatLocks(String sql, StatementKind kind) {
        assertThat(StatementKind.of(sql)).isEqualTo(kind);
    }

    @Test
    void theModeIsThatOfTheClause() {
        assertThat(StatementKind.clause("select 1 for no\nkey update")).contains(RowLockMode.FOR_NO_KEY_UPDATE);
        assertThat(StatementKind.clause("select 1 for key share of x")).contains(RowLockMode.FOR_KEY_SHARE);
        assertThat(StatementKind.clause("select substring(a for share_count)")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu) | CockroachDB",
                "PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu | YugabyteDB",
                "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC, Redshift 1.0.38698 | Redshift",
                "SomethingElse 1.0 | no PostgreSQL",
                "PostgreSQL 13.22 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit | 14 is the oldest",
            })
    void whatOnlySpeaksTheProtocolIsRefused(String version, String named) {
        assertThatThrownBy(() -> ServerFailures.refuseOthers(SERVER, version, 13))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(named);
    }

    @Test
    void postgresIsNotRefused() {
        ServerFailures.refuseOthers(SERVER, "PostgreSQL 18.6 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", 18);
    }
}
