package org.rowlock.jdbc;

/** The same with the lock in front wherever it may be. */
class WholeJdbcInFrontTest extends WholeJdbcTest {
    @Override
    RowlockMode mode() {
        return RowlockMode.FRONT;
    }
}
