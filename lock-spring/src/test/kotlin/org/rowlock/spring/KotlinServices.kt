package org.rowlock.spring

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.transaction.annotation.Transactional

/** A service with a suspending method, whose work continues after the method has returned. */
open class SuspendingService {
    @Transactional
    open suspend fun ship(@RowLock("account") id: Long): Long = id
}

/** A service whose method returns a flow. The caller collects the flow after the transaction. */
open class FlowingService {
    @Transactional
    open fun all(@RowLock("account") id: Long): Flow<Long> = flowOf(id)
}

/** A service in Kotlin, with default arguments, nullable and value parameters, and an expression by parameter name. */
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

/** Calls the method from outside with the default argument, as the compiler does. */
object Callers {
    @JvmStatic
    fun addOne(service: PlainService, id: Long) = service.add(id)
}
