package org.rowlock.spring

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.transaction.annotation.Transactional

/** Suspends, and so goes on after it has returned. */
open class SuspendingService {
    @Transactional
    open suspend fun ship(@RowLock("account") id: Long): Long = id
}

/** Is collected by whoever gets it, after the transaction. */
open class FlowingService {
    @Transactional
    open fun all(@RowLock("account") id: Long): Flow<Long> = flowOf(id)
}

/** What an application in Kotlin writes: default arguments, nullable and value parameters, an expression by name. */
open class PlainService(private val jdbc: JdbcTemplate) {
    @Transactional
    open fun add(@RowLock("account") id: Long, amount: Int = 1) {
        jdbc.update("update account set balance = balance + ? where id = ?", amount, id)
    }

    @Transactional
    @RowLock(table = "account", id = ["#move.from"])
    @RowLock(table = "account", id = ["#move.to"])
    open fun move(move: Move): Int =
        jdbc.queryForObject(
            "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
            Int::class.java,
        )!!
}

data class Move(val from: Long, val to: Long)

/** Calls with the default argument, from outside, as the compiler does it. */
object Callers {
    @JvmStatic
    fun addOne(service: PlainService, id: Long) = service.add(id)
}
