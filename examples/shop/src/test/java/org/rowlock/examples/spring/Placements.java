package org.rowlock.examples.spring;

import static org.rowlock.RowLockMode.FOR_SHARE;

import java.util.List;
import org.rowlock.spring.RowLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Where {@code @RowLock} can stand. Each method tells what its transaction has locked. */
class Placements {
    private final JdbcTemplate jdbc;
    private final AccountRepository accounts;

    Placements(JdbcTemplate jdbc, AccountRepository accounts) {
        this.jdbc = jdbc;
        this.accounts = accounts;
    }

    // snippet: collection
    @Transactional
    public List<String> shipAll(@RowLock("orders") List<Long> orderIds) {
        return locked();
    }
    // end

    // snippet: meta
    @Transactional
    public List<String> pack(@LockOrder long orderId) {
        return locked();
    }
    // end

    // snippet: parts
    @Transactional
    @RowLock(
            table = "order_line",
            id = {"#orderId", "#product"})
    public List<String> change(long orderId, long product, int quantity) {
        return locked();
    }
    // end

    // snippet: projection
    record LineId(long orderId, long product) {}

    @Transactional
    @RowLock(table = "order_line", id = "#lines.![{orderId, product}]")
    public List<String> remove(List<LineId> lines) {
        return locked();
    }
    // end

    // snippet: several
    record Move(long from, long to, long amount) {}

    @Transactional
    @RowLock(table = "account", id = "#move.from")
    @RowLock(table = "account", id = "#move.to")
    public List<String> move(Move move) {
        return locked();
    }
    // end

    // snippet: shared
    @Transactional
    public List<String> quote(@RowLock(value = "orders", mode = FOR_SHARE, lockWait = "200ms") long orderId) {
        return locked();
    }
    // end

    // snippet: loaded
    @Transactional
    public long balance(@RowLock(entity = Account.class) long id) {
        return accounts.findById(id).orElseThrow().balance(); // also where a caller has loaded it before
    }
    // end

    private List<String> locked() {
        return jdbc.queryForList(
                "select mode || ' ' || case objsubid when 2 then classid::regclass || ' ' || objid else 'by hash' end"
                        + " from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"
                        // Not the session's by which an instance announces its strategies: those name no table first.
                        + " and (objsubid = 1 or exists (select from pg_class where oid = classid)) order by 1",
                String.class);
    }
}
