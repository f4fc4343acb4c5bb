package org.springframework.samples;

import org.rowlock.spring.RowLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application whose package has the prefix of Spring's own packages. */
public class Clinic {
    private final JdbcTemplate jdbc;

    public Clinic(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    public int locks(@RowLock("account") int id) {
        Integer locks = jdbc.queryForObject(
                "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
                Integer.class);
        return locks == null ? -1 : locks;
    }
}
