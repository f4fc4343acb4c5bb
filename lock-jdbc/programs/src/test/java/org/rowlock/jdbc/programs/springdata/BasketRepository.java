package org.rowlock.jdbc.programs.springdata;

import java.util.List;
import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.sql.LockMode;
import org.springframework.data.relational.repository.Lock;
import org.springframework.data.repository.CrudRepository;

public interface BasketRepository extends CrudRepository<Basket, Long> {
    @Lock(LockMode.PESSIMISTIC_WRITE)
    Basket findLockedById(long id);

    @Lock(LockMode.PESSIMISTIC_READ)
    Basket findSharedById(long id);

    @Lock(LockMode.PESSIMISTIC_WRITE)
    List<Basket> findByOwner(String owner);

    @Modifying
    @Query("update basket set owner = :owner where id = :id")
    int rename(long id, String owner);
}
