package org.rowlock.jdbc;

/** The same with the lock in front wherever it may be. */
class WholeJdbcInFrontTest extends WholeJdbcTest {
    @Override
    boolean fronts() {
        return true;
    }
}
