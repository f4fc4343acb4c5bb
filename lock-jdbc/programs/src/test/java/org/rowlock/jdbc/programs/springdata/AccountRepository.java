package org.rowlock.jdbc.programs.springdata;

import jakarta.persistence.LockModeType;
import jakarta.persistence.QueryHint;
import java.util.List;
import java.util.Optional;
import org.rowlock.jdbc.programs.entity.Entities.Account;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.QueryHints;

public interface AccountRepository extends JpaRepository<Account, Long> {
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select a from Account a where a.id = :id")
    Optional<Account> findForUpdate(long id);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Account findLockedById(long id);

    @Lock(LockModeType.PESSIMISTIC_READ)
    Account findSharedById(long id);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @QueryHints(@QueryHint(name = "jakarta.persistence.lock.timeout", value = "0"))
    Account findAtOnceById(long id);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @QueryHints(@QueryHint(name = "jakarta.persistence.lock.timeout", value = "-2"))
    List<Account> findTop2ByBalanceGreaterThanOrderById(long balance);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Account findFirstByBranchNameOrderById(String name);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    List<Account> findAllByIdInOrderById(List<Long> ids);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Account findByIdAndBalanceGreaterThanEqual(long id, long balance);

    @Query(value = "select * from account where id = :id for no key update", nativeQuery = true)
    Account findNative(long id);

    @Modifying
    @Query("update Account a set a.balance = a.balance + :delta where a.id = :id")
    int add(long id, long delta);

    @Modifying
    @Query(value = "UPDATE account SET balance = balance - ?2 WHERE id = ?1 AND balance >= ?2", nativeQuery = true)
    int take(long id, long amount);

    int deleteByBalance(long balance);
}
